// SPDX-License-Identifier: BSD-3-Clause
// Kernels of mixing: weighted sums over rows of agents, packing of rows for messages, and the check
// for non-finite numbers. Bits depend on nothing but the values and the order of the terms. Must
// not know of ranks or messages.
#pragma once

#include <cstdint>
#include <span>

#include "core/layout.hpp"
#include "kernels/types.hpp"

namespace parley {

/// Part of one block: `size` parameters at `column` of a row in memory and at `packed` of a row
/// without padding; after them, `padding` columns in memory that belong to no parameter.
struct Chunk {
  std::int64_t column = 0;
  std::int64_t packed = 0;
  std::int64_t size = 0;
  std::int64_t padding = 0;
};
using Chunks = Kokkos::View<Chunk*, Memory>;

/// The chunks of packed columns [packed_begin, packed_end), none longer than a fixed cache-sized
/// length, ascending. Blocks that touch both in memory and packed are joined.
Chunks make_chunks(const Layout& layout, std::int64_t packed_begin, std::int64_t packed_end);

/// A row as kernels read it: in memory (packed = false, data = its column 0), or without padding,
/// data = its packed column `origin`.
struct RowView {
  const Real* data = nullptr;
  std::int64_t origin = 0;
  bool packed = false;

  KOKKOS_INLINE_FUNCTION const Real* at(const Chunk& chunk) const {
    return data + (packed ? chunk.packed - origin : chunk.column);
  }
};

/// One neighbour of a mixed row.
struct MixTerm {
  RowView row;
  Real weight = 0;
};

/// One row to be mixed: out = total self + sum_n weight_n (row_n - self) over terms [first_term,
/// last_term) in their order. With total = 1 equal rows stay equal to the last bit and a mean does
/// not drift by the rounding of weights, which a plain weighted sum in single precision would let
/// happen.
struct MixRow {
  RowView self;
  Real* out = nullptr;  ///< column 0 of a row in memory; aliases nothing that is read
  std::int64_t first_term = 0;
  std::int64_t last_term = 0;
  Real total = 1;  ///< sum of all weights, self's among them
  /// Where given, out = previous + factor (mixed - previous): one step of a polynomial of W.
  /// Column 0 of a row in memory.
  const Real* previous = nullptr;
  Real factor = 1;
};

using MixRows = Kokkos::View<MixRow*, Memory>;
using MixTerms = Kokkos::View<MixTerm*, Memory>;

/// Mixes all `rows` over `chunks`; padding of `out` becomes zero. Asynchronous.
void mix_rows(const Exec& exec, const Chunks& chunks, const MixRows& rows, const MixTerms& terms);

/// out = row_0 + (sum_n (row_n - row_0)) / count, n ascending, summed in double: the mean over
/// agents, with equal rows kept equal to the last bit. `out` is packed, its first element at packed
/// column `origin`. Asynchronous.
void mean_rows(const Exec& exec, const Chunks& chunks, const Kokkos::View<RowView*, Memory>& rows,
               Real* out, std::int64_t origin);

/// Copies the chunks of a row in memory to `out` (packed, first element at packed column `origin`)
/// and says whether all of them are finite, in the same pass. Waits.
bool pack_row(const Exec& exec, const Chunks& chunks, const Real* row, Real* out,
              std::int64_t origin);

/// The check of pack_row alone. Waits.
bool all_finite(const Exec& exec, const Chunks& chunks, const Real* row);

/// Copies packed numbers (first element at packed column `origin`) to a row in memory; padding
/// becomes zero. Asynchronous.
void unpack_row(const Exec& exec, const Chunks& chunks, const Real* packed, std::int64_t origin,
                Real* row);

}  // namespace parley
