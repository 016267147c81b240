// SPDX-License-Identifier: BSD-3-Clause
// Projections of samples against plain loops.
#include "kernels/swd.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace parley {
namespace {

Matrix make_samples(std::int64_t n, std::int64_t columns) {
  const Matrix out = make_matrix("samples", n, columns);
  const auto host = Kokkos::create_mirror_view(out);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      host(i, j) = static_cast<Real>(std::sin(static_cast<double>(i * columns + j)));
    }
  }
  Kokkos::deep_copy(out, host);
  return out;
}

TEST(ProjectSamples, AgreesWithPlainLoops) {
  const Exec exec;
  for (const std::int64_t features : {1, 2, 65}) {
    for (const std::int64_t n : {1, 33}) {
      const Matrix samples = make_samples(n, features + 2);
      Directions directions;
      directions.features = features;
      directions.count = 20;
      directions.width = 2 * direction_tile;
      directions.values =
          Doubles("directions", static_cast<std::size_t>(features * directions.width));
      const auto host = Kokkos::create_mirror_view(directions.values);
      for (std::size_t i = 0; i < host.extent(0); ++i) host(i) = std::cos(static_cast<double>(i));
      Kokkos::deep_copy(directions.values, host);
      const Doubles out("out", static_cast<std::size_t>(n * directions.width));
      project_samples(exec, samples, directions, out);
      fence(exec, "test");
      const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
      const auto rows = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), samples);
      for (std::int64_t j = 0; j < directions.width; ++j) {
        for (std::int64_t i = 0; i < n; ++i) {
          double sum = 0;
          for (std::int64_t f = 0; f < features; ++f) {
            sum += static_cast<double>(rows(i, f)) *
                   host(static_cast<std::size_t>(f * directions.width + j));
          }
          ASSERT_NEAR(got(static_cast<std::size_t>(j * n + i)), sum, 1e-13);
        }
      }
    }
  }
}

TEST(ProjectSamples, RefusesSamplesThatAreTooNarrow) {
  Directions directions;
  directions.features = 3;
  EXPECT_THROW(project_samples(Exec(), make_samples(2, 2), directions, Doubles("out", 0)),
               std::logic_error);
}

TEST(ToDoubles, TakesTheFirstColumns) {
  const Exec exec;
  const Matrix samples = make_samples(5, 4);
  const Doubles out = to_doubles(exec, samples, 3);
  fence(exec, "test");
  const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  const auto rows = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), samples);
  for (std::int64_t i = 0; i < 5; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      EXPECT_EQ(got(static_cast<std::size_t>(i * 3 + j)), static_cast<double>(rows(i, j)));
    }
  }
}

}  // namespace
}  // namespace parley
