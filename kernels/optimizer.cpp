// SPDX-License-Identifier: BSD-3-Clause
// One pass over gradient, moments and parameters: the update is bound by memory, not arithmetic.
#include "kernels/optimizer.hpp"

#include <cmath>

namespace parley {

namespace {

/// Adam's constants in the precision of the rows.
struct Adam {
  Real beta1, beta2, rest1, rest2, correct1, correct2, epsilon;

  explicit Adam(const AdamStep& step)
      : beta1(static_cast<Real>(step.beta1)),
        beta2(static_cast<Real>(step.beta2)),
        rest1(static_cast<Real>(1 - step.beta1)),
        rest2(static_cast<Real>(1 - step.beta2)),
        correct1(static_cast<Real>(1 / (1 - std::pow(step.beta1, double(step.count))))),
        correct2(static_cast<Real>(1 / (1 - std::pow(step.beta2, double(step.count))))),
        epsilon(static_cast<Real>(step.epsilon)) {}

  KOKKOS_INLINE_FUNCTION Real direction(Real g, Real& m, Real& v) const {
    m = beta1 * m + rest1 * g;
    v = beta2 * v + rest2 * (g * g);
    return m * correct1 / (std::sqrt(v * correct2) + epsilon);
  }
};

}  // namespace

void adam_direction(const Exec& exec, const AdamStep& step, const AdamRows& rows) {
  const Adam adam(step);
  const Real* const g = rows.gradient.data();
  Real* const m = rows.m.data();
  Real* const v = rows.v.data();
  Real* const d = rows.direction.data();
  Kokkos::parallel_for(
      "parley::optimizer::adam", Range(exec, 0, static_cast<std::int64_t>(rows.m.size())),
      KOKKOS_LAMBDA(const std::int64_t j) { d[j] = adam.direction(g[j], m[j], v[j]); });
}

void optimistic_adam(const Exec& exec, std::int64_t y_begin, const AdamStep& step, const Pair& eta,
                     const OptimisticRows& rows) {
  const Adam adam(step);
  const Real* const g = rows.gradient.data();
  Real* const m = rows.m.data();
  Real* const v = rows.v.data();
  Real* const d = rows.previous.data();
  const Real* const base = rows.base.data();
  Real* const u = rows.u.data();
  const Real eta_x = static_cast<Real>(eta.x), eta_y = static_cast<Real>(eta.y);
  const std::int64_t width = columns_of(rows.m);
  const std::int64_t chunks = (width + row_alignment - 1) / row_alignment;
  // One work item is 64 bytes of a row, which belong to one player.
  Kokkos::parallel_for(
      "parley::optimizer::optimistic_adam", Range(exec, 0, rows_of(rows.m) * chunks),
      KOKKOS_LAMBDA(const std::int64_t item) {
        const std::int64_t begin = item % chunks * row_alignment;
        const Real step_size = begin < y_begin ? eta_x : eta_y;
        const std::int64_t first = item / chunks * width + begin;
        const std::int64_t end = begin + row_alignment < width ? row_alignment : width - begin;
        for (std::int64_t j = first; j < first + end; ++j) {
          const Real direction = adam.direction(g[j], m[j], v[j]);
          u[j] = base[j] - Real(2) * step_size * direction + step_size * d[j];
          d[j] = direction;
        }
      });
}

}  // namespace parley
