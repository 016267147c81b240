// SPDX-License-Identifier: BSD-3-Clause
// Compression kernels against plain code, to the last bit: selection with ties and signs, indices,
// bfloat16 at its edges, the step of the difference memory.
#include "kernels/compress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "kernels/reference/compress.hpp"

namespace parley::test {
namespace {

using IndexView = Kokkos::View<std::int32_t*, Memory>;

Vector on_device(const std::vector<Real>& values) {
  Vector out = make_vector("test::values", static_cast<std::int64_t>(values.size()));
  const auto host = Kokkos::create_mirror_view(out);
  std::copy(values.begin(), values.end(), host.data());
  Kokkos::deep_copy(out, host);
  return out;
}

template <class View>
auto on_host_side(const View& values) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
  return std::vector<typename View::non_const_value_type>(host.data(),
                                                          host.data() + host.extent(0));
}

void expect_largest(const std::vector<Real>& row, std::size_t count) {
  SCOPED_TRACE(std::to_string(count) + " of " + std::to_string(row.size()));
  const IndexView index("test::index", count);
  const Vector value = make_vector("test::value", static_cast<std::int64_t>(count));
  const auto size = static_cast<std::int64_t>(row.size());
  take_largest(Exec(), Selection(size), on_device(row).data(), size,
               static_cast<std::int64_t>(count), index.data(), value.data());
  const auto expected = reference::largest(row, count);
  EXPECT_EQ(on_host_side(index), expected);
  std::vector<Real> values;
  for (const std::int32_t i : expected) values.push_back(row[static_cast<std::size_t>(i)]);
  EXPECT_EQ(on_host_side(value), values);
}

TEST(TakeLargest, equals_a_stable_sort_on_random_rows) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (const std::size_t size : {1U, 2U, 50U, 1023U, 1024U, 1025U, 5000U}) {
    std::vector<Real> row(size);
    // Magnitudes over many decades, so that every digit of the keys decides somewhere.
    for (Real& x : row) x = static_cast<Real>(normal(random) * std::pow(10.0, 8 * normal(random)));
    for (const std::size_t count : {std::size_t{1}, size / 10 + 1, size / 2 + 1, size}) {
      if (count <= size) expect_largest(row, count);
    }
  }
}

TEST(TakeLargest, ties_go_to_the_lower_indices) {
  std::vector<Real> row(3000);
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] = static_cast<Real>(i % 7) * (i % 2 == 0 ? Real(1) : Real(-1));
  }
  for (const std::size_t count : {1U, 428U, 429U, 1000U, 1500U, 2999U, 3000U}) {
    expect_largest(row, count);
  }
  expect_largest(std::vector<Real>(2100, Real(-2.5)), 1100);
  expect_largest(std::vector<Real>(2100, Real(0)), 7);
}

TEST(TakeLargest, sees_the_smallest_and_largest_numbers) {
  using Limits = std::numeric_limits<Real>;
  expect_largest({Limits::denorm_min(), Real(0), -Limits::max(), Limits::min(), -Real(0),
                  -Limits::denorm_min(), Limits::infinity()},
                 5);
}

TEST(Indices, take_and_spread) {
  const std::vector<Real> row = {5, 4, 3, 2, 1};
  const std::vector<std::int32_t> wanted = {0, 3, 4};
  const IndexView index("test::index", wanted.size());
  const auto host = Kokkos::create_mirror_view(index);
  std::copy(wanted.begin(), wanted.end(), host.data());
  Kokkos::deep_copy(index, host);
  const Vector value = make_vector("test::value", 3);
  take(Exec(), on_device(row).data(), index.data(), 3, value.data());
  Exec().fence();
  EXPECT_EQ(on_host_side(value), (std::vector<Real>{5, 2, 1}));
  const Vector back = on_device({9, 9, 9, 9, 9});
  spread(Exec(), index.data(), value.data(), 3, 5, back.data());
  Exec().fence();
  EXPECT_EQ(on_host_side(back), reference::spread(wanted, {5, 2, 1}, 5));
}

/// What a row becomes by way of bfloat16.
std::vector<Real> through_bfloat16(const std::vector<Real>& row) {
  const auto size = static_cast<std::int64_t>(row.size());
  const Kokkos::View<std::uint16_t*, Memory> bits("test::bits", row.size());
  const Vector back = make_vector("test::back", size);
  to_bfloat16(Exec(), on_device(row).data(), size, bits.data());
  from_bfloat16(Exec(), bits.data(), size, back.data());
  Exec().fence();
  return on_host_side(back);
}

TEST(Bfloat16, rounds_to_the_nearest_of_eight_bits_ties_to_even) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<Real> row;
  for (int n = 0; n < 4000; ++n) {
    const double exponent = std::clamp(10 * normal(random), -37.0, 37.0);
    row.push_back(static_cast<Real>(normal(random) * std::pow(10.0, exponent)));
  }
  // Ties: 1 + odd multiples of 2^-8; just above and below them; whole numbers; zero of both signs.
  for (int n = 1; n < 512; ++n) {
    const Real tie = Real(1) + static_cast<Real>(n) / Real(256);
    row.insert(row.end(), {tie, -tie, std::nextafter(tie, Real(0)), std::nextafter(tie, Real(9))});
  }
  const auto found = through_bfloat16(row);
  for (std::size_t i = 0; i < row.size(); ++i) {
    ASSERT_EQ(static_cast<double>(found[i]),
              reference::nearest_bfloat16(static_cast<double>(row[i])))
        << row[i];
  }
}

TEST(Bfloat16, keeps_signs_of_zero_and_stays_finite) {
  const auto found = through_bfloat16({Real(0), -Real(0), std::numeric_limits<Real>::max(),
                                       std::numeric_limits<Real>::lowest(),
                                       std::numeric_limits<Real>::denorm_min()});
  const Real largest = static_cast<Real>(std::ldexp(2.0 - std::ldexp(1.0, -7), 127));
  EXPECT_EQ(found, (std::vector<Real>{0, 0, largest, -largest, 0}));
  EXPECT_TRUE(std::signbit(found[1]));
}

TEST(Absorb, moves_memory_pull_and_rows) {
  const std::int64_t rows = 3, columns = 2 * row_alignment;
  const auto matrix = [&](double seed) {
    Matrix m = make_matrix("test::rows", rows, columns);
    const auto host = Kokkos::create_mirror_view(m);
    for (std::size_t i = 0; i < host.size(); ++i) {
      host.data()[i] = static_cast<Real>(std::sin(seed + static_cast<double>(i)));
    }
    Kokkos::deep_copy(m, host);
    return m;
  };
  const auto value = [](double seed, std::size_t i) {
    return static_cast<Real>(std::sin(seed + static_cast<double>(i)));
  };
  const Difference all{matrix(1), matrix(2), matrix(3), matrix(4), matrix(5)};
  absorb(Exec(), 0.3, all);
  Exec().fence();
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all.x);
  const auto pull = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all.pull);
  const auto memory = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all.memory);
  const double tolerance = on_host ? 0 : 1e-6;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Real pulled = value(4, i) + (value(1, i) - value(2, i));
    EXPECT_NEAR(pull.data()[i], pulled, tolerance);
    EXPECT_NEAR(memory.data()[i], value(3, i) + value(2, i), tolerance);
    EXPECT_NEAR(x.data()[i], value(5, i) + static_cast<Real>(0.3) * pulled, tolerance);
  }
}

}  // namespace
}  // namespace parley::test
