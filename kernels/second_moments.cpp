// SPDX-License-Identifier: BSD-3-Clause
// One work item per entry.
#include "kernels/second_moments.hpp"

namespace parley {

void moment_field(const Exec& exec, const MomentPlayers& players, Real* work, Real* to_v,
                  Real* to_w) {
  const MomentPlayers p = players;
  const std::int64_t n = p.n;
  Kokkos::parallel_for(
      "parley::moments::generate", Range(exec, 0, n * n), KOKKOS_LAMBDA(const std::int64_t item) {
        const std::int64_t i = item / n, j = item % n;
        double sum = p.latent == nullptr ? static_cast<double>(p.v[item]) : 0.0;
        if (p.latent != nullptr) {
          for (std::int64_t l = 0; l < n; ++l) {
            sum += static_cast<double>(p.v[i * n + l]) * static_cast<double>(p.latent[l * n + j]);
          }
        }
        work[item] = static_cast<Real>(sum);
      });
  Kokkos::parallel_for(
      "parley::moments::field", Range(exec, 0, n * n), KOKKOS_LAMBDA(const std::int64_t item) {
        const std::int64_t i = item / n, j = item % n;
        double of_v = 0, of_w = 0;
        for (std::int64_t l = 0; l < n; ++l) {
          const double both =
              static_cast<double>(p.w[i * n + l]) + static_cast<double>(p.w[l * n + i]);
          of_v -= both * static_cast<double>(work[l * n + j]);
          of_w += static_cast<double>(work[i * n + l]) * static_cast<double>(p.v[j * n + l]);
        }
        to_v[item] = static_cast<Real>(of_v);
        to_w[item] = static_cast<Real>(of_w - static_cast<double>(p.data[item]));
      });
}

void moment_value(const Exec& exec, std::int64_t n, const Real* w, const Real* to_w,
                  double* value) {
  Kokkos::parallel_for(
      "parley::moments::value", Range(exec, 0, 1), KOKKOS_LAMBDA(const std::int64_t) {
        double sum = 0;
        for (std::int64_t i = 0; i < n * n; ++i) {
          sum -= static_cast<double>(w[i]) * static_cast<double>(to_w[i]);
        }
        *value = sum;
      });
}

void sample_moments(const Exec& exec, const Matrix& normals, const Real* lower,
                    const Matrix& samples, Real* out) {
  const std::int64_t n = columns_of(normals), batch = rows_of(normals);
  const Real* const g = normals.data();
  Real* const s = samples.data();
  Kokkos::parallel_for(
      "parley::moments::samples", Range(exec, 0, batch * n),
      KOKKOS_LAMBDA(const std::int64_t item) {
        const std::int64_t row = item / n, i = item % n;
        double sum = 0;
        for (std::int64_t l = 0; l <= i; ++l) {
          sum += static_cast<double>(lower[i * n + l]) * static_cast<double>(g[row * n + l]);
        }
        s[item] = static_cast<Real>(sum);
      });
  Kokkos::parallel_for(
      "parley::moments::covariance", Range(exec, 0, n * n), KOKKOS_LAMBDA(const std::int64_t item) {
        const std::int64_t i = item / n, j = item % n;
        double sum = 0;
        for (std::int64_t row = 0; row < batch; ++row) {
          sum += static_cast<double>(s[row * n + i]) * static_cast<double>(s[row * n + j]);
        }
        out[item] = static_cast<Real>(sum / static_cast<double>(batch));
      });
}

}  // namespace parley
