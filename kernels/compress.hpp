// SPDX-License-Identifier: BSD-3-Clause
// Kernels of compressed mixing: the largest numbers of a row, taking and spreading numbers by
// index, bfloat16, and the step of the difference memory. Rows are packed: no padding. Bits depend
// on values and indices alone.
#pragma once

#include <cstdint>

#include "kernels/types.hpp"

namespace parley {

/// Memory of take_largest() for rows of up to `size` numbers, to be kept between calls.
struct Selection {
  static constexpr int digit_bits = 4;
  static constexpr int digits = 1 << digit_bits;
  using Counts = Kokkos::View<std::int64_t* [digits], Kokkos::LayoutRight, Memory>;
  using Places = Kokkos::View<std::int64_t* [2], Kokkos::LayoutRight, Memory>;

  explicit Selection(std::int64_t size);

  Counts counts;  ///< per chunk: keys of each digit
  Places places;  ///< per chunk: where its numbers go, and its ties
  HostMirror<Counts> counts_on_host;
  HostMirror<Places> places_on_host;
};

/// The `count` numbers of largest magnitude of row[0, size), by ascending index, into index[0,
/// count) and value[0, count); of equal magnitudes the lower indices. 1 <= count <= size < 2^31; a
/// NaN counts as larger than any number. Exact: a radix selection on the bits of the magnitudes.
/// Waits.
void take_largest(const Exec& exec, const Selection& memory, const Real* row, std::int64_t size,
                  std::int64_t count, std::int32_t* index, Real* value);

/// value[n] = row[index[n]], n < count. Asynchronous.
void take(const Exec& exec, const Real* row, const std::int32_t* index, std::int64_t count,
          Real* value);

/// row[0, size) = 0, then row[index[n]] = value[n], n < count; no index twice. Asynchronous.
void spread(const Exec& exec, const std::int32_t* index, const Real* value, std::int64_t count,
            std::int64_t size, Real* row);

/// out[i] = bits of the bfloat16 nearest to row[i], which is finite; ties to even, magnitudes
/// beyond its largest number become that number. In double, numbers below 2^-126 are rounded twice.
/// Asynchronous.
void to_bfloat16(const Exec& exec, const Real* row, std::int64_t size, std::uint16_t* out);

/// row[i] = the bfloat16 in[i]. Asynchronous.
void from_bfloat16(const Exec& exec, const std::uint16_t* in, std::int64_t size, Real* row);

/// One round of difference compression on rows x columns: pull += mixed - sent, memory += sent, x
/// += step pull. Asynchronous.
struct Difference {
  Matrix mixed, sent;      ///< W q and q
  Matrix memory, pull, x;  ///< xhat, sum_j W_ij (xhat_j - xhat_i), the rows
};
void absorb(const Exec& exec, double step, const Difference& rows);

}  // namespace parley
