// SPDX-License-Identifier: BSD-3-Clause
// Products and sums over rows against plain loops for every stored type, shape and kind of batch,
// and bits that do not depend on the other agents.
#include "kernels/rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/reference/rows.hpp"

namespace parley {
namespace {

constexpr double tolerance = sizeof(Real) == 4 ? 1e-5 : 1e-13;
constexpr std::int64_t table_rows = 700;
using Numbers = std::vector<double>;

template <class T>
ElementType type_of() {
  if constexpr (std::is_same_v<T, double>) return ElementType::f64;
  if constexpr (std::is_same_v<T, float>) return ElementType::f32;
  return ElementType::u8;
}

/// Small integers: exact in every stored type.
std::int64_t stored(std::int64_t row, std::int64_t column) {
  return (row * 37 + column * 11) % 7;
}

template <class T>
RowTable make_table(std::int64_t features, double scale, double shift) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < table_rows; ++i) {
    for (std::int64_t j = 0; j < features; ++j) values.push_back(static_cast<T>(stored(i, j)));
  }
  return make_row_table(std::as_bytes(std::span(values)), type_of<T>(), features, scale, shift,
                        "table");
}

Indices upload(const std::vector<std::int64_t>& values) {
  const Indices out("indices", values.size());
  const auto host = Kokkos::create_mirror_view(out);
  for (std::size_t i = 0; i < values.size(); ++i) host(i) = values[i];
  Kokkos::deep_copy(out, host);
  return out;
}

template <class View>
auto download(const View& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

/// Two agents: rows [5, 5 + 300) and [305, 305 + 37); batch 0: all of them.
RowBatch make_batch(const RowTable& table, std::int64_t batch) {
  RowBatch out;
  out.table = table;
  out.begin = upload({5, 305});
  out.count = upload({300, 37});
  out.agents = 2;
  out.random = batch > 0;
  out.width = batch > 0 ? batch : 300;
  if (batch > 0) out.picks = Indices("picks", static_cast<std::size_t>(2 * out.pick_slots()));
  return out;
}

constexpr Philox random_rows{11, Purpose::batch, 0, 3};
constexpr std::int64_t first_agent = 4;

/// The rows of agent m as the game sees them, by the rule of gather_random.
reference::Rows rows_of_agent(const RowTable& table, std::int64_t m, std::int64_t batch) {
  const std::int64_t begin = m == 0 ? 5 : 305, count = m == 0 ? 300 : 37;
  Philox mine = random_rows;
  mine.agent = first_agent + m;
  reference::Rows rows;
  for (std::int64_t i = 0; i < (batch > 0 ? batch : count); ++i) {
    const std::int64_t row =
        begin + (batch > 0 ? mine.below(static_cast<std::uint64_t>(i), count) : i);
    Numbers x;
    for (std::int64_t j = 0; j < table.features; ++j) {
      x.push_back(static_cast<double>(stored(row, j)) * table.scale + table.shift);
    }
    rows.push_back(x);
  }
  return rows;
}

/// Rows of two agents whose model begins at a block of its own.
Matrix make_models(std::int64_t stride) {
  const Matrix z = make_matrix("z", 2, row_alignment + stride);
  const auto host = Kokkos::create_mirror_view(z);
  for (std::size_t i = 0; i < host.extent(0); ++i) {
    for (std::size_t j = 0; j < host.extent(1); ++j) {
      host(i, j) = static_cast<Real>(std::sin(static_cast<double>(1 + 50 * i + j)));
    }
  }
  Kokkos::deep_copy(z, host);
  return z;
}

Numbers model_of(const Matrix& z, std::int64_t m, std::int64_t features) {
  const auto host = download(z);
  const Real* const first = host.data() + m * columns_of(z) + row_alignment;
  return {first, first + features};
}

template <class T>
class Rows : public ::testing::Test {};
using StoredTypes = ::testing::Types<unsigned char, float, double>;
TYPED_TEST_SUITE(Rows, StoredTypes);

TYPED_TEST(Rows, AgreeWithPlainLoops) {
  const Exec exec;
  for (const double shift : {0.0, -1.0}) {
    for (const std::int64_t features : {1, 5, 16, 37, 123, 530}) {
      const RowTable table = make_table<TypeParam>(features, 0.5, shift);
      for (const std::int64_t size : {0, 1, 6, 33}) {
        const RowBatch batch = make_batch(table, size);
        if (size > 0) pick_rows(exec, random_rows, first_agent, batch);
        const Matrix z = make_models(table.stride), f = make_models(table.stride);
        const Doubles products("products", static_cast<std::size_t>(2 * batch.width));
        row_products(exec, batch, z, row_alignment, products);
        row_sums(exec, batch, products, f, row_alignment);
        fence(exec, "test");
        const auto got = download(products);
        for (std::int64_t m = 0; m < 2; ++m) {
          const auto rows = rows_of_agent(table, m, size);
          const Numbers truth = reference::row_products(rows, model_of(z, m, features));
          Numbers mine;
          for (std::size_t i = 0; i < rows.size(); ++i) {
            mine.push_back(got(static_cast<std::size_t>(m * batch.width) + i));
            ASSERT_NEAR(mine[i], truth[i], tolerance * double(features)) << "row " << i;
          }
          const auto n = static_cast<std::size_t>(features);
          const Numbers sums = reference::row_sums(rows, mine, n), out = model_of(f, m, features);
          for (std::size_t j = 0; j < n; ++j) {
            ASSERT_NEAR(out[j], sums[j], tolerance * 10 * double(features * batch.width));
          }
        }
        // What stands before the model and in its padding stays.
        const auto after = download(f), before = download(make_models(table.stride));
        for (std::size_t j = 0; j < after.extent(1); ++j) {
          const auto column = static_cast<std::int64_t>(j) - row_alignment;
          if (column >= 0 && column < features) continue;
          EXPECT_EQ(after(1, j), before(1, j));
        }
      }
    }
  }
}

TYPED_TEST(Rows, AnAgentDoesNotKnowTheOthers) {
  const Exec exec;
  const RowTable table = make_table<TypeParam>(123, 1.0 / 3, 0.1);
  for (const std::int64_t size : {0, 33}) {
    const RowBatch both = make_batch(table, size);
    if (size > 0) pick_rows(exec, random_rows, first_agent, both);
    RowBatch second = both;
    second.begin = upload({305});
    second.count = upload({37});
    second.agents = 1;
    second.width = size > 0 ? size : 37;
    if (size > 0) {
      second.picks = Indices("picks", static_cast<std::size_t>(second.pick_slots()));
      pick_rows(exec, random_rows, first_agent + 1, second);
    }
    const Matrix z = make_models(table.stride);
    const Matrix f = make_models(table.stride), g = make_models(table.stride);
    const Doubles all("all", static_cast<std::size_t>(2 * both.width));
    const Doubles own("own", static_cast<std::size_t>(second.width));
    row_products(exec, both, z, row_alignment, all);
    row_sums(exec, both, all, f, row_alignment);
    row_products(exec, second, rows(z, 1, 2), row_alignment, own);
    row_sums(exec, second, own, rows(g, 1, 2), row_alignment);
    fence(exec, "test");
    const auto a = download(all), b = download(own);
    for (std::size_t i = 0; i < (size > 0 ? 33U : 37U); ++i) {
      EXPECT_EQ(a(static_cast<std::size_t>(both.width) + i), b(i));
    }
    EXPECT_EQ(model_of(f, 1, 123), model_of(g, 1, 123));
  }
}

TEST(PickRows, RefusesABatchOfAllRows) {
  const RowTable table = make_table<float>(3, 1, 0);
  EXPECT_THROW(pick_rows(Exec(), random_rows, 0, make_batch(table, 0)), std::logic_error);
}

}  // namespace
}  // namespace parley
