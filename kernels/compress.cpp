// SPDX-License-Identifier: BSD-3-Clause
// The selection counts digits of the magnitudes' bits in chunks; integers alone are combined, in
// order, so that no bit depends on threads.
#include "kernels/compress.hpp"

#include <string.h>

#include <type_traits>

#include "core/check.hpp"
#include "kernels/loop.hpp"

namespace parley {

namespace {

using Key = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;

constexpr int key_bits = 8 * static_cast<int>(sizeof(Key));
constexpr int digit_bits = Selection::digit_bits;
constexpr int digits = Selection::digits;
constexpr std::int64_t chunk_size = 1024;
constexpr int mantissa_bits = sizeof(Real) == 4 ? 23 : 52;
constexpr int bfloat16_bits = 7;  ///< of its mantissa

KOKKOS_INLINE_FUNCTION Key bits_of(Real x) {
  Key bits;
  memcpy(&bits, &x, sizeof(bits));
  return bits;
}

KOKKOS_INLINE_FUNCTION Real real_of(Key bits) {
  Real x;
  memcpy(&x, &bits, sizeof(x));
  return x;
}

/// Ascends with |x|.
KOKKOS_INLINE_FUNCTION Key key_of(Real x) {
  return bits_of(x) & (~Key(0) >> 1);
}

std::int64_t chunks_of(std::int64_t size) {
  return (size + chunk_size - 1) / chunk_size;
}

KOKKOS_INLINE_FUNCTION std::int64_t end_of(std::int64_t chunk, std::int64_t size) {
  return (chunk + 1) * chunk_size < size ? (chunk + 1) * chunk_size : size;
}

/// Per chunk, how many keys have each digit at `shift`, of those whose bits above equal `prefix`.
void count_digits(const Exec& exec, const Real* row, std::int64_t size, Key prefix, int shift,
                  const Selection::Counts& counts) {
  Kokkos::parallel_for(
      "parley::compress::count_digits", Range(exec, 0, chunks_of(size)),
      KOKKOS_LAMBDA(std::int64_t c) {
        std::int64_t found[digits] = {};
        // Two shifts: one alone would reach the width, which is undefined.
        for (std::int64_t i = c * chunk_size; i < end_of(c, size); ++i) {
          const Key key = key_of(row[i]) >> shift;
          if (key >> digit_bits == prefix) ++found[key & Key(digits - 1)];
        }
        for (int d = 0; d < digits; ++d) counts(c, d) = found[d];
      });
}

/// What is taken: all keys from `above` on, and the first `ties` keys that are one less.
struct Threshold {
  Key above = 0;
  std::int64_t ties = 0;
};

Threshold find_threshold(const Exec& exec, const Selection& memory, const Real* row,
                         std::int64_t size, std::int64_t count) {
  const auto& counts = memory.counts;
  const auto& host = memory.counts_on_host;
  const auto chunks = static_cast<std::size_t>(chunks_of(size));
  Key prefix = 0;
  std::int64_t left = count;
  for (int shift = key_bits - digit_bits; shift >= 0; shift -= digit_bits) {
    count_digits(exec, row, size, prefix, shift, counts);
    Kokkos::deep_copy(exec, host, counts);
    fence(exec, "parley::compress::find_threshold");
    std::int64_t sums[digits] = {};
    for (std::size_t c = 0; c < chunks; ++c) {
      for (int d = 0; d < digits; ++d) sums[d] += host(c, static_cast<std::size_t>(d));
    }
    int digit = digits - 1;
    while (sums[digit] < left) left -= sums[digit--];
    prefix = static_cast<Key>(prefix << digit_bits) | static_cast<Key>(digit);
    if (sums[digit] == left) return {static_cast<Key>(prefix << shift), 0};
  }
  return {static_cast<Key>(prefix + 1), left};
}

/// Per chunk, where its taken numbers go and which ties still count, from the numbers of both.
void place_chunks(const Exec& exec, const Selection& memory, const Real* row, std::int64_t size,
                  const Threshold& threshold) {
  const auto places = memory.places;
  const auto chunks = static_cast<std::size_t>(chunks_of(size));
  const Key above = threshold.above;
  Kokkos::parallel_for(
      "parley::compress::count_taken", Range(exec, 0, chunks_of(size)),
      KOKKOS_LAMBDA(std::int64_t c) {
        std::int64_t taken = 0, ties = 0;
        for (std::int64_t i = c * chunk_size; i < end_of(c, size); ++i) {
          const Key key = key_of(row[i]);
          taken += key >= above ? 1 : 0;
          ties += key + 1 == above ? 1 : 0;
        }
        places(c, 0) = taken;
        places(c, 1) = ties;
      });
  const auto& host = memory.places_on_host;
  Kokkos::deep_copy(exec, host, places);
  fence(exec, "parley::compress::place_chunks");
  std::int64_t next = 0, ties_left = threshold.ties;
  for (std::size_t c = 0; c < chunks; ++c) {
    const std::int64_t taken = host(c, 0);
    const std::int64_t ties = host(c, 1) < ties_left ? host(c, 1) : ties_left;
    host(c, 0) = next;
    host(c, 1) = ties;
    next += taken + ties;
    ties_left -= ties;
  }
  Kokkos::deep_copy(exec, places, host);
}

/// The nearest number with as many bits of mantissa as a bfloat16, ties to even.
KOKKOS_INLINE_FUNCTION Real to_short_mantissa(Real x) {
  constexpr int dropped = mantissa_bits - bfloat16_bits;
  const Key bits = bits_of(x);
  const Key half = (Key(1) << (dropped - 1)) - 1 + ((bits >> dropped) & Key(1));
  return real_of((bits + half) & ~((Key(1) << dropped) - 1));
}

KOKKOS_INLINE_FUNCTION std::uint16_t bfloat16_of(Real x) {
  const Real largest = static_cast<Real>(3.3895313892515355e38);  // 2^127 (2 - 2^-7)
  const Real rounded = to_short_mantissa(x);
  const Real clamped = rounded > largest ? largest : rounded < -largest ? -largest : rounded;
  // Exact, unless it goes to a subnormal float, whose lower bits are rounded off here.
  const float single = static_cast<float>(clamped);
  std::uint32_t bits;
  memcpy(&bits, &single, sizeof(bits));
  bits += 0x7FFFU + (bits >> 16U & 1U);
  return static_cast<std::uint16_t>(bits >> 16U);
}

}  // namespace

Selection::Selection(std::int64_t size)
    : counts("parley::compress::counts", static_cast<std::size_t>(chunks_of(size))),
      places("parley::compress::places", static_cast<std::size_t>(chunks_of(size))),
      counts_on_host(Kokkos::create_mirror_view(counts)),
      places_on_host(Kokkos::create_mirror_view(places)) {}

void take_largest(const Exec& exec, const Selection& memory, const Real* row, std::int64_t size,
                  std::int64_t count, std::int32_t* index, Real* value) {
  ensure(1 <= count && count <= size && size < (std::int64_t{1} << 31),
         "take_largest: 1 to size numbers, size below 2^31");
  ensure(chunks_of(size) <= static_cast<std::int64_t>(memory.counts.extent(0)),
         "take_largest: the memory is that of shorter rows");
  const Threshold threshold = find_threshold(exec, memory, row, size, count);
  place_chunks(exec, memory, row, size, threshold);
  const auto places = memory.places;
  const Key above = threshold.above;
  Kokkos::parallel_for(
      "parley::compress::take_largest", Range(exec, 0, chunks_of(size)),
      KOKKOS_LAMBDA(std::int64_t c) {
        std::int64_t next = places(c, 0), ties = places(c, 1);
        for (std::int64_t i = c * chunk_size; i < end_of(c, size); ++i) {
          const Key key = key_of(row[i]);
          const bool tie = key + 1 == above && ties > 0;
          if (key < above && !tie) continue;
          if (tie) --ties;
          index[next] = static_cast<std::int32_t>(i);
          value[next] = row[i];
          ++next;
        }
      });
  fence(exec, "parley::compress::take_largest");
}

void take(const Exec& exec, const Real* row, const std::int32_t* index, std::int64_t count,
          Real* value) {
  Kokkos::parallel_for(
      "parley::compress::take", Range(exec, 0, count),
      KOKKOS_LAMBDA(std::int64_t n) { value[n] = row[index[n]]; });
}

void spread(const Exec& exec, const std::int32_t* index, const Real* value, std::int64_t count,
            std::int64_t size, Real* row) {
  Kokkos::parallel_for(
      "parley::compress::clear", Range(exec, 0, size),
      KOKKOS_LAMBDA(std::int64_t i) { row[i] = 0; });
  Kokkos::parallel_for(
      "parley::compress::spread", Range(exec, 0, count),
      KOKKOS_LAMBDA(std::int64_t n) { row[index[n]] = value[n]; });
}

void to_bfloat16(const Exec& exec, const Real* row, std::int64_t size, std::uint16_t* out) {
  Kokkos::parallel_for(
      "parley::compress::to_bfloat16", Range(exec, 0, size),
      KOKKOS_LAMBDA(std::int64_t i) { out[i] = bfloat16_of(row[i]); });
}

void from_bfloat16(const Exec& exec, const std::uint16_t* in, std::int64_t size, Real* row) {
  Kokkos::parallel_for(
      "parley::compress::from_bfloat16", Range(exec, 0, size), KOKKOS_LAMBDA(std::int64_t i) {
        const std::uint32_t bits = static_cast<std::uint32_t>(in[i]) << 16U;
        float single;
        memcpy(&single, &bits, sizeof(single));
        row[i] = static_cast<Real>(single);
      });
}

void absorb(const Exec& exec, double step, const Difference& rows) {
  ensure(rows.x.span_is_contiguous(), "absorb: rows are contiguous");
  const Real* const mixed = rows.mixed.data();
  const Real* const sent = rows.sent.data();
  Real* const memory = rows.memory.data();
  Real* const pull = rows.pull.data();
  Real* const x = rows.x.data();
  const auto factor = static_cast<Real>(step);
  const std::int64_t columns = columns_of(rows.x);
  for_each_element(
      exec, "parley::compress::absorb", rows_of(rows.x), columns,
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) {
        const std::int64_t t = i * columns + j;
        const Real pulled = pull[t] + (mixed[t] - sent[t]);
        pull[t] = pulled;
        memory[t] += sent[t];
        x[t] += factor * pulled;
      });
}

}  // namespace parley
