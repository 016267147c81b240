// SPDX-License-Identifier: BSD-3-Clause
// Thin products as vectorized loops; the order of every sum depends on the shapes alone.
#include "kernels/thin.hpp"

namespace parley {

#ifndef PARLEY_CUDA

namespace {

constexpr std::int64_t thin = 4;         // columns of the result
constexpr std::int64_t longest = 1024;   // inner length whose packed b stays in the L1 cache
constexpr std::int64_t lanes = 64 / static_cast<std::int64_t>(sizeof(Real));
constexpr std::int64_t strip = 4 * lanes;  // columns of a that one pass keeps in registers

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
  Kokkos::parallel_for("parley::dense::multiply_rows", Range(exec, 0, c.rows),
                       [=](std::int64_t i) {
    for (std::int64_t j = 0; j < c.columns; ++j) {
      c.data[i * c.stride + j] = dot(a.data + i * a.stride, columns + j * inner, inner);
    }
  });
}

/// Adds b(l, j) times `size` contiguous elements of a's stored row l to sums, l in [begin, end).
template <std::int64_t size>
void add_outer(const Operand& a, const Operand& b, std::int64_t first, std::int64_t j,
               Real* total) {
  constexpr std::int64_t run = 64;  // rows per partial sum: keeps the rounding error short
  for (std::int64_t begin = 0; begin < a.columns; begin += run) {
    const std::int64_t end = begin + run < a.columns ? begin + run : a.columns;
    Real part[size] = {};
    for (std::int64_t l = begin; l < end; ++l) {
      const Real factor = element(b, l, j);
      const Real* const stored = a.data + l * a.stride + first;
      for (std::int64_t k = 0; k < size; ++k) part[k] += factor * stored[k];
    }
    for (std::int64_t k = 0; k < size; ++k) total[k] += part[k];
  }
}

/// Columns of op(a) are contiguous: outer products summed in registers, strip by strip.
void multiply_columns(const Exec& exec, const Operand& a, const Operand& b, const Result& c) {
  const std::int64_t strips = (c.rows + strip - 1) / strip;
  Kokkos::parallel_for("parley::dense::multiply_columns", Range(exec, 0, strips),
                       [=](std::int64_t s) {
    const std::int64_t first = s * strip;
    const std::int64_t size = first + strip <= c.rows ? strip : c.rows - first;
    for (std::int64_t j = 0; j < c.columns; ++j) {
      Real total[strip] = {};
      if (size == strip) {
        add_outer<strip>(a, b, first, j, total);
      } else {
        for (std::int64_t k = 0; k < size; ++k) add_outer<1>(a, b, first + k, j, total + k);
      }
      for (std::int64_t k = 0; k < size; ++k) c.data[(first + k) * c.stride + j] = total[k];
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
