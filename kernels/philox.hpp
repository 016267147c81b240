// SPDX-License-Identifier: BSD-3-Clause
// Counter-based random numbers (Salmon et al., SC 2011, Philox-4x32-10 from Random123), on host and
// device: every number is a function of (seed, purpose, agent, draw, index) and of nothing else.
// The host library, which has no Kokkos, uses the same functions for data and graphs.
#pragma once

#include <Random123/philox.h>

#include <cmath>
#include <cstdint>

#include "core/sample.hpp"

#ifdef PARLEY_PRECISION  // defined for kernels and solver
#include <Kokkos_Core.hpp>
#define PARLEY_INLINE_FUNCTION KOKKOS_INLINE_FUNCTION
#else
#define PARLEY_INLINE_FUNCTION inline
#endif

namespace parley {

/// Four 32-bit words.
struct Words {
  std::uint32_t w[4];
};

/// The key of one sequence of random numbers; `index` selects four words of it. Agents < 2^24,
/// indices < 2^32, draws < 2^64.
struct Philox {
  std::uint64_t seed;
  Purpose purpose;
  std::int64_t agent;
  std::uint64_t draw;

  PARLEY_INLINE_FUNCTION Words operator()(std::uint64_t index) const {
    const r123::Philox4x32::ctr_type counter = {
        {static_cast<std::uint32_t>(index),
         (static_cast<std::uint32_t>(agent) << 8U) | static_cast<std::uint32_t>(purpose),
         static_cast<std::uint32_t>(draw), static_cast<std::uint32_t>(draw >> 32U)}};
    const r123::Philox4x32::key_type key = {
        {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)}};
    const auto out = r123::Philox4x32()(counter, key);
    return {{out[0], out[1], out[2], out[3]}};
  }

  /// Uniform on (0, 1): number i of the sequence, 53 bits.
  PARLEY_INLINE_FUNCTION double uniform(std::uint64_t i) const {
    const Words words = (*this)(i / 2);
    const std::uint32_t high = words.w[2 * (i % 2)], low = words.w[2 * (i % 2) + 1];
    const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 32U | low) >> 11U;
    return (static_cast<double>(bits) + 0.5) * 0x1.0p-53;
  }

  /// Standard normal: number i of the sequence (Box and Muller 1958, two per pair of uniforms).
  PARLEY_INLINE_FUNCTION double normal(std::uint64_t i) const {
    const Words words = (*this)(i / 2);
    const double two_pi = 6.283185307179586;
    const std::uint64_t a = (static_cast<std::uint64_t>(words.w[0]) << 32U | words.w[1]) >> 11U;
    const std::uint64_t b = (static_cast<std::uint64_t>(words.w[2]) << 32U | words.w[3]) >> 11U;
    const double u = (static_cast<double>(a) + 0.5) * 0x1.0p-53;
    const double v = (static_cast<double>(b) + 0.5) * 0x1.0p-53;
    const double radius = std::sqrt(-2.0 * std::log(u));
    return radius * (i % 2 == 0 ? std::cos(two_pi * v) : std::sin(two_pi * v));
  }

  /// Uniform integer in [0, bound), bound < 2^31: multiply-shift on 64 bits (bias below 2^-32).
  PARLEY_INLINE_FUNCTION std::int64_t below(std::uint64_t i, std::int64_t bound) const {
    const Words words = (*this)(i / 2);
    return below(words.w[2 * (i % 2)], words.w[2 * (i % 2) + 1], bound);
  }
  /// The same from the two words of a number, for loops that use both numbers of a call.
  PARLEY_INLINE_FUNCTION static std::int64_t below(std::uint32_t high, std::uint32_t low,
                                                   std::int64_t bound) {
    const std::uint64_t n = static_cast<std::uint64_t>(bound);
    return static_cast<std::int64_t>((high * n + ((low * n) >> 32U)) >> 32U);
  }
};

}  // namespace parley
