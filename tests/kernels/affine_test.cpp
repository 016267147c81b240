// SPDX-License-Identifier: BSD-3-Clause
// The affine field against plain loops, and the noise of its oracle against the host's numbers.
#include "kernels/affine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/reference/affine.hpp"

namespace parley {
namespace {

constexpr double tolerance = sizeof(Real) == 4 ? 1e-6 : 1e-15;

std::vector<double> fill(const Matrix& a, double seed) {
  const auto host = Kokkos::create_mirror_view(a);
  std::vector<double> values;
  for (std::size_t i = 0; i < host.size(); ++i) {
    host.data()[i] = static_cast<Real>(std::sin(seed + 0.7 * static_cast<double>(i)));
    values.push_back(static_cast<double>(host.data()[i]));
  }
  Kokkos::deep_copy(a, host);
  return values;
}

template <class View>
std::vector<double> values(const View& a) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  return {host.data(), host.data() + host.size()};
}

std::vector<double> part(const std::vector<double>& all, std::int64_t index, std::int64_t size) {
  return {all.begin() + index * size, all.begin() + (index + 1) * size};
}

TEST(AffineField, AgreesWithPlainLoops) {
  const Exec exec;
  for (const std::int64_t width : {1, 5, 16, 67}) {
    for (const std::int64_t agents : {1, 3}) {
      const Matrix m = make_matrix("m", agents * width, width), q = make_matrix("q", agents, width);
      const Matrix z = make_matrix("z", agents, width), f = make_matrix("f", agents, width);
      const auto ms = fill(m, 0.1), qs = fill(q, 0.2), zs = fill(z, 0.3);
      affine_field(exec, m, q, z, f);
      fence(exec, "test");
      const auto got = values(f);
      for (std::int64_t a = 0; a < agents; ++a) {
        const auto expected = reference::affine_field(part(ms, a, width * width),
                                                      part(qs, a, width), part(zs, a, width));
        for (std::int64_t i = 0; i < width; ++i) {
          ASSERT_NEAR(got[static_cast<std::size_t>(a * width + i)],
                      expected[static_cast<std::size_t>(i)],
                      tolerance * static_cast<double>(width + 1));
        }
      }
    }
  }
}

TEST(AddNormal, AddsTheNumbersOfTheRangeAndNothingElse) {
  const Exec exec;
  const Philox normal{4, Purpose::oracle_noise, 2, 6};
  const Vector row = make_vector("row", 40);
  Kokkos::deep_copy(row, Real(2));
  add_normal(exec, normal, {5, 16, 9}, Real(0.25), row);
  fence(exec, "test");
  const auto got = values(row);
  for (std::size_t j = 0; j < got.size(); ++j) {
    const bool inside = j >= 16 && j < 25;
    const double expected = inside ? 2 + 0.25 * normal.normal(5 + (j - 16)) : 2;
    EXPECT_NEAR(got[j], expected, 4 * tolerance) << "column " << j;
  }
}

}  // namespace
}  // namespace parley
