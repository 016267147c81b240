// SPDX-License-Identifier: BSD-3-Clause
// Loops over the rows of all agents' batches. Arithmetic belongs to the callers.
#pragma once

#include "kernels/loop.hpp"
#include "kernels/rows.hpp"

namespace parley {

/// Column `column` of row m.
KOKKOS_INLINE_FUNCTION Real* row_of(const Matrix& a, std::int64_t m, std::int64_t column) {
  return a.data() + m * static_cast<std::int64_t>(a.stride(0)) + column;
}

/// Calls body(m, i) for every row of every agent.
template <class Body>
void for_each_batch_row(const Exec& exec, const char* label, const RowBatch& batch,
                        const Body& body) {
  const std::int64_t width = batch.width;
  Kokkos::parallel_for(
      label, Range(exec, 0, batch.agents * width), KOKKOS_LAMBDA(const std::int64_t item) {
        const std::int64_t m = item / width, i = item % width;
        if (i < batch.size(m)) body(m, i);
      });
}

/// Calls body(m, i), one draw after the other where a row may be drawn twice.
template <class Body>
void for_each_draw(const Exec& exec, const char* label, const RowBatch& batch, const Body& body) {
  if (!batch.random) return for_each_batch_row(exec, label, batch, body);
  Kokkos::parallel_for(
      label, Range(exec, 0, batch.agents), KOKKOS_LAMBDA(const std::int64_t m) {
        for (std::int64_t i = 0; i < batch.size(m); ++i) body(m, i);
      });
}

}  // namespace parley
