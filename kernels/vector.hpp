// SPDX-License-Identifier: BSD-3-Clause
// Element-wise and reducing operations on rows of agents. Columns before `y_begin` belong to player
// x, the others to y. Reductions are in double, in fixed chunks combined in order: the bits depend
// neither on threads nor on the number of rows.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "kernels/types.hpp"

namespace parley {

/// One number per player: step sizes, signs, weights.
struct Pair {
  double x = 0;
  double y = 0;
};
inline Pair operator*(double a, const Pair& p) {
  return {a * p.x, a * p.y};
}
inline constexpr Pair one{1.0, 1.0};
inline constexpr Pair only_x{1.0, 0.0};
inline constexpr Pair only_y{0.0, 1.0};

/// A term of a linear combination: coefficient per player times rows x width.
struct Term {
  Pair factor;
  Matrix rows;
};

/// out = sum of the terms, summed in their order; 1 to 4 terms of the same shape as out. `out` may
/// be one of them.
void combine(const Exec& exec, std::int64_t y_begin, std::span<const Term> terms,
             const Matrix& out);
template <std::size_t N>
void combine(const Exec& exec, std::int64_t y_begin, const Term (&terms)[N], const Matrix& out) {
  combine(exec, y_begin, std::span<const Term>(terms, N), out);
}

/// out = in, same shape.
void copy(const Exec& exec, const Matrix& in, const Matrix& out);

/// Squared Euclidean norms of a row's x and y parts.
struct PlayerNorms {
  double x = 0;
  double y = 0;
};
/// Per row of a: norms of a's row, in double.
std::vector<PlayerNorms> row_norms(const Exec& exec, std::int64_t y_begin, const Matrix& a);
/// Per row of a: norms of (a's row - b), b of width columns.
std::vector<PlayerNorms> row_distances(const Exec& exec, std::int64_t y_begin, const Matrix& a,
                                       const Vector& b);

/// First row that holds a non-finite number; -1 when all are finite.
std::int64_t first_bad_row(const Exec& exec, const Matrix& a);

/// Scales each row's x and y part down to at most the player's bound of Euclidean norm; a bound of
/// 0 leaves the part alone. A non-finite part stays as it is.
void clip_rows(const Exec& exec, std::int64_t y_begin, const Pair& bound, const Matrix& a);

/// out(i, j) = a(i, j) / weight(i); rows x width. `out` may be a.
void divide_rows(const Exec& exec, const Matrix& a, const Vector& weight, const Matrix& out);

/// out(i, j) = a(i, j) weight(i); rows x width. `out` may be a.
void multiply_rows(const Exec& exec, const Matrix& a, const Vector& weight, const Matrix& out);

/// Copies one row of `width` columns onto every row of out.
void broadcast_row(const Exec& exec, const Vector& in, const Matrix& out);

}  // namespace parley
