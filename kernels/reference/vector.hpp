// SPDX-License-Identifier: BSD-3-Clause
// Row operations as plain loops over one row, in double: the truth for tests.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "kernels/vector.hpp"

namespace parley::reference {

/// sum_t factor_t rows_t for one row, columns before y_begin with the factors of x.
inline std::vector<double> combine(std::size_t y_begin, const std::vector<Pair>& factors,
                                   const std::vector<std::vector<double>>& rows) {
  std::vector<double> out(rows.front().size());
  for (std::size_t j = 0; j < out.size(); ++j) {
    for (std::size_t t = 0; t < rows.size(); ++t) {
      out[j] += (j < y_begin ? factors[t].x : factors[t].y) * rows[t][j];
    }
  }
  return out;
}

/// Squared norms of both players' parts of a - b.
inline PlayerNorms distance(std::size_t y_begin, const std::vector<double>& a,
                            const std::vector<double>& b) {
  PlayerNorms norms;
  for (std::size_t j = 0; j < a.size(); ++j) {
    (j < y_begin ? norms.x : norms.y) += (a[j] - b[j]) * (a[j] - b[j]);
  }
  return norms;
}

/// The row with both players' parts scaled down to at most `bound`; 0: any norm.
inline std::vector<double> clip(std::size_t y_begin, const Pair& bound, std::vector<double> a) {
  const PlayerNorms norms = distance(y_begin, a, std::vector<double>(a.size(), 0));
  const auto factor = [](double most, double square) {
    return most > 0 && square > most * most ? most / std::sqrt(square) : 1.0;
  };
  for (std::size_t j = 0; j < a.size(); ++j) {
    a[j] *= j < y_begin ? factor(bound.x, norms.x) : factor(bound.y, norms.y);
  }
  return a;
}

}  // namespace parley::reference
