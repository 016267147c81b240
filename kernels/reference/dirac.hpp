// SPDX-License-Identifier: BSD-3-Clause
// The Dirac GAN's value by its definition; slopes come from central differences. Host only.
#pragma once

#include <cmath>

namespace parley::reference {

inline double dirac_value(bool logistic, double penalty, double c, double theta, double psi) {
  const auto g = [logistic](double t) { return logistic ? -std::log(1 + std::exp(-t)) : t; };
  return g(psi * theta) + g(-psi * c) - penalty / 2 * psi * psi;
}

}  // namespace parley::reference
