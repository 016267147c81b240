// SPDX-License-Identifier: BSD-3-Clause
// Random numbers: the published known answers of Philox-4x32-10, ranges, moments, and that host and
// kernels draw the same.
#include "kernels/philox.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "kernels/types.hpp"

namespace parley {
namespace {

/// A sequence whose counter words are w1 = agent << 8 | purpose, w2 and w3 = draw.
Philox sequence(std::uint32_t w1, std::uint64_t draw, std::uint64_t seed) {
  return {seed, static_cast<Purpose>(w1 & 0xFFU), static_cast<std::int64_t>(w1 >> 8U), draw};
}

void expect_words(const Words& got, const std::array<std::uint32_t, 4>& expected) {
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(got.w[i], expected[i]) << "word " << i;
}

/// uniform, normal and below(1000) number 0, 1, ... n - 1, drawn on the device.
Doubles draw_in_kernel(const Philox& random, std::int64_t n) {
  const Doubles drawn("test::drawn", static_cast<std::size_t>(3 * n));
  const Exec exec;
  Kokkos::parallel_for(
      "test::draw", Range(exec, 0, n), KOKKOS_LAMBDA(const std::int64_t i) {
        const auto at = static_cast<std::size_t>(3 * i);
        const auto index = static_cast<std::uint64_t>(i);
        drawn(at) = random.uniform(index);
        drawn(at + 1) = random.normal(index);
        drawn(at + 2) = static_cast<double>(random.below(index, 1000));
      });
  fence(exec, "test");
  return drawn;
}

// The known answers that accompany Salmon et al. 2011 (zeros, ones, digits of pi).
TEST(Philox, GivesThePublishedWords) {
  expect_words(sequence(0, 0, 0)(0), {0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U});
  expect_words(sequence(0xffffffffU, ~std::uint64_t{0}, ~std::uint64_t{0})(0xffffffffU),
               {0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU});
  expect_words(sequence(0x85a308d3U, 0x0370734413198a2eU, 0x299f31d0a4093822U)(0x243f6a88U),
               {0xd16cfe09U, 0x94fdccebU, 0x5001e420U, 0x24126ea1U});
}

TEST(Philox, EveryPartOfTheKeyMatters) {
  const Philox base{1, Purpose::batch, 2, 3};
  const Philox others[] = {{2, Purpose::batch, 2, 3},
                           {1, Purpose::noise, 2, 3},
                           {1, Purpose::batch, 3, 3},
                           {1, Purpose::batch, 2, 4},
                           {1, Purpose::batch, 2, 3 + (std::uint64_t{1} << 32U)},
                           {1 + (std::uint64_t{1} << 32U), Purpose::batch, 2, 3}};
  std::set<double> seen{base.uniform(0)};
  for (const Philox& other : others) EXPECT_TRUE(seen.insert(other.uniform(0)).second);
}

TEST(Philox, UniformIsMadeOf53BitsOfTheWords) {
  const Philox random{5, Purpose::noise, 1, 9};
  for (const std::uint64_t i : {0U, 1U, 2U, 7U}) {
    const Words words = random(i / 2);
    const double high = words.w[2 * (i % 2)], low = words.w[2 * (i % 2) + 1];
    EXPECT_NEAR(random.uniform(i), (high + low * 0x1.0p-32) * 0x1.0p-32, 0x1.0p-52);
  }
}

TEST(Philox, UniformsLieInsideAndAreEven) {
  const Philox random{3, Purpose::noise, 0, 0};
  constexpr std::uint64_t n = 400000;
  double sum = 0, squares = 0, lag = 0, former = 0.5, smallest = 1, largest = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double u = random.uniform(i);
    ASSERT_TRUE(u > 0 && u < 1);
    sum += u - 0.5;
    squares += (u - 0.5) * (u - 0.5);
    lag += (u - 0.5) * (former - 0.5);
    former = u;
    smallest = std::min(smallest, u);
    largest = std::max(largest, u);
  }
  // Five standard deviations of the mean, the variance and the covariance of neighbours.
  const double root = std::sqrt(static_cast<double>(n));
  EXPECT_NEAR(sum / n, 0, 5 * std::sqrt(1.0 / 12) / root);
  EXPECT_NEAR(squares / n, 1.0 / 12, 5 * std::sqrt(1.0 / 180) / root);
  EXPECT_NEAR(lag / n, 0, 5.0 / 12 / root);
  EXPECT_LT(smallest, 1e-4);
  EXPECT_GT(largest, 1 - 1e-4);
}

TEST(Philox, NormalsHaveTheMomentsOfTheNormalDistribution) {
  const Philox random{8, Purpose::init, 4, 2};
  constexpr std::uint64_t n = 400000;
  double m1 = 0, m2 = 0, m3 = 0, m4 = 0, pairs = 0, beyond_two = 0;
  for (std::uint64_t i = 0; i < n; i += 2) {
    const double a = random.normal(i), b = random.normal(i + 1);
    pairs += a * b;
    for (const double x : {a, b}) {
      m1 += x;
      m2 += x * x;
      m3 += x * x * x;
      m4 += x * x * x * x;
      beyond_two += std::abs(x) > 2 ? 1 : 0;
    }
  }
  // Five standard deviations: variances of the powers are 1, 2, 15 and 96.
  const double root = std::sqrt(static_cast<double>(n));
  EXPECT_NEAR(m1 / n, 0, 5 / root);
  EXPECT_NEAR(m2 / n, 1, 5 * std::sqrt(2.0) / root);
  EXPECT_NEAR(m3 / n, 0, 5 * std::sqrt(15.0) / root);
  EXPECT_NEAR(m4 / n, 3, 5 * std::sqrt(96.0) / root);
  EXPECT_NEAR(pairs / (n / 2), 0, 5 * std::sqrt(2.0) / root);
  EXPECT_NEAR(beyond_two / n, std::erfc(std::sqrt(2.0)), 5 * 0.208 / root);
}

TEST(Philox, BelowStaysBelowAndIsEven) {
  const Philox random{6, Purpose::batch, 0, 0};
  for (const std::int64_t bound : {1, 2, 3, 1000, 2147483647}) {
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const std::int64_t draw = random.below(i, bound);
      ASSERT_TRUE(draw >= 0 && draw < bound);
    }
  }
  constexpr std::int64_t bound = 6, n = 60000;
  std::array<double, bound> seen{};
  for (std::int64_t i = 0; i < n; ++i) {
    ++seen[static_cast<std::size_t>(random.below(static_cast<std::uint64_t>(i), bound))];
  }
  double chi_squared = 0;
  for (const double count : seen) chi_squared += (count - 1e4) * (count - 1e4) / 1e4;
  EXPECT_LT(chi_squared, 25.7);  // 5 degrees of freedom: exceeded once in 10,000 seeds
  EXPECT_GT(chi_squared, 0.1);
}

TEST(Philox, KernelsDrawWhatTheHostDraws) {
  const Philox random{11, Purpose::noise, 7, 5};
  constexpr std::int64_t n = 100;
  const Doubles drawn = draw_in_kernel(random, n);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), drawn);
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(3 * i);
    const auto index = static_cast<std::uint64_t>(i);
    EXPECT_EQ(host(at), random.uniform(index));
    EXPECT_NEAR(host(at + 1), random.normal(index), 1e-14);
    EXPECT_EQ(host(at + 2), static_cast<double>(random.below(index, 1000)));
  }
}

}  // namespace
}  // namespace parley
