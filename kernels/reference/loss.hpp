// SPDX-License-Identifier: BSD-3-Clause
// kernels/loss.hpp as plain formulas in double; slopes come from central differences in the tests.
// Host only.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/loss.hpp"

namespace parley::reference {

inline double softplus(double t) {
  return std::max(t, 0.0) + std::log1p(std::exp(-std::abs(t)));
}

inline double on_real(GanLoss loss, double d) {
  if (loss == GanLoss::least_squares) return 0.5 * (d - 1) * (d - 1);
  if (loss == GanLoss::hinge) return std::max(0.0, 1 - d);
  if (loss == GanLoss::wgan) return -d;
  return softplus(-d);
}

inline double on_fake(GanLoss loss, double d) {
  if (loss == GanLoss::least_squares) return 0.5 * d * d;
  if (loss == GanLoss::hinge) return std::max(0.0, 1 + d);
  if (loss == GanLoss::wgan) return d;
  return softplus(d);
}

inline double generator(GanLoss loss, double d) {
  if (loss == GanLoss::minimax) return -softplus(d);
  if (loss == GanLoss::non_saturating) return softplus(-d);
  if (loss == GanLoss::least_squares) return 0.5 * (d - 1) * (d - 1);
  return -d;
}

/// lambda mean((||g_i|| - 1)^2), g: batch rows of `features` values.
inline double penalty(double lambda, const std::vector<double>& g, std::size_t batch) {
  const std::size_t features = g.size() / batch;
  double sum = 0;
  for (std::size_t i = 0; i < batch; ++i) {
    double square = 0;
    for (std::size_t j = 0; j < features; ++j) square += g[i * features + j] * g[i * features + j];
    sum += (std::sqrt(square) - 1) * (std::sqrt(square) - 1);
  }
  return lambda * sum / static_cast<double>(batch);
}

}  // namespace parley::reference
