// SPDX-License-Identifier: BSD-3-Clause
// One dot product per row, in column order: the same bits for any number of agents and threads.
#include "kernels/affine.hpp"

namespace parley {

void affine_field(const Exec& exec, const Matrix& matrices, const Matrix& vectors, const Matrix& z,
                  const Matrix& f) {
  const std::int64_t width = columns_of(z);
  const Real* const a = matrices.data();
  const Real* const q = vectors.data();
  const Real* const in = z.data();
  Real* const out = f.data();
  Kokkos::parallel_for(
      "parley::affine::field", Range(exec, 0, rows_of(z) * width),
      KOKKOS_LAMBDA(const std::int64_t item) {
        const std::int64_t m = item / width;
        Real sum = q[item];
        for (std::int64_t j = 0; j < width; ++j) sum += a[item * width + j] * in[m * width + j];
        out[item] = sum;
      });
}

void add_normal(const Exec& exec, const Philox& normal, const NoiseRange& range, Real deviation,
                const Vector& row) {
  Kokkos::parallel_for(
      "parley::noise::add_normal", Range(exec, 0, range.size), KOKKOS_LAMBDA(const std::int64_t j) {
        const auto index = static_cast<std::uint64_t>(range.packed + j);
        row(static_cast<std::size_t>(range.column + j)) +=
            deviation * static_cast<Real>(normal.normal(index));
      });
}

}  // namespace parley
