// SPDX-License-Identifier: BSD-3-Clause
// Softmax, logarithm, cross-entropy and hits against plain loops; what they must leave alone.
#include "kernels/softmax.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/reference/softmax.hpp"

namespace parley {
namespace {

constexpr double tolerance = sizeof(Real) == 4 ? 3e-7 : 2e-15;
using Numbers = std::vector<double>;
constexpr std::int64_t rows_count = 5;

Matrix make_rows(std::int64_t width, double scale) {
  const Matrix a = make_matrix("test::rows", rows_count, width);
  const auto host = Kokkos::create_mirror_view(a);
  for (std::size_t i = 0; i < host.size(); ++i) {
    host.data()[i] = static_cast<Real>(scale * std::sin(0.3 + 1.9 * static_cast<double>(i)));
  }
  Kokkos::deep_copy(a, host);
  return a;
}

Numbers row_of(const Matrix& a, std::int64_t i, std::int64_t begin, std::int64_t size) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  const Real* const first = host.data() + i * columns_of(a) + begin;
  return {first, first + size};
}

class Sizes : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(Sizes, SoftmaxAndItsLogarithm) {
  const Exec exec;
  for (const double scale : {0.1, 4.0, 900.0}) {
    const std::int64_t width = 3 + GetParam() + 2;
    const Matrix a = make_rows(width, scale), old = make_rows(width, scale);
    softmax_columns(exec, a, {3, GetParam()});
    fence(exec, "test");
    for (std::int64_t i = 0; i < rows_count; ++i) {
      const Numbers got = row_of(a, i, 3, GetParam());
      const Numbers expected = reference::softmax(row_of(old, i, 3, GetParam()));
      for (std::size_t j = 0; j < got.size(); ++j) EXPECT_NEAR(got[j], expected[j], tolerance);
      EXPECT_EQ(row_of(a, i, 0, 3), row_of(old, i, 0, 3));
      EXPECT_EQ(row_of(a, i, 3 + GetParam(), 2), row_of(old, i, 3 + GetParam(), 2));
    }
    const Matrix again = make_matrix("test::again", rows_count, width);
    Kokkos::deep_copy(again, a);
    log_columns(exec, again, {3, GetParam()});
    softmax_columns(exec, again, {3, GetParam()});
    fence(exec, "test");
    for (std::int64_t i = 0; i < rows_count; ++i) {
      const Numbers got = row_of(again, i, 3, GetParam()), was = row_of(a, i, 3, GetParam());
      for (std::size_t j = 0; j < got.size(); ++j) EXPECT_NEAR(got[j], was[j], 20 * tolerance);
    }
  }
}

TEST_P(Sizes, CrossEntropySlopesAndHits) {
  const Exec exec;
  const std::int64_t count = GetParam();
  const Matrix scores = make_rows(count + 1, 3), slopes = make_rows(count + 1, 1);
  const Indices classes("test::classes", rows_count);
  const auto host = Kokkos::create_mirror_view(classes);
  for (std::int64_t i = 0; i < rows_count; ++i) host(static_cast<std::size_t>(i)) = i % count;
  Kokkos::deep_copy(classes, host);
  const Doubles terms("test::terms", rows_count), loss("test::loss", 1), hits("test::hits", 1);
  const ClassBatch batch{scores, classes, rows_count, count};
  cross_entropy(exec, batch, slopes, terms, loss);
  count_hits(exec, batch, terms, hits);
  fence(exec, "test");
  double value = 0, right = 0;
  for (std::int64_t i = 0; i < rows_count; ++i) {
    const auto c = static_cast<std::size_t>(i % count);
    const Numbers row = row_of(scores, i, 0, count), got = row_of(slopes, i, 0, count);
    value += reference::cross_entropy(row, c) / rows_count;
    right += reference::hit(row, c) ? 1 : 0;
    for (std::size_t j = 0; j < row.size(); ++j) {
      Numbers up = row, down = row;
      up[j] += 1e-5;
      down[j] -= 1e-5;
      const double slope =
          (reference::cross_entropy(up, c) - reference::cross_entropy(down, c)) / 2e-5;
      EXPECT_NEAR(got[j], slope / rows_count, 1e-9 + tolerance);
    }
  }
  EXPECT_NEAR(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), loss)(0), value, 1e-13);
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), hits)(0), right);
}

INSTANTIATE_TEST_SUITE_P(Columns, Sizes, ::testing::Values(1, 2, 10, 16, 33, 700));

TEST(Softmax, ANanStaysInItsRow) {
  const Exec exec;
  const Matrix a = make_rows(4, 1);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  host(1, 2) = std::numeric_limits<Real>::quiet_NaN();
  Kokkos::deep_copy(a, host);
  softmax_columns(exec, a, {0, 4});
  log_columns(exec, a, {0, 4});
  fence(exec, "test");
  const Numbers bad = row_of(a, 1, 0, 4), good = row_of(a, 2, 0, 4);
  EXPECT_TRUE(std::isnan(bad[0]) && std::isnan(bad[2]));
  for (const double value : good) EXPECT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace parley
