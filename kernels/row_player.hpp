// SPDX-License-Identifier: BSD-3-Clause
// Players that own numbers for every training row: weights of rows, perturbations of rows. Every
// agent holds those of all rows, and its batch moves its own. Asynchronous.
#pragma once

#include <cstdint>

#include "kernels/rows.hpp"
#include "kernels/types.hpp"

namespace parley {

/// A player with one number per training row: row i of the table has number numbers(i), and its
/// entry stands at column + number.
struct RowPlayer {
  Indices numbers;
  std::int64_t column = 0;
  std::int64_t size = 0;  ///< all training rows
};

/// values(m, i) *= the entry of row (m, i) in z.
void scale_by_player(const Exec& exec, const RowBatch& batch, const RowPlayer& player,
                     const Matrix& z, const Doubles& values);

/// f's entries = z's entries - shift - weights(m) sum of values(m, i) over the draws i of the row.
void player_field(const Exec& exec, const RowBatch& batch, const RowPlayer& player, double shift,
                  const Matrix& z, const Doubles& weights, const Doubles& values, const Matrix& f);

/// A player with a vector d_n of `features` numbers per training row, at column + number *
/// features. products(m, i) += d_n'w, n the number of row (m, i).
void add_perturbed(const Exec& exec, const RowBatch& batch, const RowPlayer& player,
                   const Matrix& z, std::int64_t w, const Doubles& products);
/// f at w += sum_i slopes(m, i) d_n; f's d_n = -w sum of slopes(m, i) over the draws of the row.
void perturbed_field(const Exec& exec, const RowBatch& batch, const RowPlayer& player,
                     const Matrix& z, std::int64_t w, const Doubles& slopes, const Matrix& f);

}  // namespace parley
