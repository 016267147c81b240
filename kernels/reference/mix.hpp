// SPDX-License-Identifier: BSD-3-Clause
// The mixing kernels as plain loops over whole rows: the truth for tests and benches.
#pragma once

#include <vector>

#include "kernels/types.hpp"

namespace parley::reference {

/// total self + sum_n weight_n (row_n - self), element by element in the order of the rows.
inline std::vector<Real> mix_row(const std::vector<Real>& self,
                                 const std::vector<std::vector<Real>>& rows,
                                 const std::vector<Real>& weights, Real total = 1) {
  std::vector<Real> out(self.size());
  for (std::size_t i = 0; i < self.size(); ++i) {
    Real sum = 0;
    for (std::size_t n = 0; n < rows.size(); ++n) sum += weights[n] * (rows[n][i] - self[i]);
    out[i] = sum + total * self[i];
  }
  return out;
}

/// previous + factor (mixed - previous), element by element.
inline std::vector<Real> extrapolate(const std::vector<Real>& mixed,
                                     const std::vector<Real>& previous, Real factor) {
  std::vector<Real> out(mixed.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = previous[i] + factor * (mixed[i] - previous[i]);
  }
  return out;
}

/// row_0 + (sum_n (row_n - row_0)) / count in double, element by element.
inline std::vector<Real> mean_row(const std::vector<std::vector<Real>>& rows) {
  std::vector<Real> out(rows.front().size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double first = static_cast<double>(rows.front()[i]);
    double sum = 0;
    for (const auto& row : rows) sum += static_cast<double>(row[i]) - first;
    out[i] = static_cast<Real>(first + sum / static_cast<double>(rows.size()));
  }
  return out;
}

}  // namespace parley::reference
