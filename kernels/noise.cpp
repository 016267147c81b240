// SPDX-License-Identifier: BSD-3-Clause
// Oracle noise of the analytic games.
#include "kernels/noise.hpp"

namespace parley {

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
