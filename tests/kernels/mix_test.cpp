// SPDX-License-Identifier: BSD-3-Clause
// Mixing kernels against their plain loops, to the last bit, on rows with and without padding.
#include "kernels/mix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/reference/mix.hpp"

namespace parley::test {
namespace {

// On a GPU products and sums may be fused; on the host bits must be equal.
constexpr double tolerance = on_host ? 0.0 : 1e-5;

/// Odd sizes, one that fills its boundary, one longer than a chunk.
Layout odd_layout() {
  Layout layout(row_alignment);
  layout.add("a", Player::x, {3, 5});
  layout.add("b", Player::x, {2 * row_alignment});
  layout.add("c", Player::x, {1});
  layout.add("d", Player::y, {5001});
  layout.add("e", Player::y, {7});
  return layout;
}

Real number_of(std::int64_t row, std::int64_t p) {
  const double phase = static_cast<double>(12 * row + 1) * 0.37 + static_cast<double>(p);
  const double x = std::sin(phase) * 1e4;
  return static_cast<Real>(x - std::floor(x) - 0.5);
}

std::vector<Real> packed_row(const Layout& layout, std::int64_t row) {
  std::vector<Real> out;
  for (std::int64_t p = 0; p < layout.dim(); ++p) out.push_back(number_of(row, p));
  return out;
}

Vector on_device(const std::vector<Real>& values) {
  Vector out = make_vector("test::values", static_cast<std::int64_t>(values.size()));
  const auto host = Kokkos::create_mirror_view(out);
  std::copy(values.begin(), values.end(), host.data());
  Kokkos::deep_copy(out, host);
  return out;
}

std::vector<Real> on_host_side(const Vector& values) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
  return {host.data(), host.data() + host.extent(0)};
}

/// The row in memory, padding zero.
std::vector<Real> padded(const Layout& layout, const std::vector<Real>& packed) {
  std::vector<Real> out(static_cast<std::size_t>(layout.width()), Real(0));
  for (const Block& block : layout.blocks()) {
    std::copy_n(packed.begin() + block.packed, block.size, out.begin() + block.column);
  }
  return out;
}

Vector not_a_number(std::int64_t size) {
  return on_device(
      std::vector<Real>(static_cast<std::size_t>(size), std::numeric_limits<Real>::quiet_NaN()));
}

void expect_equal(const std::vector<Real>& found, const std::vector<Real>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_LE(std::abs(static_cast<double>(found[i] - expected[i])), tolerance) << "column " << i;
  }
}

TEST(Chunks, cover_each_column_once) {
  const Layout layout = odd_layout();
  for (const auto& [begin, end] : {std::pair<std::int64_t, std::int64_t>{0, layout.dim()},
                                   {4, layout.dim() - 3},
                                   {15, 16},
                                   {5, 5}}) {
    const auto chunks =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), make_chunks(layout, begin, end));
    std::int64_t next = begin;
    for (std::size_t c = 0; c < chunks.extent(0); ++c) {
      EXPECT_EQ(chunks(c).packed, next);
      next += chunks(c).size;
      for (const Block& block : layout.blocks()) {
        const std::int64_t inside = chunks(c).packed - block.packed;
        if (inside < 0 || inside >= block.size) continue;
        EXPECT_EQ(chunks(c).column - block.column, inside);
      }
    }
    EXPECT_EQ(next, end);
  }
}

class MixTerms : public ::testing::TestWithParam<int> {};

TEST_P(MixTerms, sums_as_the_plain_loop) {
  const int terms = GetParam();
  const Layout layout = odd_layout();
  const Chunks chunks = make_chunks(layout, 0, layout.dim());
  const std::vector<Real> self = packed_row(layout, 0);
  std::vector<std::vector<Real>> rows;
  std::vector<Real> weights;
  std::vector<Vector> keep = {on_device(padded(layout, self))};
  parley::MixTerms table("test::terms", static_cast<std::size_t>(terms));
  const auto host = Kokkos::create_mirror_view(table);
  for (int n = 0; n < terms; ++n) {
    rows.push_back(packed_row(layout, n + 1));
    weights.push_back(static_cast<Real>(1.0 / (terms + 1 + n)));
    const bool is_packed = n % 2 == 0;
    keep.push_back(on_device(is_packed ? rows.back() : padded(layout, rows.back())));
    host(static_cast<std::size_t>(n)) = {{keep.back().data(), 0, is_packed}, weights.back()};
  }
  Kokkos::deep_copy(table, host);
  const Vector out = not_a_number(layout.width());
  MixRows mixed("test::rows", 1);
  const auto mixed_host = Kokkos::create_mirror_view(mixed);
  mixed_host(0) = {{keep[0].data(), 0, false}, out.data(), 0, terms};
  Kokkos::deep_copy(mixed, mixed_host);
  mix_rows(Exec(), chunks, mixed, table);
  expect_equal(on_host_side(out), padded(layout, reference::mix_row(self, rows, weights)));
}

INSTANTIATE_TEST_SUITE_P(counts, MixTerms, ::testing::Values(0, 1, 2, 3, 4, 5, 6, 10, 11, 16));

TEST(Mix, equal_rows_stay_equal) {
  // Three times float(1/3) is not 1; a plain weighted sum would move these rows.
  const Layout layout = odd_layout();
  const std::vector<Real> self = padded(layout, packed_row(layout, 3));
  const Vector row = on_device(self), out = not_a_number(layout.width());
  parley::MixTerms table("test::terms", 2);
  const auto host = Kokkos::create_mirror_view(table);
  host(0) = host(1) = {{row.data(), 0, false}, static_cast<Real>(1.0 / 3)};
  Kokkos::deep_copy(table, host);
  MixRows mixed("test::rows", 1);
  const auto mixed_host = Kokkos::create_mirror_view(mixed);
  mixed_host(0) = {{row.data(), 0, false}, out.data(), 0, 2};
  Kokkos::deep_copy(mixed, mixed_host);
  mix_rows(Exec(), make_chunks(layout, 0, layout.dim()), mixed, table);
  EXPECT_EQ(on_host_side(out), self);
}

TEST(Mix, extrapolates_from_the_rows_before_and_weighs_the_row_itself) {
  const Layout layout = odd_layout();
  const Real third = static_cast<Real>(1.0 / 3), total = Real(0.75), factor = Real(1.6);
  for (const int terms : {0, 1, 3, 7}) {
    const std::vector<Real> self = packed_row(layout, 0), before = packed_row(layout, 9);
    const Vector self_row = on_device(padded(layout, self));
    const Vector before_row = on_device(padded(layout, before));
    std::vector<std::vector<Real>> rows;
    std::vector<Vector> keep;
    parley::MixTerms table("test::terms", static_cast<std::size_t>(terms));
    const auto host = Kokkos::create_mirror_view(table);
    for (int n = 0; n < terms; ++n) {
      rows.push_back(packed_row(layout, n + 1));
      keep.push_back(on_device(padded(layout, rows.back())));
      host(static_cast<std::size_t>(n)) = {{keep.back().data(), 0, false}, third};
    }
    Kokkos::deep_copy(table, host);
    const Vector out = not_a_number(layout.width());
    MixRows mixed("test::rows", 1);
    const auto mixed_host = Kokkos::create_mirror_view(mixed);
    mixed_host(0) = {{self_row.data(), 0, false}, out.data(), 0, terms, total,
                     before_row.data(),           factor};
    Kokkos::deep_copy(mixed, mixed_host);
    mix_rows(Exec(), make_chunks(layout, 0, layout.dim()), mixed, table);
    const std::vector<Real> weights(rows.size(), third);
    const auto expected =
        reference::extrapolate(reference::mix_row(self, rows, weights, total), before, factor);
    expect_equal(on_host_side(out), padded(layout, expected));
  }
}

TEST(Mean, sums_in_order_in_double) {
  const Layout layout = odd_layout();
  const std::int64_t begin = 9, end = layout.dim() - 2;
  std::vector<std::vector<Real>> rows;
  std::vector<Vector> keep;
  Kokkos::View<RowView*, Memory> views("test::views", 5);
  const auto host = Kokkos::create_mirror_view(views);
  for (std::int64_t n = 0; n < 5; ++n) {
    const std::vector<Real> row = packed_row(layout, n);
    rows.emplace_back(row.begin() + begin, row.begin() + end);
    const bool is_packed = n > 2;
    keep.push_back(on_device(is_packed ? rows.back() : padded(layout, row)));
    host(static_cast<std::size_t>(n)) = {keep.back().data(), is_packed ? begin : 0, is_packed};
  }
  Kokkos::deep_copy(views, host);
  const Vector out = not_a_number(end - begin);
  mean_rows(Exec(), make_chunks(layout, begin, end), views, out.data(), begin);
  expect_equal(on_host_side(out), reference::mean_row(rows));
}

TEST(Pack, drops_padding_and_unpack_restores_it) {
  const Layout layout = odd_layout();
  const Chunks chunks = make_chunks(layout, 0, layout.dim());
  const std::vector<Real> values = packed_row(layout, 1);
  const Vector row = on_device(padded(layout, values));
  const Vector packed = not_a_number(layout.dim()), back = not_a_number(layout.width());
  EXPECT_TRUE(pack_row(Exec(), chunks, row.data(), packed.data(), 0));
  EXPECT_EQ(on_host_side(packed), values);
  unpack_row(Exec(), chunks, packed.data(), 0, back.data());
  Exec().fence();
  EXPECT_EQ(on_host_side(back), on_host_side(row));
}

TEST(Pack, finds_every_number_that_is_not_finite) {
  const Layout layout = odd_layout();
  const Chunks chunks = make_chunks(layout, 0, layout.dim());
  const Vector packed = make_vector("test::packed", layout.dim());
  using Limits = std::numeric_limits<Real>;
  const std::vector<std::int64_t> places = {0, 14, 700, layout.dim() - 1};
  for (const std::int64_t place : places) {
    for (const Real bad : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
      std::vector<Real> values = packed_row(layout, 2);
      values[static_cast<std::size_t>(place)] = bad;
      const Vector row = on_device(padded(layout, values));
      EXPECT_FALSE(pack_row(Exec(), chunks, row.data(), packed.data(), 0)) << place;
      EXPECT_FALSE(all_finite(Exec(), chunks, row.data())) << place;
    }
    std::vector<Real> values = packed_row(layout, 2);
    values[static_cast<std::size_t>(place)] = Limits::max();
    const Vector row = on_device(padded(layout, values));
    EXPECT_TRUE(pack_row(Exec(), chunks, row.data(), packed.data(), 0)) << place;
    EXPECT_TRUE(all_finite(Exec(), chunks, row.data())) << place;
  }
}

}  // namespace
}  // namespace parley::test
