// SPDX-License-Identifier: BSD-3-Clause
// Projections against plain loops, against the inequality that characterizes the nearest point, and
// what they must leave alone: other columns, other rows, a NaN.
#include "kernels/project.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "kernels/reference/project.hpp"

namespace parley {
namespace {

constexpr double tolerance = sizeof(Real) == 4 ? 2e-6 : 1e-14;
using Numbers = std::vector<double>;
constexpr std::int64_t rows_count = 4;

/// Numbers of order `scale` that single precision holds exactly.
double number(std::int64_t i, std::int64_t j, double scale) {
  return scale * static_cast<double>((i * 104729 + j * 1299709) % 2003 - 1001) / 1024;
}

Matrix make_rows(std::int64_t width, double scale) {
  const Matrix a = make_matrix("test::rows", rows_count, width);
  const auto host = Kokkos::create_mirror_view(a);
  for (std::size_t i = 0; i < host.extent(0); ++i) {
    for (std::size_t j = 0; j < host.extent(1); ++j) {
      host(i, j) = static_cast<Real>(
          number(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j), scale));
    }
  }
  Kokkos::deep_copy(a, host);
  return a;
}

Numbers take(const Matrix& a, std::int64_t i, const Columns& columns) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  const Real* const first = host.data() + i * columns_of(a) + columns.begin;
  return {first, first + columns.size};
}

using Kernel = std::function<void(const Exec&, const Matrix&, const Columns&)>;
using Truth = std::function<Numbers(const Numbers&)>;

/// The kernel on the middle columns of every row against the truth; the other columns stay.
void expect_agreement(const Kernel& kernel, const Truth& truth) {
  const Exec exec;
  for (const double scale : {0.01, 1.0, 30.0}) {
    for (const std::int64_t size : {1, 2, 15, 16, 37, 700}) {
      const Columns middle{row_alignment, size}, before{0, row_alignment},
          after{row_alignment + size, 5};
      const Matrix a = make_rows(row_alignment + size + 5, scale);
      const Matrix old = make_rows(row_alignment + size + 5, scale);
      kernel(exec, a, middle);
      fence(exec, "test");
      for (std::int64_t i = 0; i < rows_count; ++i) {
        const Numbers got = take(a, i, middle), expected = truth(take(old, i, middle));
        for (std::size_t j = 0; j < got.size(); ++j) {
          ASSERT_NEAR(got[j], expected[j], tolerance * std::max(1.0, scale))
              << "row " << i << ", column " << j << " of " << size << ", scale " << scale;
        }
        EXPECT_EQ(take(a, i, before), take(old, i, before));
        EXPECT_EQ(take(a, i, after), take(old, i, after));
      }
    }
  }
}

TEST(Project, BallAgreesWithPlainLoops) {
  for (const double radius : {0.0, 0.3, 2.0}) {
    expect_agreement([=](const Exec& exec, const Matrix& a,
                         const Columns& c) { project_ball(exec, a, c, radius); },
                     [=](const Numbers& v) { return reference::project_ball(v, radius); });
  }
}

TEST(Project, BoxAgreesWithPlainLoops) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [low, high] : {std::pair{-0.5, 0.25}, {0.0, infinity}, {-infinity, -0.125}}) {
    const double least = low, most = high;
    expect_agreement([=](const Exec& exec, const Matrix& a,
                         const Columns& c) { project_box(exec, a, c, least, most); },
                     [=](const Numbers& v) { return reference::project_box(v, least, most); });
  }
}

TEST(Project, SimplexAgreesWithSorting) {
  for (const double total : {1.0, 0.25, 10.0}) {
    expect_agreement([=](const Exec& exec, const Matrix& a,
                         const Columns& c) { project_simplex(exec, a, c, total); },
                     [=](const Numbers& v) { return reference::project_simplex(v, total); });
  }
}

TEST(Project, SoftThresholdAgreesWithPlainLoops) {
  for (const double threshold : {0.0, 0.125, 5.0}) {
    expect_agreement([=](const Exec& exec, const Matrix& a,
                         const Columns& c) { soft_threshold(exec, a, c, threshold); },
                     [=](const Numbers& v) { return reference::soft_threshold(v, threshold); });
  }
}

/// (v - p)'(q - p) <= 0 for the corners q of the simplex, and p lies in it.
TEST(Project, SimplexIsTheNearestPoint) {
  const Exec exec;
  const Columns columns{0, 50};
  const Matrix a = make_rows(50, 1), old = make_rows(50, 1);
  project_simplex(exec, a, columns, 1);
  fence(exec, "test");
  for (std::int64_t i = 0; i < rows_count; ++i) {
    const Numbers p = take(a, i, columns), v = take(old, i, columns);
    double sum = 0, at_p = 0;
    for (std::size_t j = 0; j < p.size(); ++j) {
      EXPECT_GE(p[j], 0);
      sum += p[j];
      at_p += (v[j] - p[j]) * p[j];
    }
    EXPECT_NEAR(sum, 1, 50 * tolerance);
    for (std::size_t j = 0; j < p.size(); ++j) EXPECT_LE(v[j] - p[j], at_p + 50 * tolerance);
  }
}

TEST(Project, SimplexKeepsItsPointsAndTakesTies) {
  const Exec exec;
  const Matrix a = make_matrix("test::rows", 2, 4);
  const auto host = Kokkos::create_mirror_view(a);
  const double inside[] = {0.5, 0.25, 0, 0.25};
  for (std::size_t j = 0; j < 4; ++j) {
    host(0, j) = static_cast<Real>(inside[j]);
    host(1, j) = Real(7);
  }
  Kokkos::deep_copy(a, host);
  project_simplex(exec, a, {0, 4}, 1);
  fence(exec, "test");
  EXPECT_EQ(take(a, 0, {0, 4}), Numbers(std::begin(inside), std::end(inside)));
  EXPECT_EQ(take(a, 1, {0, 4}), Numbers(4, 0.25));
}

/// Geometric numbers: Newton's method drops few of them at a time.
TEST(Project, SimplexEndsOnGeometricNumbers) {
  const Exec exec;
  const Matrix a = make_matrix("test::rows", 1, 60);
  const auto host = Kokkos::create_mirror_view(a);
  for (std::size_t j = 0; j < 60; ++j) host(0, j) = static_cast<Real>(std::exp2(-double(j)));
  Kokkos::deep_copy(a, host);
  const Numbers expected = reference::project_simplex(take(a, 0, {0, 60}), 0.01);
  project_simplex(exec, a, {0, 60}, 0.01);
  fence(exec, "test");
  const Numbers got = take(a, 0, {0, 60});
  for (std::size_t j = 0; j < 60; ++j) EXPECT_NEAR(got[j], expected[j], tolerance);
}

TEST(Project, ANanStaysInItsRow) {
  const Exec exec;
  const Columns all{0, 20};
  const Kernel kernels[] = {
      [](const Exec& e, const Matrix& a, const Columns& c) { project_ball(e, a, c, 0.5); },
      [](const Exec& e, const Matrix& a, const Columns& c) { project_box(e, a, c, -0.5, 0.5); },
      [](const Exec& e, const Matrix& a, const Columns& c) { project_simplex(e, a, c, 1); },
      [](const Exec& e, const Matrix& a, const Columns& c) { soft_threshold(e, a, c, 0.5); }};
  for (const auto& kernel : kernels) {
    const Matrix a = make_rows(20, 1), clean = make_rows(20, 1);
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
    host(1, 3) = std::numeric_limits<Real>::quiet_NaN();
    Kokkos::deep_copy(a, host);
    kernel(exec, a, all);
    kernel(exec, clean, all);
    fence(exec, "test");
    EXPECT_TRUE(std::isnan(take(a, 1, all)[3]));
    for (const std::int64_t i : {0, 2, 3}) EXPECT_EQ(take(a, i, all), take(clean, i, all));
  }
}

}  // namespace
}  // namespace parley
