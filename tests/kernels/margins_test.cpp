// SPDX-License-Identifier: BSD-3-Clause
// Losses, slopes, sums and column operations against plain formulas, for drawn and full batches of
// unequal size, with and without offsets.
#include "kernels/margins.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/reference/margins.hpp"
#include "kernels/row_batches.hpp"

namespace parley {
namespace {

using namespace parley::testing;

constexpr double tolerance = sizeof(Real) == 4 ? 1e-6 : 1e-14;
constexpr RowLoss losses[] = {RowLoss::squared, RowLoss::log_quadratic, RowLoss::logistic};

/// Margin and answer of (m, i) by the definition.
struct Point {
  double t, y;
};
Point point_at(bool random, int kind, std::int64_t m, std::size_t i) {
  const std::int64_t width = random ? 4 : 5;
  const double y = rows_seen(random, m)[i] % 2 == 0 ? -1 : 1;
  const double offset = m == 0 ? 0.3 : -0.4;
  const double t = 3 * number(1, m * width + static_cast<std::int64_t>(i));
  return {kind == 0 ? t : (kind == 1 ? t + offset : t - y * offset), y};
}

TEST(Margins, LossesSlopesAndSumsFollowTheFormulas) {
  const Exec exec;
  for (const bool random : {false, true}) {
    for (const int kind : {0, 1, 2}) {
      const Margins margins = make_margins(random, kind > 0, kind == 2);
      const auto width = static_cast<std::size_t>(margins.batch.width);
      const Doubles weights = upload<Doubles>(Numbers{0.5, 2});
      for (const RowLoss loss : losses) {
        const Doubles values("values", 2 * width), slopes("slopes", 2 * width), sums("sums", 2);
        const Doubles totals("totals", 2);
        row_losses(exec, loss, margins, values);
        row_slopes(exec, loss, margins, weights, slopes, sums);
        sum_over_rows(exec, margins.batch, values, totals);
        fence(exec, "test");
        for (std::int64_t m = 0; m < 2; ++m) {
          double sum = 0, total = 0;
          for (std::size_t i = 0; i < rows_seen(random, m).size(); ++i) {
            const Point at = point_at(random, kind, m, i);
            const std::size_t place = static_cast<std::size_t>(m) * width + i;
            const double value = reference::row_loss(loss, at.t, at.y);
            const double slope = (m == 0 ? 0.5 : 2) * reference::row_slope(loss, at.t, at.y);
            EXPECT_NEAR(download(values)[place], value, 1e-13);
            EXPECT_NEAR(download(slopes)[place], slope, 1e-8);
            total += value;
            sum += kind == 2 ? at.y * slope : slope;
          }
          EXPECT_NEAR(download(sums)[static_cast<std::size_t>(m)], sum, 1e-8);
          EXPECT_NEAR(download(totals)[static_cast<std::size_t>(m)], total, 1e-12);
        }
      }
    }
  }
}

TEST(Margins, LogisticLossNeitherOverflowsNorCancels) {
  const Exec exec;
  Margins margins = make_margins(false, false, false);
  margins.products = upload<Doubles>(Numbers{-800, 800, 40, 0, 0, 0, 0, 0, 0, 0});
  const Doubles values("values", 10), slopes("slopes", 10), sums("sums", 2);
  row_losses(exec, RowLoss::logistic, margins, values);
  row_slopes(exec, RowLoss::logistic, margins, upload<Doubles>(Numbers{1, 1}), slopes, sums);
  fence(exec, "test");
  // Answers -1, 1, -1: y t = 800, 800, -40.
  EXPECT_EQ(download(values)[0], 0);
  EXPECT_EQ(download(values)[1], 0);
  EXPECT_NEAR(download(values)[2], 40, 1e-14);
  EXPECT_EQ(download(slopes)[0], 0);
  EXPECT_NEAR(download(slopes)[2], 1, 1e-14);
}

TEST(Margins, MatchesAreCounted) {
  const Exec exec;
  const Margins margins = make_margins(false, true, false);
  const Doubles counts("counts", 2);
  count_matches(exec, margins, counts);
  fence(exec, "test");
  for (std::int64_t m = 0; m < 2; ++m) {
    int expected = 0;
    for (std::size_t i = 0; i < rows_seen(false, m).size(); ++i) {
      const Point at = point_at(false, 1, m, i);
      expected += at.t * at.y > 0 ? 1 : 0;
    }
    EXPECT_EQ(download(counts)[static_cast<std::size_t>(m)], expected);
  }
}

TEST(Margins, ColumnsAreCombinedInPlace) {
  const Exec exec;
  const std::int64_t width = 4 * row_alignment, u = 0, v = row_alignment, size = 7;
  const Matrix z = make_rows(2, width), f = make_rows(3, width);
  const Doubles scales = upload<Doubles>(Numbers{0.5, -3});
  const Doubles dots("dots", 2), squares("squares", 2);
  const Numbers before = columns_of_row(f, 1, 0, width);
  add_columns(exec, z, v, 2, scales, f, u, size);
  set_columns(exec, z, u, -1, {}, f, v, size);
  row_dots(exec, z, u, v, size, dots);
  squares_about(exec, z, v, size, 0.25, squares);
  fence(exec, "test");
  const Numbers a = columns_of_row(z, 1, u, size), b = columns_of_row(z, 1, v, size);
  const Numbers after = columns_of_row(f, 1, 0, width);
  double dot = 0, square = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    EXPECT_NEAR(after[j], before[j] - 6 * b[j], 10 * tolerance);
    EXPECT_NEAR(after[static_cast<std::size_t>(v) + j], -a[j], tolerance);
    dot += a[j] * b[j];
    square += (b[j] - 0.25) * (b[j] - 0.25);
  }
  EXPECT_EQ(after[7], before[7]);
  EXPECT_NEAR(download(dots)[1], dot, 1e-14);
  EXPECT_NEAR(download(squares)[1], square, 1e-14);
}

/// Slopes of a function of a row's columns by central differences.
template <class Value>
Numbers slopes_of(const Numbers& at, const Value& value) {
  Numbers slopes;
  for (std::size_t j = 0; j < at.size(); ++j) {
    Numbers up = at, down = at;
    up[j] += 1e-5;
    down[j] -= 1e-5;
    slopes.push_back((value(up) - value(down)) / 2e-5);
  }
  return slopes;
}

TEST(Margins, RegularisersAndTheirGradientsAgree) {
  const Exec exec;
  const std::int64_t size = 9;
  const Matrix z = make_rows(4, 2 * row_alignment);
  const Doubles scales = upload<Doubles>(Numbers{0.5, -3});
  const Numbers w = columns_of_row(z, 1, 0, size);
  const double close = sizeof(Real) == 4 ? 1e-5 : 1e-8;
  for (const Norm norm : {Norm::l1, Norm::l2}) {
    const Matrix f = make_matrix("f", 2, 2 * row_alignment);
    const Doubles lengths("lengths", 2);
    row_lengths(exec, norm, z, 0, size, 0.7, lengths);
    add_length_slopes(exec, norm, z, 0, size, 2, scales, f);
    fence(exec, "test");
    EXPECT_NEAR(download(lengths)[1], 0.7 * reference::length(norm, w), 1e-14);
    const Numbers truth =
        slopes_of(w, [&](const Numbers& v) { return reference::length(norm, v); });
    const Numbers got = columns_of_row(f, 1, 0, size);
    for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(got[j], -6 * truth[j], 10 * close);
  }
  const Matrix f = make_matrix("f", 2, 2 * row_alignment);
  const Doubles values("values", 2);
  add_saturating(exec, {0.3, 10}, z, 0, size, f);
  saturating_values(exec, {0.3, 10}, z, 0, size, values);
  fence(exec, "test");
  EXPECT_NEAR(download(values)[1], 0.3 * reference::saturating(w, 10), 1e-14);
  const Numbers truth =
      slopes_of(w, [](const Numbers& v) { return 0.3 * reference::saturating(v, 10); });
  const Numbers got = columns_of_row(f, 1, 0, size);
  for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(got[j], truth[j], close);
}

TEST(Margins, ALengthHasNoSlopeAtTheOrigin) {
  const Exec exec;
  const Matrix zero = make_matrix("z", 2, row_alignment), f = make_matrix("f", 2, row_alignment);
  for (const Norm norm : {Norm::l1, Norm::l2}) {
    add_length_slopes(exec, norm, zero, 0, 5, 1, upload<Doubles>(Numbers{1, 1}), f);
  }
  fence(exec, "test");
  EXPECT_EQ(columns_of_row(f, 0, 0, 5), Numbers(5, 0.0));
}

}  // namespace
}  // namespace parley
