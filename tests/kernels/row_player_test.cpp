// SPDX-License-Identifier: BSD-3-Clause
// Players with numbers for every training row against their definition: rows that are drawn twice
// count twice, entries of rows that an agent does not see move by their own terms only.
#include "kernels/row_player.hpp"

#include <gtest/gtest.h>

#include "kernels/row_batches.hpp"

namespace parley {
namespace {

using namespace parley::testing;

constexpr double tolerance = sizeof(Real) == 4 ? 2e-6 : 1e-13;
constexpr std::int64_t w_column = 0, d_column = row_alignment;

std::int64_t number_of(std::int64_t row) {
  return 8 - row;
}

TEST(RowPlayer, WeighsAndIsMovedByItsRows) {
  const Exec exec;
  for (const bool random : {false, true}) {
    const RowBatch batch = make_batch(random);
    const RowPlayer player = make_player(d_column);
    const auto width = static_cast<std::size_t>(batch.width);
    const Matrix z = make_rows(2, 3 * row_alignment), f = make_rows(3, 3 * row_alignment);
    Numbers given;
    for (std::size_t i = 0; i < 2 * width; ++i) given.push_back(number(5, std::int64_t(i)));
    const Doubles values = upload<Doubles>(given), weights = upload<Doubles>(Numbers{0.5, 2});
    player_field(exec, batch, player, 0.125, z, weights, values, f);
    scale_by_player(exec, batch, player, z, values);
    fence(exec, "test");
    for (std::int64_t m = 0; m < 2; ++m) {
      const Numbers y = columns_of_row(z, m, d_column, table_rows);
      Numbers truth = y;
      for (double& each : truth) each -= 0.125;
      const auto seen = rows_seen(random, m);
      for (std::size_t i = 0; i < seen.size(); ++i) {
        const auto at = static_cast<std::size_t>(number_of(seen[i]));
        const double value = given[static_cast<std::size_t>(m) * width + i];
        truth[at] -= (m == 0 ? 0.5 : 2) * value;
        EXPECT_NEAR(download(values)[static_cast<std::size_t>(m) * width + i], value * y[at],
                    tolerance);
      }
      const Numbers got = columns_of_row(f, m, d_column, table_rows);
      for (std::size_t n = 0; n < got.size(); ++n) EXPECT_NEAR(got[n], truth[n], tolerance);
    }
  }
}

TEST(RowPlayer, PerturbsItsRows) {
  const Exec exec;
  const std::int64_t all = table_rows * features;
  for (const bool random : {false, true}) {
    const RowBatch batch = make_batch(random);
    const RowPlayer player = make_player(d_column);
    const auto width = static_cast<std::size_t>(batch.width);
    const std::int64_t columns = row_alignment + 64;
    const Matrix z = make_rows(2, columns), f = make_rows(3, columns);
    const Doubles products("products", 2 * width);
    Numbers given;
    for (std::size_t i = 0; i < 2 * width; ++i) given.push_back(number(5, std::int64_t(i)));
    const Numbers before = columns_of_row(f, 1, w_column, features);
    add_perturbed(exec, batch, player, z, w_column, products);
    perturbed_field(exec, batch, player, z, w_column, upload<Doubles>(given), f);
    fence(exec, "test");
    const Numbers w = columns_of_row(z, 1, w_column, features);
    const Numbers d = columns_of_row(z, 1, d_column, all);
    Numbers by_w = before, by_d(static_cast<std::size_t>(all), 0.0);
    const auto seen = rows_seen(random, 1);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const double slope = given[width + i];
      double product = 0;
      for (std::size_t j = 0; j < w.size(); ++j) {
        const auto at = static_cast<std::size_t>(number_of(seen[i]) * features) + j;
        product += d[at] * w[j];
        by_w[j] += slope * d[at];
        by_d[at] -= slope * w[j];
      }
      EXPECT_NEAR(download(products)[width + i], product, tolerance);
    }
    const Numbers got_w = columns_of_row(f, 1, w_column, features);
    const Numbers got_d = columns_of_row(f, 1, d_column, all);
    for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(got_w[j], by_w[j], tolerance);
    for (std::size_t j = 0; j < got_d.size(); ++j) EXPECT_NEAR(got_d[j], by_d[j], tolerance);
  }
}

}  // namespace
}  // namespace parley
