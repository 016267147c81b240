// SPDX-License-Identifier: BSD-3-Clause
// How fast mixing agrees: the contraction that W, or the matrices of a graph that varies, promise.
// Pure data and Eigen; no MPI, no Kokkos.
#pragma once

#include <cstdint>

#include "comm/host/mixing.hpp"

namespace parley {

/// What the spectrum promises. J is the mean, 11'/n.
struct Spectrum {
  /// Contraction of `rounds` rounds on the complement of the mean: ||W - J||_2 of a fixed W, of the
  /// product of a period's; for random W of one round in the mean square, the square root of the
  /// largest eigenvalue of E[W'W] - J; for push-sum's W the second largest modulus of the
  /// eigenvalues, which is the rate of long runs.
  double rho = 0;
  std::int64_t rounds = 1;  ///< that rho speaks of: the period; 1 for fixed and random W
  double gap = 1;           ///< 1 - rho
  double lambda_min = 1;    ///< smallest eigenvalue; NaN where W is not symmetric or not fixed

  /// What t rounds promise: rho^(t / rounds).
  double contraction(std::int64_t t) const;
};

/// By dense decomposition for n <= 2048. Above, power iteration: rho from below, lambda_min from
/// above, close unless the gap is under about 1e-4.
Spectrum spectrum(const Weights& weights);

/// The same of a sequence. E[W'W] of a random one is the mean over its first 64 to 4096 rounds (the
/// fewer the more agents), hence rho known to a few per cent, rather too large than too small.
Spectrum spectrum(const Mixing& mixing);

}  // namespace parley
