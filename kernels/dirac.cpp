// SPDX-License-Identifier: BSD-3-Clause
// Two numbers per row, in double.
#include "kernels/dirac.hpp"

#include <cmath>

namespace parley {

namespace {

KOKKOS_INLINE_FUNCTION double loss(bool logistic, double t) {
  if (!logistic) return t;
  return -((t < 0 ? -t : 0.0) + log1p(exp(t < 0 ? t : -t)));
}
KOKKOS_INLINE_FUNCTION double slope(bool logistic, double t) {
  return logistic ? 1 / (1 + exp(t)) : 1.0;
}

}  // namespace

void dirac_field(const Exec& exec, const DiracGame& game, const Matrix& z, const Matrix& f) {
  Kokkos::parallel_for(
      "parley::dirac::field", Range(exec, 0, rows_of(z)), KOKKOS_LAMBDA(const std::int64_t m) {
        const auto i = static_cast<std::size_t>(m);
        const double theta = z(i, static_cast<std::size_t>(game.theta));
        const double psi = z(i, static_cast<std::size_t>(game.psi));
        const double c = game.points(i);
        const double fake = slope(game.logistic, psi * theta);
        const double real = slope(game.logistic, -psi * c);
        f(i, static_cast<std::size_t>(game.theta)) = static_cast<Real>(psi * fake);
        f(i, static_cast<std::size_t>(game.psi)) =
            static_cast<Real>(c * real - theta * fake + game.penalty * psi);
      });
}

void dirac_values(const Exec& exec, const DiracGame& game, const Matrix& z, const Doubles& values) {
  Kokkos::parallel_for(
      "parley::dirac::values", Range(exec, 0, rows_of(z)), KOKKOS_LAMBDA(const std::int64_t m) {
        const auto i = static_cast<std::size_t>(m);
        const double theta = z(i, static_cast<std::size_t>(game.theta));
        const double psi = z(i, static_cast<std::size_t>(game.psi));
        values(i) = loss(game.logistic, psi * theta) + loss(game.logistic, -psi * game.points(i)) -
                    0.5 * game.penalty * psi * psi;
      });
}

}  // namespace parley
