// SPDX-License-Identifier: BSD-3-Clause
// The AUC game's rows against its plain formula and central differences, and the classes' moments.
#include "kernels/auc.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "kernels/reference/margins.hpp"
#include "kernels/row_batches.hpp"

namespace parley {
namespace {

using namespace parley::testing;

constexpr AucPlaces places{0.3, row_alignment, row_alignment + 1, row_alignment + 2};

/// weight sum_i of the rows of agent m at `point`, one margin moved by `shift`.
double value_at(const reference::AucPoint& point, bool random, std::int64_t m, double weight,
                std::size_t moved = 99, double shift = 0) {
  double sum = 0;
  const auto seen = rows_seen(random, m);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const double h = 3 * number(1, m * (random ? 4 : 5) + std::int64_t(i));
    sum += reference::auc_row(point, h + (i == moved ? shift : 0), seen[i] % 2 != 0);
  }
  return weight * sum;
}

TEST(Auc, FieldIsTheSlopeOfTheValue) {
  const Exec exec;
  const double h = 1e-5, close = sizeof(Real) == 4 ? 1e-5 : 1e-8;
  for (const bool random : {false, true}) {
    const Margins margins = make_margins(random, false, false);
    const auto width = static_cast<std::size_t>(margins.batch.width);
    const Matrix z = make_rows(2, 2 * row_alignment), f = make_rows(3, 2 * row_alignment);
    const Doubles slopes("slopes", 2 * width), values("values", 2 * width), sums("sums", 2);
    auc_field(exec, margins, places, z, upload<Doubles>(Numbers{0.5, 2}), slopes, f);
    auc_values(exec, margins, places, z, values);
    sum_over_rows(exec, margins.batch, values, sums);
    fence(exec, "test");
    for (std::int64_t m = 0; m < 2; ++m) {
      const double weight = m == 0 ? 0.5 : 2;
      const Numbers at = columns_of_row(z, m, places.a, 3), got = columns_of_row(f, m, places.a, 3);
      const reference::AucPoint point{places.p, at[0], at[1], at[2]};
      EXPECT_NEAR(weight * download(sums)[static_cast<std::size_t>(m)],
                  value_at(point, random, m, weight), 1e-12);
      for (std::size_t k = 0; k < 3; ++k) {
        auto up = point, down = point;
        double* const ups[] = {&up.a, &up.b, &up.alpha};
        double* const downs[] = {&down.a, &down.b, &down.alpha};
        *ups[k] += h;
        *downs[k] -= h;
        const double slope =
            (value_at(up, random, m, weight) - value_at(down, random, m, weight)) / (2 * h);
        EXPECT_NEAR(got[k], k == 2 ? -slope : slope, close);
      }
      for (std::size_t i = 0; i < rows_seen(random, m).size(); ++i) {
        const double slope =
            (value_at(point, random, m, weight, i, h) - value_at(point, random, m, weight, i, -h)) /
            (2 * h);
        EXPECT_NEAR(download(slopes)[static_cast<std::size_t>(m) * width + i], slope, 1e-8);
      }
    }
  }
}

TEST(Auc, MomentsBelongToTheClasses) {
  const Exec exec;
  const Margins margins = make_margins(false, false, false);
  const Doubles moments("moments", 12);
  class_moments(exec, margins, moments);
  fence(exec, "test");
  Numbers truth(12, 0.0);
  for (std::int64_t m = 0; m < 2; ++m) {
    const auto seen = rows_seen(false, m);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const double h = 3 * number(1, m * 5 + std::int64_t(i));
      const std::size_t first = static_cast<std::size_t>(6 * m) + (seen[i] % 2 != 0 ? 0 : 3);
      truth[first] += 1;
      truth[first + 1] += h;
      truth[first + 2] += h * h;
    }
  }
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(download(moments)[i], truth[i], 1e-13);
}

}  // namespace
}  // namespace parley
