// SPDX-License-Identifier: BSD-3-Clause
// Batches out of stored rows: picks rows by Philox and converts u8, f32 or f64 to Real on the way.
// Knows no agents' bookkeeping beyond one range of rows.
#pragma once

#include <cstdint>

#include "core/state.hpp"
#include "kernels/philox.hpp"
#include "kernels/types.hpp"

namespace parley {

/// Rows in their stored type, back to back, and the affine map to what the game sees.
struct StoredRows {
  using Bytes = Kokkos::View<unsigned char*, Kokkos::LayoutRight, Memory>;
  Bytes bytes;                          ///< rows x features of `type`
  ElementType type = ElementType::f32;  ///< u8, f32 or f64
  std::int64_t features = 0;
  double scale = 1, shift = 0;  ///< value = stored * scale + shift
};

/// A contiguous range of stored rows: those of one agent.
struct RowRange {
  std::int64_t begin = 0;
  std::int64_t count = 0;
};

/// out(i, j) = value of column j of row range.begin + random.below(i, range.count), for every row i
/// of `out` and every j < features (out may be wider; the rest stays). Asynchronous on `exec`.
void gather_random(const Exec& exec, const StoredRows& rows, const RowRange& range,
                   const Philox& random, const Matrix& out);

/// out(i, j) = value of column j of row range.begin + i; `out` has at most range.count rows.
void gather_all(const Exec& exec, const StoredRows& rows, const RowRange& range, const Matrix& out);

/// out(i) = the label of the stored row that gather_random, or gather_all, copies to row i; labels:
/// one per stored row. Fills all of `out`. Asynchronous.
void gather_labels_random(const Exec& exec, const Indices& labels, const RowRange& range,
                          const Philox& random, const Indices& out);
void gather_labels_all(const Exec& exec, const Indices& labels, const RowRange& range,
                       const Indices& out);

}  // namespace parley
