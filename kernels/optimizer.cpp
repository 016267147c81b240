// SPDX-License-Identifier: BSD-3-Clause
// One pass over gradient, moments and parameters: the update is bound by memory, not arithmetic.
#include "kernels/optimizer.hpp"

#include <cmath>

#include "kernels/loop.hpp"

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
  for_each_parameter(
      exec, "parley::optimizer::adam", rows_of(rows.m), columns_of(rows.m), 0,
      KOKKOS_LAMBDA(bool, const std::int64_t t) { d[t] = adam.direction(g[t], m[t], v[t]); });
}

void adam_direction(const Exec& exec, std::int64_t y_begin, Player player, const AdamStep& step,
                    const AdamRows& rows) {
  const Adam adam(step);
  const bool of_x = player == Player::x;
  const Real* const g = rows.gradient.data();
  Real* const m = rows.m.data();
  Real* const v = rows.v.data();
  Real* const d = rows.direction.data();
  for_each_parameter(
      exec, "parley::optimizer::adam_of_player", rows_of(rows.m), columns_of(rows.m), y_begin,
      KOKKOS_LAMBDA(const bool is_x, const std::int64_t t) {
        d[t] = is_x == of_x ? adam.direction(g[t], m[t], v[t]) : Real(0);
      });
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
  for_each_parameter(
      exec, "parley::optimizer::optimistic_adam", rows_of(rows.m), columns_of(rows.m), y_begin,
      KOKKOS_LAMBDA(const bool is_x, const std::int64_t t) {
        const Real step_size = is_x ? eta_x : eta_y;
        const Real direction = adam.direction(g[t], m[t], v[t]);
        u[t] = base[t] - Real(2) * step_size * direction + step_size * d[t];
        d[t] = direction;
      });
}

}  // namespace parley
