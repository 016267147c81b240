// SPDX-License-Identifier: BSD-3-Clause
// Adam's direction and the optimistic update against the moments as explicit sums.
#include "kernels/optimizer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/reference/optimizer.hpp"

namespace parley {
namespace {

constexpr double tolerance = sizeof(Real) == 4 ? 2e-5 : 1e-12;
constexpr std::int64_t agents = 3, width = 3 * row_alignment + 2, y_begin = row_alignment;

double gradient(std::int64_t t, std::int64_t item) {
  return std::sin(static_cast<double>(3 * t + 1) * (0.1 + static_cast<double>(item % 17)));
}

Matrix filled(Real value) {
  const Matrix a = make_matrix("test::rows", agents, width);
  Kokkos::deep_copy(a, value);
  return a;
}

void fill_gradient(const Matrix& g, std::int64_t t) {
  const auto host = Kokkos::create_mirror_view(g);
  for (std::int64_t i = 0; i < agents * width; ++i) {
    host.data()[i] = static_cast<Real>(gradient(t, i));
  }
  Kokkos::deep_copy(g, host);
}

std::vector<double> values(const Matrix& a) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  return {host.data(), host.data() + host.size()};
}

/// The gradients 1 ... t of one number.
std::vector<double> gradients(std::int64_t t, std::int64_t item) {
  std::vector<double> all;
  for (std::int64_t s = 1; s <= t; ++s) all.push_back(gradient(s, item));
  return all;
}

TEST(AdamDirection, IsTheRatioOfWeightedMeans) {
  const Exec exec;
  for (const double beta1 : {0.0, 0.5, 0.9}) {
    AdamStep step{beta1, 0.95, 1e-3, 0};
    const AdamRows rows{filled(0), filled(0), filled(0), filled(7)};
    for (std::int64_t t = 1; t <= 12; ++t) {
      fill_gradient(rows.gradient, t);
      step.count = t;
      adam_direction(exec, step, rows);
      fence(exec, "test");
      const auto got = values(rows.direction);
      for (std::int64_t i = 0; i < agents * width; ++i) {
        ASSERT_NEAR(got[static_cast<std::size_t>(i)],
                    reference::adam_direction(step, gradients(t, i)), tolerance);
      }
    }
  }
}

/// x moves in every step, y in every third, with a step count of its own.
TEST(AdamDirection, MovesOnePlayerAlone) {
  const Exec exec;
  AdamStep step{0.6, 0.9, 1e-4, 0};
  const AdamRows rows{filled(0), filled(0), filled(0), filled(7)};
  for (std::int64_t t = 1; t <= 9; ++t) {
    for (const Player player : {Player::x, Player::y}) {
      const bool of_x = player == Player::x;
      if (!of_x && t % 3 != 0) continue;
      step.count = of_x ? t : t / 3;
      fill_gradient(rows.gradient, step.count);
      adam_direction(exec, y_begin, player, step, rows);
      fence(exec, "test");
      const auto got = values(rows.direction);
      for (std::int64_t i = 0; i < agents * width; ++i) {
        const bool moves = (i % width < y_begin) == of_x;
        ASSERT_NEAR(got[static_cast<std::size_t>(i)],
                    moves ? reference::adam_direction(step, gradients(step.count, i)) : 0,
                    tolerance);
      }
    }
  }
}

TEST(AdamDirection, LeavesZeroColumnsZero) {
  const Exec exec;
  const AdamRows rows{filled(0), filled(0), filled(0), filled(7)};
  adam_direction(exec, {0.5, 0.9, 1e-8, 1}, rows);
  fence(exec, "test");
  for (const double d : values(rows.direction)) EXPECT_EQ(d, 0);
}

/// u after 10 optimistic steps from 1; `in_place`: base is u itself, else a constant base.
void expect_optimistic(bool in_place) {
  const Exec exec;
  const Pair eta{0.01, 0.03};
  AdamStep step{0.6, 0.9, 1e-4, 0};
  const Matrix u = filled(1), base = in_place ? u : filled(2);
  const OptimisticRows rows{filled(0), filled(0), filled(0), filled(0), base, u};
  std::vector<double> expected(agents * width, 1.0);
  for (std::int64_t t = 1; t <= 10; ++t) {
    fill_gradient(rows.gradient, t);
    step.count = t;
    optimistic_adam(exec, y_begin, step, eta, rows);
    fence(exec, "test");
    for (std::int64_t i = 0; i < agents * width; ++i) {
      const double size = i % width < y_begin ? eta.x : eta.y;
      const double now = reference::adam_direction(step, gradients(t, i));
      const double former = t == 1 ? 0 : reference::adam_direction(step, gradients(t - 1, i));
      auto& entry = expected[static_cast<std::size_t>(i)];
      entry = (in_place ? entry : 2) - 2 * size * now + size * former;
    }
  }
  const auto got = values(u), d = values(rows.previous);
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], expected[i], tolerance);
    ASSERT_NEAR(d[i], reference::adam_direction(step, gradients(10, static_cast<std::int64_t>(i))),
                tolerance);
  }
  if (!in_place) {
    for (const double each : values(base)) EXPECT_EQ(each, 2);
  }
}

TEST(OptimisticAdam, MovesInPlace) {
  expect_optimistic(true);
}
TEST(OptimisticAdam, MovesFromAnotherBase) {
  expect_optimistic(false);
}

}  // namespace
}  // namespace parley
