// SPDX-License-Identifier: BSD-3-Clause
// Element-wise loops, and sums in order.
#include "kernels/perturb.hpp"

#include "kernels/loop.hpp"

namespace parley {

void add_to_rows(const Exec& exec, const Vector& shift, const Matrix& batch) {
  const Real* const d = shift.data();
  Real* const rows = batch.data();
  const auto stride = static_cast<std::int64_t>(batch.stride(0));
  for_each_element(
      exec, "parley::perturb::add", rows_of(batch), columns_of(batch),
      KOKKOS_LAMBDA(const std::int64_t i, const std::int64_t j) { rows[i * stride + j] += d[j]; });
}

void perturbation_field(const Exec& exec, const Matrix& slopes, double weight, const Vector& shift,
                        const Vector& out) {
  const Real* const rows = slopes.data();
  const auto stride = static_cast<std::int64_t>(slopes.stride(0));
  const std::int64_t count = rows_of(slopes);
  const Vector d = shift, to = out;
  Kokkos::parallel_for(
      "parley::perturb::field", Range(exec, 0, columns_of(slopes)),
      KOKKOS_LAMBDA(const std::int64_t j) {
        double sum = 0;
        for (std::int64_t i = 0; i < count; ++i) sum += static_cast<double>(rows[i * stride + j]);
        const auto at = static_cast<std::size_t>(j);
        to(at) = static_cast<Real>(2 * weight * static_cast<double>(d(at)) - sum);
      });
}

void subtract_square(const Exec& exec, double weight, const Vector& shift, std::int64_t size,
                     const Doubles& loss) {
  const Real* const d = shift.data();
  for_each_row_sum(
      exec, "parley::perturb::square", 1, size,
      KOKKOS_LAMBDA(std::int64_t, const std::int64_t j) {
        return static_cast<double>(d[j]) * static_cast<double>(d[j]);
      },
      KOKKOS_LAMBDA(std::int64_t, const double sum) { loss(0) -= weight * sum; });
}

}  // namespace parley
