// SPDX-License-Identifier: BSD-3-Clause
// Box-Muller (1958) with both outputs of every pair used.
#include "kernels/noise.hpp"

#include "core/check.hpp"

namespace parley {

namespace {

#ifdef PARLEY_DOUBLE
constexpr std::int64_t per_call = 2;

KOKKOS_INLINE_FUNCTION void make_normals(const Words& words, Real* out) {
  const auto unit = [&](int k) {
    const std::uint64_t bits = (static_cast<std::uint64_t>(words.w[k]) << 32U | words.w[k + 1]);
    return (static_cast<double>(bits >> 11U) + 0.5) * 0x1.0p-53;
  };
  const double radius = std::sqrt(-2.0 * std::log(unit(0)));
  const double angle = 6.283185307179586 * unit(2);
  out[0] = radius * std::cos(angle);
  out[1] = radius * std::sin(angle);
}
#else
constexpr std::int64_t per_call = 4;

KOKKOS_INLINE_FUNCTION void make_normals(const Words& words, Real* out) {
  for (int k = 0; k < 4; k += 2) {
    const float u = (static_cast<float>(words.w[k]) + 0.5F) * 0x1.0p-32F;
    const float angle = 6.2831853F * (static_cast<float>(words.w[k + 1]) * 0x1.0p-32F);
    const float radius = std::sqrt(-2.0F * std::log(u));
    out[k] = radius * std::cos(angle);
    out[k + 1] = radius * std::sin(angle);
  }
}
#endif

}  // namespace

void fill_normal(const Exec& exec, const Philox& random, const Matrix& out) {
  ensure(out.span_is_contiguous(), "fill_normal: the matrix must be contiguous");
  const std::int64_t size = rows_of(out) * columns_of(out);
  Real* const values = out.data();
  Kokkos::parallel_for(
      "parley::noise::fill_normal", Range(exec, 0, (size + per_call - 1) / per_call),
      KOKKOS_LAMBDA(std::int64_t call) {
        Real made[per_call];
        make_normals(random(static_cast<std::uint64_t>(call)), made);
        const std::int64_t first = call * per_call;
        for (std::int64_t k = 0; k < per_call && first + k < size; ++k) values[first + k] = made[k];
      });
}

void fill_uniform(const Exec& exec, const Philox& random, const Vector& out) {
  Real* const values = out.data();
  Kokkos::parallel_for(
      "parley::noise::fill_uniform", Range(exec, 0, static_cast<std::int64_t>(out.size())),
      KOKKOS_LAMBDA(std::int64_t i) {
        values[i] = static_cast<Real>(random.uniform(static_cast<std::uint64_t>(i)));
      });
}

}  // namespace parley
