// SPDX-License-Identifier: BSD-3-Clause
// The field of games that are quadratic in z, F_m(z) = M_m z + q_m, and the noise of its oracle.
#pragma once

#include "kernels/philox.hpp"
#include "kernels/types.hpp"

namespace parley {

/// f_m = M_m z_m + q_m for every local agent. matrices: (agents * width) x width, row i of agent m
/// at m * width + i; vectors, z, f: agents x width. Rows and columns of padding are zero.
void affine_field(const Exec& exec, const Matrix& matrices, const Matrix& vectors, const Matrix& z,
                  const Matrix& f);

/// Columns [column, column + size) of a row take the numbers packed, packed + 1, ...
struct NoiseRange {
  std::int64_t packed = 0, column = 0, size = 0;
};

/// row[column + j] += deviation * normal(packed + j).
void add_normal(const Exec& exec, const Philox& normal, const NoiseRange& range, Real deviation,
                const Vector& row);

}  // namespace parley
