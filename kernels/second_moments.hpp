// SPDX-License-Identifier: BSD-3-Clause
// Products of one agent's small square matrices, for games on second moments. Sums are in double,
// in the order of their index. All matrices are n x n, row-major and contiguous.
#pragma once

#include <cstdint>

#include "kernels/types.hpp"

namespace parley {

/// One agent's V and W with the moments that an oracle call sees.
struct MomentPlayers {
  std::int64_t n = 1;
  const Real* v = nullptr;       ///< the generator's matrix
  const Real* w = nullptr;       ///< the critic's
  const Real* data = nullptr;    ///< S_x, second moments of the data
  const Real* latent = nullptr;  ///< S_z, of the generator's input; nullptr: the identity
};

/// The field of <W, S_x - V S_z V'>: to_v = -(W + W') V S_z, to_w = V S_z V' - S_x. work: n x n,
/// scratch. Asynchronous, as all functions here.
void moment_field(const Exec& exec, const MomentPlayers& players, Real* work, Real* to_v,
                  Real* to_w);

/// value(0) = -sum_ij w_ij to_w_ij, with to_w from moment_field.
void moment_value(const Exec& exec, std::int64_t n, const Real* w, const Real* to_w, double* value);

/// out = (1/b) sum of s s' over the b rows s = L g, g a row of normals (b x n), L lower triangular
/// (n x n); samples: b x n, receives the rows s.
void sample_moments(const Exec& exec, const Matrix& normals, const Real* lower,
                    const Matrix& samples, Real* out);

}  // namespace parley
