// SPDX-License-Identifier: BSD-3-Clause
// Adds counter-based normal numbers to parts of rows.
#pragma once

#include "kernels/philox.hpp"
#include "kernels/types.hpp"

namespace parley {

/// Columns [column, column + size) of a row take the numbers packed, packed + 1, ...
struct NoiseRange {
  std::int64_t packed = 0, column = 0, size = 0;
};

/// row[column + j] += deviation * normal(packed + j).
void add_normal(const Exec& exec, const Philox& normal, const NoiseRange& range, Real deviation,
                const Vector& row);

}  // namespace parley
