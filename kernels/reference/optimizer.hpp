// SPDX-License-Identifier: BSD-3-Clause
// Adam for one number, in double, with the moments as explicit sums: the truth for tests.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "kernels/optimizer.hpp"

namespace parley::reference {

/// The direction after the gradients g_1 ... g_t: weighted means of g and g^2 whose weights are
/// (1 - b) b^{t-s} / (1 - b^t) (Kingma & Ba 2015, equations 1 to 4).
inline double adam_direction(const AdamStep& step, const std::vector<double>& gradients) {
  const auto mean = [&](double beta, int power) {
    double sum = 0, total = 0;
    for (std::size_t s = 0; s < gradients.size(); ++s) {
      const double weight = std::pow(beta, static_cast<double>(gradients.size() - 1 - s));
      sum += weight * std::pow(gradients[s], power);
      total += weight;
    }
    return sum / total;
  };
  return mean(step.beta1, 1) / (std::sqrt(mean(step.beta2, 2)) + step.epsilon);
}

}  // namespace parley::reference
