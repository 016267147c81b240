// SPDX-License-Identifier: BSD-3-Clause
// Linear models on rows of data: margins X w and sums X'c over the batches of all local agents,
// with the rows read where and as they are stored. Sums are in double, in an order that depends on
// the sizes only; an agent's numbers do not depend on the other agents. Knows no game.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/state.hpp"
#include "kernels/philox.hpp"
#include "kernels/types.hpp"

namespace parley {

/// Rows of `features` numbers in their stored type, each filled up with zeros to `stride` elements,
/// a multiple of row_alignment; value = stored * scale + shift.
struct RowTable {
  Kokkos::View<unsigned char*, Kokkos::LayoutRight, Memory> bytes;
  ElementType type = ElementType::f32;  ///< u8, f32 or f64
  std::int64_t features = 0, stride = 0;
  double scale = 1, shift = 0;
};

/// Uploads rows x features elements of `type`, packed; value = stored * scale + shift.
RowTable make_row_table(std::span<const std::byte> packed, ElementType type, std::int64_t features,
                        double scale, double shift, const std::string& label);

/// The rows that one pass sees: row(m, i), i < size(m), for every local agent m < agents.
struct RowBatch {
  RowTable table;
  Indices begin, count;  ///< per agent: its rows [begin, begin + count) of the table
  Indices picks;         ///< agents x pick_slots(), when random
  std::int64_t agents = 0;
  std::int64_t width = 0;  ///< slots of an agent in arrays of one number per row
  bool random = false;     ///< width picked rows; else the agent's rows in order

  /// Slots of an agent in `picks`: even, since one random number gives two picks.
  KOKKOS_INLINE_FUNCTION std::int64_t pick_slots() const { return width + width % 2; }
  KOKKOS_INLINE_FUNCTION std::int64_t size(std::int64_t m) const {
    return random ? width : count(static_cast<std::size_t>(m));
  }
  KOKKOS_INLINE_FUNCTION std::int64_t row(std::int64_t m, std::int64_t i) const {
    return random ? picks(static_cast<std::size_t>(m * pick_slots() + i))
                  : begin(static_cast<std::size_t>(m)) + i;
  }
};

/// Fills batch.picks: row begin + random.below(i, count) for agent first_agent + m, as
/// gather_random draws; `random.agent` is ignored. Asynchronous, as all functions here.
void pick_rows(const Exec& exec, const Philox& random, std::int64_t first_agent,
               const RowBatch& batch);

/// out(m, i) = x' w_m for the row x of (m, i), w_m the `features` columns of z's row m that begin
/// at `column` (a block of a layout: columns of padding are zero). out: agents x width.
void row_products(const Exec& exec, const RowBatch& batch, const Matrix& z, std::int64_t column,
                  const Doubles& out);

/// f(m, column + j) = sum_i factors(m, i) x_j over the rows x of (m, i), i ascending; overwrites
/// the `features` columns. factors: agents x width.
void row_sums(const Exec& exec, const RowBatch& batch, const Doubles& factors, const Matrix& f,
              std::int64_t column);

}  // namespace parley
