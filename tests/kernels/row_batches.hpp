// SPDX-License-Identifier: BSD-3-Clause
// Batches and numbers for the tests of kernels on rows: two agents with 5 and 3 rows of a table
// of 9.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/margins.hpp"
#include "kernels/row_player.hpp"

namespace parley::testing {

using Numbers = std::vector<double>;
inline constexpr std::int64_t features = 6, table_rows = 9;

inline double number(std::int64_t seed, std::int64_t i) {
  return std::sin(1.3 * static_cast<double>(seed) + 0.7 * static_cast<double>(i) + 0.1);
}

template <class View, class Values>
View upload(const Values& values) {
  const View out("test", values.size());
  const auto host = Kokkos::create_mirror_view(out);
  for (std::size_t i = 0; i < values.size(); ++i) host(i) = values[i];
  Kokkos::deep_copy(out, host);
  return out;
}

inline Numbers download(const Doubles& values) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
  return {host.data(), host.data() + host.size()};
}

/// Columns [begin, begin + size) of a row.
inline Numbers columns_of_row(const Matrix& a, std::int64_t m, std::int64_t begin,
                              std::int64_t size) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  const Real* const first = host.data() + m * columns_of(a) + begin;
  return {first, first + size};
}

inline Matrix make_rows(std::int64_t seed, std::int64_t width) {
  const Matrix a = make_matrix("test", 2, width);
  const auto host = Kokkos::create_mirror_view(a);
  for (std::size_t i = 0; i < host.size(); ++i) {
    host.data()[i] = static_cast<Real>(number(seed, static_cast<std::int64_t>(i)));
  }
  Kokkos::deep_copy(a, host);
  return a;
}

/// Agent 0: rows 0..4, agent 1: rows 5..7; or four picks each, some of them twice.
inline RowBatch make_batch(bool random) {
  RowBatch batch;
  Numbers x;
  for (std::int64_t i = 0; i < table_rows * features; ++i) x.push_back(number(9, i));
  batch.table = make_row_table(std::as_bytes(std::span(x)), ElementType::f64, features, 1, 0, "x");
  batch.begin = upload<Indices>(std::vector<std::int64_t>{0, 5});
  batch.count = upload<Indices>(std::vector<std::int64_t>{5, 3});
  batch.agents = 2;
  batch.random = random;
  batch.width = random ? 4 : 5;
  batch.picks = upload<Indices>(std::vector<std::int64_t>{3, 0, 3, 3, 5, 7, 7, 6});
  return batch;
}

/// The table's rows that agent m sees, as make_batch says.
inline std::vector<std::int64_t> rows_seen(bool random, std::int64_t m) {
  if (random)
    return m == 0 ? std::vector<std::int64_t>{3, 0, 3, 3} : std::vector<std::int64_t>{5, 7, 7, 6};
  return m == 0 ? std::vector<std::int64_t>{0, 1, 2, 3, 4} : std::vector<std::int64_t>{5, 6, 7};
}

/// Margins number(1, place) with answers -1, 1, -1, ... times `size`, offsets 0.3 and -0.4.
inline Margins make_margins(bool random, bool offsets, bool against, double size = 1) {
  Margins margins;
  margins.batch = make_batch(random);
  Numbers products, answers;
  for (std::int64_t i = 0; i < 2 * margins.batch.width; ++i) products.push_back(3 * number(1, i));
  for (std::int64_t row = 0; row < table_rows; ++row)
    answers.push_back(row % 2 == 0 ? -size : size);
  margins.products = upload<Doubles>(products);
  margins.answers = upload<Doubles>(answers);
  if (offsets) margins.offsets = upload<Doubles>(Numbers{0.3, -0.4});
  margins.against = against;
  return margins;
}

inline RowPlayer make_player(std::int64_t column) {
  // Row r has number 8 - r.
  return {upload<Indices>(std::vector<std::int64_t>{8, 7, 6, 5, 4, 3, 2, 1, 0}), column,
          table_rows};
}

}  // namespace parley::testing
