// SPDX-License-Identifier: BSD-3-Clause
// A perturbation of all rows: added to them, its gradient, its square.
#include "kernels/perturb.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/reference/perturb.hpp"

namespace parley {
namespace {

constexpr double tolerance = sizeof(Real) == 4 ? 1e-6 : 1e-14;

template <class View>
void fill(const View& a, double seed) {
  const auto host = Kokkos::create_mirror_view(a);
  for (std::size_t i = 0; i < host.size(); ++i) {
    host.data()[i] = static_cast<Real>(std::sin(seed + 0.7 * static_cast<double>(i)));
  }
  Kokkos::deep_copy(a, host);
}

template <class View>
std::vector<double> values(const View& a) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  return {host.data(), host.data() + host.size()};
}

TEST(Perturb, AgreesWithPlainLoops) {
  const Exec exec;
  for (const std::int64_t rows : {1, 6}) {
    for (const std::int64_t columns : {1, 9, 64}) {
      const Matrix batch = make_matrix("batch", rows, columns);
      const Vector shift = make_vector("shift", columns), out = make_vector("out", columns);
      fill(batch, 0.1);
      fill(shift, 0.5);
      const std::vector<double> before = values(batch), d = values(shift);
      perturbation_field(exec, batch, 1.5, shift, out);
      add_to_rows(exec, shift, batch);
      const Doubles loss("loss", 1);
      Kokkos::deep_copy(loss, 3.0);
      subtract_square(exec, 1.5, shift, columns, loss);
      fence(exec, "test");
      const std::vector<double> after = values(batch), field = values(out);
      const std::vector<double> expected = reference::perturbation_field(before, 1.5, d);
      double square = 0;
      for (std::size_t j = 0; j < d.size(); ++j) {
        EXPECT_NEAR(field[j], expected[j], 10 * tolerance);
        square += d[j] * d[j];
      }
      EXPECT_NEAR(values(loss)[0], 3 - 1.5 * square, 1e-12);
      for (std::size_t i = 0; i < after.size(); ++i) {
        EXPECT_NEAR(after[i], before[i] + d[i % d.size()], tolerance);
      }
    }
  }
}

}  // namespace
}  // namespace parley
