// SPDX-License-Identifier: BSD-3-Clause
// The Dirac GAN: a generator that is one point, a critic that is one slope. Knows no agents'
// bookkeeping.
#pragma once

#include <cstdint>

#include "kernels/types.hpp"

namespace parley {

/// v(theta, psi) = g(psi theta) + g(-psi c) - (penalty / 2) psi^2 with a real point c per row, and
/// g(t) = -log(1 + exp(-t)) (logistic) or t (Mescheder, Geiger and Nowozin, ICML 2018, section 2
/// and, for the penalty R1, section 4.1).
struct DiracGame {
  bool logistic = true;
  double penalty = 0;
  std::int64_t theta = 0, psi = 0;  ///< columns
  Doubles points;                   ///< c, per row
};

/// f at theta: dv/dtheta; at psi: -dv/dpsi. Asynchronous.
void dirac_field(const Exec& exec, const DiracGame& game, const Matrix& z, const Matrix& f);

/// values(i) = v of row i. Asynchronous.
void dirac_values(const Exec& exec, const DiracGame& game, const Matrix& z, const Doubles& values);

}  // namespace parley
