// SPDX-License-Identifier: BSD-3-Clause
// Projections of samples.
#include "kernels/swd.hpp"

#include "core/check.hpp"

namespace parley {

namespace {

/// One tile of directions for one sample.
struct Project {
  const Real* samples;
  const double* directions;
  double* out;
  std::int64_t n, features, stride, width;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t e) const {
    const std::int64_t tiles = width / direction_tile;
    const std::int64_t i = e / tiles, first = e % tiles * direction_tile;
    const Real* sample = samples + i * stride;
    const double* direction = directions + first;
    double sums[direction_tile] = {};
    for (std::int64_t f = 0; f < features; ++f) {
      const double x = static_cast<double>(sample[f]);
      for (std::int64_t j = 0; j < direction_tile; ++j) sums[j] += x * direction[f * width + j];
    }
    for (std::int64_t j = 0; j < direction_tile; ++j) out[(first + j) * n + i] = sums[j];
  }
};

struct Widen {
  const Real* from;
  double* to;
  std::int64_t columns, stride;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t e) const {
    to[e] = static_cast<double>(from[e / columns * stride + e % columns]);
  }
};

}  // namespace

void project_samples(const Exec& exec, const Matrix& samples, const Directions& directions,
                     const Doubles& out) {
  const std::int64_t n = rows_of(samples);
  ensure(columns_of(samples) >= directions.features, "project_samples: too few columns");
  ensure(static_cast<std::int64_t>(out.extent(0)) >= n * directions.width,
         "project_samples: the output is too small");
  const Project body{samples.data(),      directions.values.data(),
                     out.data(),          n,
                     directions.features, static_cast<std::int64_t>(samples.stride(0)),
                     directions.width};
  Kokkos::parallel_for("parley::swd::project",
                       Range(exec, 0, n * (directions.width / direction_tile)), body);
}

Doubles to_doubles(const Exec& exec, const Matrix& a, std::int64_t columns) {
  ensure(columns_of(a) >= columns, "to_doubles: too few columns");
  const std::int64_t count = rows_of(a) * columns;
  const Doubles out("parley::swd::doubles", static_cast<std::size_t>(count));
  const Widen body{a.data(), out.data(), columns, static_cast<std::int64_t>(a.stride(0))};
  Kokkos::parallel_for("parley::swd::widen", Range(exec, 0, count), body);
  return out;
}

}  // namespace parley
