// SPDX-License-Identifier: BSD-3-Clause
// kernels/perturb.hpp as plain loops in double. Host only.
#pragma once

#include <cstddef>
#include <vector>

namespace parley::reference {

/// 2 weight shift_j - sum over rows of slopes (rows x shift.size()).
inline std::vector<double> perturbation_field(const std::vector<double>& slopes, double weight,
                                              const std::vector<double>& shift) {
  std::vector<double> out;
  for (std::size_t j = 0; j < shift.size(); ++j) {
    out.push_back(2 * weight * shift[j]);
    for (std::size_t i = j; i < slopes.size(); i += shift.size()) out[j] -= slopes[i];
  }
  return out;
}

}  // namespace parley::reference
