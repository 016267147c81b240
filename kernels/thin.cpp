// SPDX-License-Identifier: BSD-3-Clause
// Thin products as vectorized loops; the order of every sum depends on the shapes alone.
#include "kernels/thin.hpp"

namespace parley {

#ifndef PARLEY_CUDA

namespace {

constexpr std::int64_t thin = 4;        // columns of the result
constexpr std::int64_t longest = 1024;  // inner length whose packed b stays in the L1 cache
constexpr std::int64_t lanes = 64 / static_cast<std::int64_t>(sizeof(Real));
constexpr std::int64_t strip = 512;  // columns of a whose sums stay in the L1 cache

/// Some columns of a stored matrix and their sums.
struct Columns {
  Real* total;
  std::int64_t first, size;
};

Real element(const Operand& b, std::int64_t i, std::int64_t j) {
  return b.op == Op::plain ? b.data[i * b.stride + j] : b.data[j * b.stride + i];
}

Real dot(const Real* a, const Real* b, std::int64_t size) {
  Real part[lanes] = {};
  std::int64_t l = 0;
  for (; l + lanes <= size; l += lanes) {
    for (std::int64_t k = 0; k < lanes; ++k) part[k] += a[l + k] * b[l + k];
  }
  Real sum = 0;
  for (; l < size; ++l) sum += a[l] * b[l];
  for (std::int64_t k = 0; k < lanes; ++k) sum += part[k];
  return sum;
}

/// Rows of a are contiguous: one dot product per element of c, b packed by columns.
void multiply_rows(const Exec& exec, const Operand& a, const Operand& b, const Result& c) {
  struct Packed {
    Real values[thin * longest];
  } packed;
  const std::int64_t inner = a.columns;
  for (std::int64_t j = 0; j < c.columns; ++j) {
    for (std::int64_t l = 0; l < inner; ++l) packed.values[j * inner + l] = element(b, l, j);
  }
  const Real* const columns = packed.values;
  Kokkos::parallel_for("parley::dense::multiply_rows", Range(exec, 0, c.rows), [=](std::int64_t i) {
    for (std::int64_t j = 0; j < c.columns; ++j) {
      c.data[i * c.stride + j] = dot(a.data + i * a.stride, columns + j * inner, inner);
    }
  });
}

/// total[k] = sum over l of a's stored row l at first + k times b(l, j), k < size. Rows are added
/// in groups, so that a total is loaded and stored once a group.
void add_outer(const Operand& a, const Operand& b, std::int64_t j, const Columns& part) {
  constexpr std::int64_t group = 8;
  for (std::int64_t k = 0; k < part.size; ++k) part.total[k] = 0;
  std::int64_t l = 0;
  for (; l + group <= a.columns; l += group) {
    Real f[group];
    for (std::int64_t r = 0; r < group; ++r) f[r] = element(b, l + r, j);
    const Real* const s = a.data + l * a.stride + part.first;
    const std::int64_t n = a.stride;
    for (std::int64_t k = 0; k < part.size; ++k) {
      const Real low =
          (f[0] * s[k] + f[1] * s[n + k]) + (f[2] * s[2 * n + k] + f[3] * s[3 * n + k]);
      const Real high =
          (f[4] * s[4 * n + k] + f[5] * s[5 * n + k]) + (f[6] * s[6 * n + k] + f[7] * s[7 * n + k]);
      part.total[k] += low + high;
    }
  }
  for (; l < a.columns; ++l) {
    const Real factor = element(b, l, j);
    const Real* const stored = a.data + l * a.stride + part.first;
    for (std::int64_t k = 0; k < part.size; ++k) part.total[k] += factor * stored[k];
  }
}

/// Columns of op(a) are contiguous: outer products summed strip by strip.
void multiply_columns(const Exec& exec, const Operand& a, const Operand& b, const Result& c) {
  const std::int64_t strips = (c.rows + strip - 1) / strip;
  Kokkos::parallel_for("parley::dense::multiply_columns", Range(exec, 0, strips),
                       [=](std::int64_t s) {
                         const std::int64_t first = s * strip;
                         const std::int64_t size = first + strip <= c.rows ? strip : c.rows - first;
                         Real total[strip];
                         for (std::int64_t j = 0; j < c.columns; ++j) {
                           add_outer(a, b, j, {total, first, size});
                           for (std::int64_t k = 0; k < size; ++k)
                             c.data[(first + k) * c.stride + j] = total[k];
                         }
                       });
}

}  // namespace

bool multiply_thin(const Exec& exec, const Operand& a, const Operand& b, const Result& c) {
  if (c.columns > thin || c.beta != 0) return false;
  if (a.op == Op::transposed) {
    multiply_columns(exec, a, b, c);
    return true;
  }
  if (a.columns > longest) return false;
  multiply_rows(exec, a, b, c);
  return true;
}

#endif

}  // namespace parley
