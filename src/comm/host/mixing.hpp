// SPDX-License-Identifier: BSD-3-Clause
// The mixing matrices of a run, round by round: one W for all rounds, or a W per round. Pure data;
// the same on every rank without a message. No MPI, no Kokkos.
#pragma once

#include <cstdint>

#include "comm/host/weights.hpp"

namespace parley {

class Mixing {
 public:
  Mixing() = default;
  /// One W for all rounds.
  explicit Mixing(Weights weights) : weights_(std::move(weights)) {}

  std::int64_t agents() const { return static_cast<std::int64_t>(weights_.rows.size()); }
  /// False: at() gives the same W for every round.
  bool varies() const { return false; }
  /// W of round r = 0, 1, 2, ...; valid until the next call.
  const Weights& at(std::int64_t /*round*/) const { return weights_; }
  /// True when every round's W is symmetric.
  bool symmetric() const { return weights_.symmetric; }
  /// False for push-sum: columns sum to 1, rows need not.
  bool doubly_stochastic() const { return weights_.doubly_stochastic; }

 private:
  Weights weights_;
};

}  // namespace parley
