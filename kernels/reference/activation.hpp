// SPDX-License-Identifier: BSD-3-Clause
// kernels/activation.hpp as plain loops in double, derivatives taken from the input: the truth for
// tests. Host only.
#pragma once

#include <cmath>

#include "kernels/activation.hpp"

namespace parley::reference {

struct Jet {
  double value, first, second;  ///< s(u), s'(u), s''(u)
};

inline Jet activation(const Activation& s, double u) {
  const double leak = static_cast<double>(s.slope);
  switch (s.kind) {
    case ActivationKind::relu:
      return u > 0 ? Jet{u, 1, 0} : Jet{0, 0, 0};
    case ActivationKind::leaky_relu:
      return u > 0 ? Jet{u, 1, 0} : Jet{leak * u, leak, 0};
    case ActivationKind::tanh: {
      const double h = std::tanh(u), d = 1 / (std::cosh(u) * std::cosh(u));
      return {h, d, -2 * h * d};
    }
    case ActivationKind::sigmoid: {
      const double h = 1 / (1 + std::exp(-u)), d = h * (1 - h);
      return {h, d, d * (1 - 2 * h)};
    }
    case ActivationKind::identity:
      break;
  }
  return {u, 1, 0};
}

/// sums[j] of weigh_rows; a is weighted in place.
inline void weigh_rows(const HostMatrix& a, const HostVector& weights, std::size_t counted,
                       std::vector<double>& sums) {
  sums.assign(a.extent(1), 0.0);
  for (std::size_t i = 0; i < a.extent(0); ++i) {
    for (std::size_t j = 0; j < a.extent(1); ++j) {
      if (weights.size() > 0) a(i, j) *= weights(i);
      if (i < counted) sums[j] += static_cast<double>(a(i, j));
    }
  }
}

}  // namespace parley::reference
