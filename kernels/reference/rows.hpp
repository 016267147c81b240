// SPDX-License-Identifier: BSD-3-Clause
// Products and sums of one agent's batch as plain loops in double: the truth for tests.
#pragma once

#include <cstdint>
#include <vector>

namespace parley::reference {

using Rows = std::vector<std::vector<double>>;

/// x' w for every row.
inline std::vector<double> row_products(const Rows& rows, const std::vector<double>& w) {
  std::vector<double> out;
  for (const auto& x : rows) {
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * w[j];
    out.push_back(sum);
  }
  return out;
}

/// sum_i factors[i] x_i.
inline std::vector<double> row_sums(const Rows& rows, const std::vector<double>& factors,
                                    std::size_t features) {
  std::vector<double> out(features, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < features; ++j) out[j] += factors[i] * rows[i][j];
  }
  return out;
}

}  // namespace parley::reference
