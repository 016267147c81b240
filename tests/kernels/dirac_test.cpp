// SPDX-License-Identifier: BSD-3-Clause
// The Dirac GAN's field against central differences of its value.
#include "kernels/dirac.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/reference/dirac.hpp"

namespace parley {
namespace {

constexpr double tolerance = sizeof(Real) == 4 ? 1e-6 : 1e-9;

TEST(Dirac, FieldAndValuesBelongToTheDefinition) {
  const Exec exec;
  constexpr std::int64_t rows = 4, theta = 1, psi = 6;
  const Matrix z = make_matrix("z", rows, 8), f = make_matrix("f", rows, 8);
  const Doubles points("points", rows), values("values", rows);
  const auto at = Kokkos::create_mirror_view(z);
  const auto c = Kokkos::create_mirror_view(points);
  for (std::size_t i = 0; i < rows; ++i) {
    at(i, theta) = static_cast<Real>(std::sin(1.0 + 2.3 * static_cast<double>(i)));
    at(i, psi) = static_cast<Real>(2 * std::cos(0.4 + static_cast<double>(i)));
    c(i) = 0.5 * static_cast<double>(i) - 0.6;
  }
  Kokkos::deep_copy(z, at);
  Kokkos::deep_copy(points, c);
  for (const bool logistic : {true, false}) {
    const DiracGame game{logistic, 0.7, theta, psi, points};
    dirac_field(exec, game, z, f);
    dirac_values(exec, game, z, values);
    fence(exec, "test");
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), f);
    const auto value = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
    for (std::size_t i = 0; i < rows; ++i) {
      const double x = static_cast<double>(at(i, theta)), y = static_cast<double>(at(i, psi));
      const auto v = [&](double a, double b) {
        return reference::dirac_value(logistic, 0.7, c(i), a, b);
      };
      const double h = 1e-5;
      EXPECT_NEAR(static_cast<double>(got(i, theta)), (v(x + h, y) - v(x - h, y)) / (2 * h),
                  tolerance);
      EXPECT_NEAR(static_cast<double>(got(i, psi)), -(v(x, y + h) - v(x, y - h)) / (2 * h),
                  tolerance);
      EXPECT_NEAR(value(i), v(x, y), 1e-14);
      EXPECT_EQ(got(i, 0), 0);
    }
  }
}

TEST(Dirac, FarFromTheEquilibriumTheFieldIsFinite) {
  const Exec exec;
  const Matrix z = make_matrix("z", 2, 2), f = make_matrix("f", 2, 2);
  Kokkos::deep_copy(z, Real(60));
  Kokkos::deep_copy(row(z, 1), Real(-60));
  const DiracGame game{true, 0, 0, 1, Doubles("points", 2)};
  dirac_field(exec, game, z, f);
  fence(exec, "test");
  const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), f);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(std::isfinite(got.data()[i]));
}

}  // namespace
}  // namespace parley
