// SPDX-License-Identifier: BSD-3-Clause
// The kernels of compressed mixing as plain code: the truth for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/types.hpp"

namespace parley::reference {

/// Indices of the `count` numbers of largest magnitude, ascending; of equal ones the lower indices.
inline std::vector<std::int32_t> largest(const std::vector<Real>& row, std::size_t count) {
  std::vector<std::int32_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return std::abs(row[static_cast<std::size_t>(a)]) > std::abs(row[static_cast<std::size_t>(b)]);
  });
  order.resize(count);
  std::sort(order.begin(), order.end());
  return order;
}

/// A row that holds the values at the indices and zero elsewhere.
inline std::vector<Real> spread(const std::vector<std::int32_t>& index,
                                const std::vector<Real>& value, std::size_t size) {
  std::vector<Real> row(size, Real(0));
  for (std::size_t n = 0; n < index.size(); ++n) row[static_cast<std::size_t>(index[n])] = value[n];
  return row;
}

/// The bfloat16 nearest to x: 8 significant bits, ties to even, exponents from -126 to 127, at most
/// the largest one in magnitude.
inline double nearest_bfloat16(double x) {
  if (x == 0) return x;
  const int exponent = std::max(std::ilogb(x), -126);
  const double step = std::ldexp(1.0, exponent - 7);
  const double largest = std::ldexp(2.0 - std::ldexp(1.0, -7), 127);
  return std::clamp(std::nearbyint(x / step) * step, -largest, largest);
}

}  // namespace parley::reference
