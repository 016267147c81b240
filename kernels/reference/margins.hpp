// SPDX-License-Identifier: BSD-3-Clause
// Losses of margins and their slopes, regularisers and the rows of the AUC game as plain functions
// of numbers in double: the truth for tests.
#pragma once

#include <cmath>
#include <vector>

#include "kernels/margins.hpp"

namespace parley::reference {

/// phi(t, y).
inline double row_loss(RowLoss loss, double t, double y) {
  if (loss == RowLoss::squared) return std::pow(t - y, 2) / 2;
  if (loss == RowLoss::log_quadratic) return 2 * std::log(1 + std::pow(t - y, 2) / 2);
  return std::log(1 + std::exp(-y * t));
}

/// dphi/dt by a central difference, good to about 1e-9.
inline double row_slope(RowLoss loss, double t, double y) {
  const double h = 1e-3;
  const auto at = [&](double s) { return row_loss(loss, t + s, y); };
  return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
}

/// sum_j a w_j^2 / (1 + a w_j^2).
inline double saturating(const std::vector<double>& w, double a) {
  double sum = 0;
  for (const double x : w) sum += a * x * x / (1 + a * x * x);
  return sum;
}

/// ||v||_1 or ||v||_2.
inline double length(Norm norm, const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += norm == Norm::l1 ? std::abs(x) : x * x;
  return norm == Norm::l1 ? sum : std::sqrt(sum);
}

/// One row of the AUC game.
struct AucPoint {
  double p, a, b, alpha;
};
inline double auc_row(const AucPoint& z, double h, bool positive) {
  const double coupled = 2 * (1 + z.alpha) * (positive ? -(1 - z.p) * h : z.p * h);
  const double own = positive ? (1 - z.p) * std::pow(h - z.a, 2) : z.p * std::pow(h - z.b, 2);
  return own + coupled - z.p * (1 - z.p) * z.alpha * z.alpha;
}

}  // namespace parley::reference
