// SPDX-License-Identifier: BSD-3-Clause
// kernels/softmax.hpp as plain loops in double, straight from the definitions. Host only.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace parley::reference {

inline std::vector<double> softmax(std::vector<double> v) {
  const double most = *std::max_element(v.begin(), v.end());
  double sum = 0;
  for (const double value : v) sum += std::exp(value - most);
  for (double& value : v) value = std::exp(value - most) / sum;
  return v;
}

/// -log of the softmax of one row at the right class.
inline double cross_entropy(const std::vector<double>& scores, std::size_t right) {
  return -std::log(softmax(scores)[right]);
}

inline bool hit(const std::vector<double>& scores, std::size_t right) {
  return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) -
                                  scores.begin()) == right;
}

}  // namespace parley::reference
