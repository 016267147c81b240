// SPDX-License-Identifier: BSD-3-Clause
// Projections of one vector as plain loops in double: the truth for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace parley::reference {

inline std::vector<double> project_ball(std::vector<double> v, double radius) {
  double square = 0;
  for (const double value : v) square += value * value;
  const double norm = std::sqrt(square);
  for (double& value : v) value *= norm > radius ? radius / norm : 1;
  return v;
}

inline std::vector<double> project_box(std::vector<double> v, double low, double high) {
  for (double& value : v) value = std::clamp(value, low, high);
  return v;
}

/// By sorting (Held, Wolfe and Crowder 1974): another algorithm than the kernel's.
inline std::vector<double> project_simplex(std::vector<double> v, double total) {
  std::vector<double> sorted = v;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0, t = 0;
  for (std::size_t j = 0; j < sorted.size(); ++j) {
    sum += sorted[j];
    const double candidate = (sum - total) / static_cast<double>(j + 1);
    if (sorted[j] > candidate) t = candidate;
  }
  for (double& value : v) value = std::max(value - t, 0.0);
  return v;
}

inline std::vector<double> soft_threshold(std::vector<double> v, double threshold) {
  for (double& value : v) {
    value = std::copysign(std::max(std::abs(value) - threshold, 0.0), value);
  }
  return v;
}

}  // namespace parley::reference
