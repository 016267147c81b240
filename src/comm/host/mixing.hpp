// SPDX-License-Identifier: BSD-3-Clause
// The mixing matrices of a run, round by round: one W for all rounds, a period of them in turn, or
// a random W per round. Pure data; the same on every rank without a message. No MPI, no Kokkos.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "comm/host/weights.hpp"

namespace parley {

class Mixing {
 public:
  /// W of round r = 0, 1, 2, ..., a function of r alone.
  using Draw = std::function<Weights(std::int64_t round)>;

  Mixing() = default;
  /// One W for all rounds.
  explicit Mixing(Weights weights);
  /// Several W in turn; all of them for the same agents, at least one.
  explicit Mixing(std::vector<Weights> period);
  /// A random W per round. `symmetric`: every W that it draws is.
  Mixing(Draw draw, bool symmetric);

  std::int64_t agents() const { return static_cast<std::int64_t>(latest().rows.size()); }
  /// False: at() gives the same W for every round.
  bool varies() const { return random() || period_.size() > 1; }
  /// True where W is drawn anew for each round.
  bool random() const { return draw_ != nullptr; }
  /// Rounds after which the matrices come again; 1 for a fixed W, 0 for random ones.
  std::int64_t period() const { return random() ? 0 : static_cast<std::int64_t>(period_.size()); }
  /// W of round r = 0, 1, 2, ...; valid until the next call.
  const Weights& at(std::int64_t round) const;
  /// True when every round's W is symmetric.
  bool symmetric() const { return symmetric_; }
  /// False for push-sum: columns sum to 1, rows need not.
  bool doubly_stochastic() const { return latest().doubly_stochastic; }

 private:
  const Weights& latest() const { return random() ? drawn_ : period_.front(); }

  std::vector<Weights> period_ = {Weights{}};
  Draw draw_;
  bool symmetric_ = true;
  // The latest draw: the channels of one iteration ask for the same round one after the other.
  mutable Weights drawn_;
  mutable std::int64_t drawn_round_ = 0;
};

/// The matrices of a graph by the deck: of a kind that varies, of a schedule on the graph's edges,
/// or one W. UserError, with `where` in front, for weights and schedules that do not fit the graph
/// or a W that is not doubly stochastic.
Mixing make_mixing(const Graph& graph, const GraphOptions& options, const std::string& where);

}  // namespace parley
