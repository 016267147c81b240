// SPDX-License-Identifier: BSD-3-Clause
// Batches against plain loops for every stored type, shape and row stride.
#include "kernels/gather.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/reference/gather.hpp"

namespace parley {
namespace {

constexpr double tolerance = sizeof(Real) == 4 ? 3e-7 : 1e-15;

template <class T>
ElementType type_of() {
  if constexpr (std::is_same_v<T, double>) return ElementType::f64;
  if constexpr (std::is_same_v<T, float>) return ElementType::f32;
  return ElementType::u8;
}

template <class T>
StoredRows upload(const std::vector<T>& values, std::int64_t features, double scale, double shift) {
  StoredRows rows{StoredRows::Bytes("rows", values.size() * sizeof(T)), type_of<T>(), features,
                  scale, shift};
  const auto host = Kokkos::create_mirror_view(rows.bytes);
  std::memcpy(host.data(), values.data(), values.size() * sizeof(T));
  Kokkos::deep_copy(rows.bytes, host);
  return rows;
}

HostMatrix download(const Matrix& a) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
}

template <class T>
std::vector<T> make_rows(std::int64_t rows, std::int64_t features) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < rows * features; ++i) {
    const auto number = static_cast<double>((i * 37 + 11) % 251);
    values.push_back(static_cast<T>(std::is_integral_v<T> ? number : number / 7 - 10));
  }
  return values;
}

template <class T>
class Gather : public ::testing::Test {};
using StoredTypes = ::testing::Types<unsigned char, float, double>;
TYPED_TEST_SUITE(Gather, StoredTypes);

TYPED_TEST(Gather, AgreesWithPlainLoops) {
  const Exec exec;
  constexpr double scale = 2.0 / 255, shift = -1;
  for (const std::int64_t features : {1, 2, 17, 64}) {
    const auto values = make_rows<TypeParam>(40, features);
    const StoredRows rows = upload(values, features, scale, shift);
    for (const std::int64_t batch : {1, 5, 100}) {
      const Philox random{7, Purpose::batch, 3, static_cast<std::uint64_t>(batch)};
      const Matrix out = make_matrix("out", batch, features + 3);
      Kokkos::deep_copy(out, Real(9));
      gather_random(exec, rows, {12, 9}, random, out);
      fence(exec, "test");
      const auto expected = reference::gather_random(values, rows, {12, 9}, random, batch);
      const HostMatrix host = download(out);
      for (std::int64_t i = 0; i < batch; ++i) {
        for (std::int64_t j = 0; j < features; ++j) {
          ASSERT_NEAR(static_cast<double>(host(i, j)),
                      expected[static_cast<std::size_t>(i * features + j)], tolerance * 2);
        }
        for (std::int64_t j = features; j < features + 3; ++j) ASSERT_EQ(host(i, j), Real(9));
      }
    }
  }
}

TYPED_TEST(Gather, AllRowsComeInOrder) {
  const Exec exec;
  const auto values = make_rows<TypeParam>(10, 3);
  const StoredRows rows = upload(values, 3, 1, 0);
  const Matrix out = make_matrix("out", 4, 3);
  gather_all(exec, rows, {5, 5}, out);
  fence(exec, "test");
  const HostMatrix host = download(out);
  for (std::int64_t i = 0; i < 4; ++i) {
    for (std::int64_t j = 0; j < 3; ++j) {
      EXPECT_EQ(host(i, j), static_cast<Real>(values[static_cast<std::size_t>((5 + i) * 3 + j)]));
    }
  }
}

TEST(GatherRandom, DrawsEveryRowOfTheRangeEquallyOften) {
  const Exec exec;
  constexpr std::int64_t draws = 70000, count = 7;
  const std::vector<unsigned char> values{90, 91, 0, 1, 2, 3, 4, 5, 6, 92};
  const StoredRows rows = upload(values, 1, 1, 0);
  const Matrix out = make_matrix("out", draws, 1);
  gather_random(exec, rows, {2, count}, {1, Purpose::batch, 0, 0}, out);
  fence(exec, "test");
  const HostMatrix host = download(out);
  std::vector<double> seen(count, 0.0);
  for (std::int64_t i = 0; i < draws; ++i) {
    ASSERT_LT(host(i, 0), Real(count));
    ++seen[static_cast<std::size_t>(host(i, 0))];
  }
  // Binomial: standard deviation 92.6; five of them.
  for (const double n : seen) EXPECT_NEAR(n, draws / count, 463);
}

TEST(GatherRandom, RefusesRangesOutsideOfTheRowsAndNarrowBatches) {
  const Exec exec;
  const StoredRows rows = upload(make_rows<float>(6, 2), 2, 1, 0);
  const Philox random{1, Purpose::batch, 0, 0};
  const Matrix out = make_matrix("out", 3, 2);
  EXPECT_THROW(gather_random(exec, rows, {4, 3}, random, out), std::logic_error);
  EXPECT_THROW(gather_random(exec, rows, {0, 0}, random, out), std::logic_error);
  EXPECT_THROW(gather_all(exec, rows, {0, 2}, out), std::logic_error);
  EXPECT_THROW(gather_random(exec, rows, {0, 6}, random, make_matrix("out", 3, 1)),
               std::logic_error);
}

TEST(GatherLabels, FollowTheRows) {
  const Exec exec;
  // Rows that hold their own number, labels that are three times it.
  std::vector<double> values;
  const Indices labels("labels", 40);
  const auto host = Kokkos::create_mirror_view(labels);
  for (std::int64_t i = 0; i < 40; ++i) {
    values.push_back(static_cast<double>(i));
    host(static_cast<std::size_t>(i)) = 3 * i;
  }
  Kokkos::deep_copy(labels, host);
  const StoredRows rows = upload(values, 1, 1, 0);
  const Philox random{7, Purpose::batch, 3, 4};
  const Matrix out = make_matrix("out", 9, 1);
  const Indices picked("picked", 9);
  for (const bool all : {false, true}) {
    if (all) {
      gather_all(exec, rows, {12, 9}, out);
      gather_labels_all(exec, labels, {12, 9}, picked);
    } else {
      gather_random(exec, rows, {12, 9}, random, out);
      gather_labels_random(exec, labels, {12, 9}, random, picked);
    }
    fence(exec, "test");
    const HostMatrix got = download(out);
    const auto label = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), picked);
    for (std::size_t i = 0; i < 9; ++i) {
      EXPECT_EQ(static_cast<double>(label(i)), 3 * static_cast<double>(got(i, 0)));
    }
  }
}

}  // namespace
}  // namespace parley
