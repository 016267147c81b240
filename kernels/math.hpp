// SPDX-License-Identifier: BSD-3-Clause
// exp, tanh and the logistic function without branches or library calls in single precision, so
// that loops over them vectorize; the standard library's in double.
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace parley {

/// e^x for |x| <= 87, relative error below 2e-7: 2^n times the Taylor polynomial on +-ln(2)/2.
KOKKOS_INLINE_FUNCTION float exp_vectorized(float x) {
  const float scaled = x * 1.44269504F;
  const float shifted = scaled + 12582912.0F;  // 1.5 * 2^23: rounds to an integer in the low bits
  const float n = shifted - 12582912.0F;
  const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;  // ln 2 in two parts
  float p = 1.0F / 5040.0F;
  p = p * r + 1.0F / 720.0F;
  p = p * r + 1.0F / 120.0F;
  p = p * r + 1.0F / 24.0F;
  p = p * r + 1.0F / 6.0F;
  p = p * r + 0.5F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  const std::int32_t bits = (static_cast<std::int32_t>(n) + 127) * 8388608;
  float power = 0;
  memcpy(&power, &bits, sizeof power);
  return p * power;
}

/// tanh x: Lambert's continued fraction (sixth convergent) below 1, 1 - 2/(e^{2|x|} + 1) above.
KOKKOS_INLINE_FUNCTION float tanh_vectorized(float x) {
  const float size = x < 0 ? -x : x;
  const float s = size < 1.0F ? x * x : 1.0F;
  const float small =
      x * (10395.0F + s * (1260.0F + s * 21.0F)) / (10395.0F + s * (4725.0F + s * (210.0F + s)));
  const float capped = size < 10.0F ? size : 10.0F;
  const float large = 1.0F - 2.0F / (exp_vectorized(2.0F * capped) + 1.0F);
  const float value = size < 1.0F ? small : (x < 0 ? -large : large);
  return x == x ? value : x;
}
KOKKOS_INLINE_FUNCTION double tanh_vectorized(double x) {
  return std::tanh(x);
}

/// 1 / (1 + e^{-x}).
KOKKOS_INLINE_FUNCTION float logistic_vectorized(float x) {
  const float below = x < 80.0F ? x : 80.0F;
  const float capped = below > -80.0F ? below : -80.0F;
  const float value = 1.0F / (1.0F + exp_vectorized(-capped));
  return x == x ? value : x;
}
KOKKOS_INLINE_FUNCTION double logistic_vectorized(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

}  // namespace parley
