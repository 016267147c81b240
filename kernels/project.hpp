// SPDX-License-Identifier: BSD-3-Clause
// Euclidean projections and proximal maps on a range of columns of every row: what games' prox is
// made of. Each row is worked on alone, in double, in an order that depends on its length only.
#pragma once

#include <cstdint>

#include "kernels/types.hpp"

namespace parley {

/// Columns [begin, begin + size) of a row: one player's numbers, padding excluded.
struct Columns {
  std::int64_t begin = 0;
  std::int64_t size = 0;
};

/// v = v min(1, radius / ||v||_2), radius >= 0. Asynchronous, as all functions here; a row that
/// holds a NaN keeps holding it.
void project_ball(const Exec& exec, const Matrix& rows, const Columns& columns, double radius);

/// v_j = min(max(v_j, low), high), low <= high; infinities leave a side open.
void project_box(const Exec& exec, const Matrix& rows, const Columns& columns, double low,
                 double high);

/// The nearest point with v_j >= 0 and sum v_j = total > 0: v_j = max(v_j - t, 0). t comes from
/// Newton's method on its piecewise linear equation, which ends after finitely many steps (Michelot
/// 1986; no sorting).
void project_simplex(const Exec& exec, const Matrix& rows, const Columns& columns, double total);

/// The proximal map of threshold ||v||_1: v_j = sign(v_j) max(|v_j| - threshold, 0).
void soft_threshold(const Exec& exec, const Matrix& rows, const Columns& columns, double threshold);

}  // namespace parley
