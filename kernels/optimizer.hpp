// SPDX-License-Identifier: BSD-3-Clause
// Adam's moments and the optimistic update, fused into one pass over the rows each.
#pragma once

#include "core/layout.hpp"
#include "kernels/vector.hpp"

namespace parley {

/// Constants of Adam and the number of the step, 1 for the first (for the bias correction).
struct AdamStep {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  std::int64_t count = 1;
};

/// Rows (all of one shape) that Adam works on.
struct AdamRows {
  Matrix gradient;   ///< in
  Matrix m, v;       ///< in, out: moments
  Matrix direction;  ///< out: d
};

/// m = b1 m + (1-b1) g;  v = b2 v + (1-b2) g^2;  d = mhat / (sqrt(vhat) + eps), bias-corrected once
/// (Kingma & Ba 2015, algorithm 1). Zero columns (padding) stay zero.
void adam_direction(const Exec& exec, const AdamStep& step, const AdamRows& rows);
/// The same for the columns of one player; those of the other keep their moments and get d = 0.
void adam_direction(const Exec& exec, std::int64_t y_begin, Player player, const AdamStep& step,
                    const AdamRows& rows);

/// The same, and u = base - 2 eta d + eta d_previous in the same pass, d overwriting d_previous
/// (optimistic Adam; Daskalakis et al. 2018, algorithm 1). `base` may be u itself.
struct OptimisticRows {
  Matrix gradient;
  Matrix m, v;
  Matrix previous;  ///< in: d_{k-1}, out: d_k
  Matrix base;      ///< in
  Matrix u;         ///< out
};
void optimistic_adam(const Exec& exec, std::int64_t y_begin, const AdamStep& step, const Pair& eta,
                     const OptimisticRows& rows);

}  // namespace parley
