// SPDX-License-Identifier: BSD-3-Clause
// Projections of samples for the sliced Wasserstein distance, in double whatever Real is. Knows no
// agents and draws no directions.
#pragma once

#include <cstdint>

#include "kernels/types.hpp"

namespace parley {

/// Directions are stored in tiles of this many, so that one pass over a sample serves a tile.
inline constexpr std::int64_t direction_tile = 16;

/// Directions as `project_samples` wants them.
struct Directions {
  Doubles values;          ///< features x width, row-major: column j is direction j
  std::int64_t count = 0;  ///< directions
  std::int64_t width = 0;  ///< count rounded up to whole tiles; the rest is zero
  std::int64_t features = 0;
};

/// out[j * n + i] = <sample i, direction j> for i < n = rows of `samples` (n x at least features,
/// any row stride), j < width; out has width * n elements or more. Sums run over features in order.
/// Asynchronous on `exec`.
void project_samples(const Exec& exec, const Matrix& samples, const Directions& directions,
                     const Doubles& out);

/// The first `columns` columns of `a` as doubles, row-major, on the device. Asynchronous on `exec`.
Doubles to_doubles(const Exec& exec, const Matrix& a, std::int64_t columns);

}  // namespace parley
