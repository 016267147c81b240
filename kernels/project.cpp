// SPDX-License-Identifier: BSD-3-Clause
// One worker per row. Comparisons are written so that a NaN stays in its row.
#include "kernels/project.hpp"

#include <cmath>

#include "kernels/loop.hpp"

namespace parley {

namespace {

/// The columns of one matrix as functors see them.
struct Block {
  Block(const Matrix& rows, const Columns& columns)
      : data(rows.data() + columns.begin),
        stride(static_cast<std::int64_t>(rows.stride(0))),
        size(columns.size) {}
  KOKKOS_INLINE_FUNCTION Real* row(std::int64_t i) const { return data + i * stride; }

  Real* data;
  std::int64_t stride, size;
};

struct Ball {
  Block block;
  double radius;

  KOKKOS_INLINE_FUNCTION void operator()(const RowWorker& worker, std::int64_t i) const {
    Real* const v = block.row(i);
    const double square =
        worker.sum(block.size, [=](std::int64_t j) { return static_cast<double>(v[j]) * v[j]; });
    if (square <= radius * radius) return;
    const double factor = radius / sqrt(square);
    worker.each(block.size, [=](std::int64_t j) { v[j] = static_cast<Real>(factor * v[j]); });
  }
};

struct Simplex {
  Block block;
  double total;

  KOKKOS_INLINE_FUNCTION void operator()(const RowWorker& worker, std::int64_t i) const {
    Real* const v = block.row(i);
    const std::int64_t size = block.size;
    const double most = worker.largest(size, [=](std::int64_t j) -> double { return v[j]; });
    // Both are below the root or on it, and the largest number always exceeds the first.
    const double all = worker.sum(size, [=](std::int64_t j) -> double { return v[j]; });
    const double mean = (all - total) / static_cast<double>(size);
    double t = most - total > mean ? most - total : mean;
    for (double before = static_cast<double>(size) + 1;;) {
      const double kept =
          worker.sum(size, [=](std::int64_t j) -> double { return v[j] > t ? 1 : 0; });
      // Fewer numbers at every step, or the last step was exact.
      if (!(kept > 0) || kept >= before) break;
      const double sum =
          worker.sum(size, [=](std::int64_t j) -> double { return v[j] > t ? v[j] : 0; });
      t = (sum - total) / kept;
      before = kept;
    }
    worker.each(size, [=](std::int64_t j) {
      const double moved = v[j] - t;
      v[j] = static_cast<Real>(moved < 0 ? 0 : moved);
    });
  }
};

}  // namespace

void project_ball(const Exec& exec, const Matrix& rows, const Columns& columns, double radius) {
  for_each_row(exec, "parley::project::ball", rows_of(rows), Ball{{rows, columns}, radius});
}

void project_box(const Exec& exec, const Matrix& rows, const Columns& columns, double low,
                 double high) {
  const Block block(rows, columns);
  const Real least = static_cast<Real>(low), most = static_cast<Real>(high);
  for_each_element(
      exec, "parley::project::box", rows_of(rows), columns.size,
      KOKKOS_LAMBDA(const std::int64_t i, const std::int64_t j) {
        Real* const v = block.row(i);
        v[j] = v[j] < least ? least : (v[j] > most ? most : v[j]);
      });
}

void project_simplex(const Exec& exec, const Matrix& rows, const Columns& columns, double total) {
  if (columns.size == 0) return;
  for_each_row(exec, "parley::project::simplex", rows_of(rows), Simplex{{rows, columns}, total});
}

void soft_threshold(const Exec& exec, const Matrix& rows, const Columns& columns,
                    double threshold) {
  const Block block(rows, columns);
  const Real cut = static_cast<Real>(threshold);
  for_each_element(
      exec, "parley::project::soft_threshold", rows_of(rows), columns.size,
      KOKKOS_LAMBDA(const std::int64_t i, const std::int64_t j) {
        Real* const v = block.row(i);
        v[j] = v[j] > cut ? v[j] - cut : (v[j] < -cut ? v[j] + cut : Real(0) * v[j]);
      });
}

}  // namespace parley
