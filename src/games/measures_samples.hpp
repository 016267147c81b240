// SPDX-License-Identifier: BSD-3-Clause
// How good generated samples are: sliced Wasserstein distance to held-out rows, and the score
// against a known Gaussian mixture. Knows samples only, neither networks nor MPI.
#pragma once

#include <cstdint>
#include <vector>

#include "core/agents.hpp"
#include "data/dataset.hpp"
#include "kernels/swd.hpp"
#include "kernels/types.hpp"

namespace parley {

/// Sliced Wasserstein-1 distance of two sets of n samples (Rabin et al. 2011; Bonneel et al. 2015):
/// the mean over 256 random directions p on the unit sphere of the one-dimensional W1 distance
/// mean_i |sort(A p)_i - sort(B p)_i|. The directions are dealt to the agents in turn, so that
/// every agent contributes its part and the sum over agents is the distance on any number of ranks.
class SlicedWasserstein {
 public:
  static constexpr std::int64_t directions = 256;

  /// `real`: n x features held-out rows, n >= 1. The same `seed` gives the same directions
  /// anywhere.
  SlicedWasserstein(const Exec& exec, const Matrix& real, const Agents& agents, std::uint64_t seed);

  /// Rows that a set of samples must have.
  std::int64_t samples() const { return samples_; }

  /// The contribution of one local agent for `generated` (samples() rows, at least as many columns
  /// as `real`, any row stride): sum over its directions / 256; 0 for an agent without directions.
  /// Waits for `exec`.
  double evaluate(const Exec& exec, std::int64_t local_agent, const Matrix& generated) const;

 private:
  std::int64_t samples_, features_;
  /// Of one local agent: its directions, and per direction the sorted projections of `real`.
  struct Part {
    Directions directions;
    std::vector<double> real;
  };
  std::vector<Part> parts_;
  Doubles projected_;
};

/// What part of a mixture a set of samples covers.
struct MixtureResult {
  double modes = 0;  ///< modes with 20 % of the fair share n / modes or more within 3 deviations
  double share = 0;  ///< share of the samples within 3 deviations of a center (Euclidean)
  double kl = 0;     ///< KL(histogram of nearest modes || uniform), nats, over all samples
};

/// `generated`: n x at least features; n >= 1.
MixtureResult score_mixture(const Exec& exec, const Mixture& mixture, const Matrix& generated);

}  // namespace parley
