// SPDX-License-Identifier: BSD-3-Clause
// Scores to losses and per-sample factors, in double: a few numbers per sample.
#include "kernels/loss.hpp"

#include <cmath>

#include "kernels/loop.hpp"

namespace parley {

namespace {

KOKKOS_INLINE_FUNCTION double softplus(double t) {
  return (t > 0 ? t : 0.0) + std::log1p(std::exp(t > 0 ? -t : t));
}
KOKKOS_INLINE_FUNCTION double logistic(double t) {
  return 1.0 / (1.0 + std::exp(-t));
}

struct Term {
  double value, slope;
};

KOKKOS_INLINE_FUNCTION Term critic_on_real(GanLoss loss, double d) {
  switch (loss) {
    case GanLoss::minimax:
    case GanLoss::non_saturating:
      return {softplus(-d), -logistic(-d)};
    case GanLoss::least_squares:
      return {0.5 * (d - 1) * (d - 1), d - 1};
    case GanLoss::hinge:
      return {d < 1 ? 1 - d : 0 * d, d < 1 ? -1.0 : 0.0};
    case GanLoss::wgan:
      break;
  }
  return {-d, -1.0};
}

KOKKOS_INLINE_FUNCTION Term critic_on_fake(GanLoss loss, double d) {
  switch (loss) {
    case GanLoss::minimax:
    case GanLoss::non_saturating:
      return {softplus(d), logistic(d)};
    case GanLoss::least_squares:
      return {0.5 * d * d, d};
    case GanLoss::hinge:
      return {d > -1 ? 1 + d : 0 * d, d > -1 ? 1.0 : 0.0};
    case GanLoss::wgan:
      break;
  }
  return {d, 1.0};
}

KOKKOS_INLINE_FUNCTION Term generator_on_fake(GanLoss loss, double d) {
  switch (loss) {
    case GanLoss::minimax:
      return {-softplus(d), -logistic(d)};
    case GanLoss::non_saturating:
      return {softplus(-d), -logistic(-d)};
    case GanLoss::least_squares:
      return {0.5 * (d - 1) * (d - 1), d - 1};
    case GanLoss::hinge:
    case GanLoss::wgan:
      break;
  }
  return {-d, -1.0};
}

// One thread, in order: the bits do not depend on the number of threads, and a batch is short.
void add_mean(const Exec& exec, const Doubles& terms, std::int64_t begin, std::int64_t end,
              const Doubles& losses, std::int64_t which) {
  Kokkos::parallel_for(
      "parley::loss::add_mean", Range(exec, 0, 1), KOKKOS_LAMBDA(std::int64_t) {
        double sum = 0;
        for (std::int64_t i = begin; i < end; ++i) sum += terms(i);
        losses(which) += sum / static_cast<double>(end - begin);
      });
}

}  // namespace

void evaluate_loss(const Exec& exec, GanLoss loss, std::int64_t batch, const LossArrays& arrays,
                   const Doubles& losses) {
  const Matrix scores = arrays.scores;
  const Vector weights = arrays.weights, fake = arrays.fake;
  const Doubles terms = arrays.terms;
  const double share = 1.0 / static_cast<double>(batch);
  Kokkos::parallel_for(
      "parley::loss::evaluate", Range(exec, 0, batch), KOKKOS_LAMBDA(std::int64_t i) {
        const Term on_real = critic_on_real(loss, static_cast<double>(scores(i, 0)));
        const double d = static_cast<double>(scores(batch + i, 0));
        const Term on_fake = critic_on_fake(loss, d), generator = generator_on_fake(loss, d);
        weights(i) = static_cast<Real>(share * on_real.slope);
        weights(batch + i) = static_cast<Real>(share * on_fake.slope);
        fake(i) = static_cast<Real>(share * generator.slope);
        terms(i) = on_real.value + on_fake.value;
        terms(batch + i) = generator.value;
      });
  Kokkos::parallel_for(
      "parley::loss::clear", Range(exec, 0, 2), KOKKOS_LAMBDA(std::int64_t i) { losses(i) = 0; });
  add_mean(exec, terms, 0, batch, losses, 1);
  add_mean(exec, terms, batch, 2 * batch, losses, 0);
}

void interpolate(const Exec& exec, const Vector& mix, const Matrix& real, const Matrix& fake,
                 const Matrix& between) {
  const Real *const m = mix.data(), *const r = real.data(), *const f = fake.data();
  Real* const b = between.data();
  const std::int64_t columns = columns_of(between);
  for_each_element(
      exec, "parley::loss::interpolate", rows_of(between), columns,
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) {
        const std::int64_t t = i * columns + j;
        b[t] = m[i] * r[t] + (1 - m[i]) * f[t];
      });
}

void evaluate_penalty(const Exec& exec, double lambda, const Matrix& g, const Vector& weights,
                      const Doubles& terms, const Doubles& losses) {
  const std::int64_t batch = rows_of(g), columns = columns_of(g);
  const Real* const values = g.data();
  const double share = lambda / static_cast<double>(batch);
  for_each_row_sum(
      exec, "parley::loss::penalty", batch, columns,
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) {
        const double value = static_cast<double>(values[i * columns + j]);
        return value * value;
      },
      KOKKOS_LAMBDA(std::int64_t i, double square) {
        const double norm = std::sqrt(square);
        const double factor = norm > 0 ? 2 * share * (norm - 1) / norm : 0.0;
        weights(i) = static_cast<Real>(factor);
        terms(i) = lambda * (norm - 1) * (norm - 1);
      });
  add_mean(exec, terms, 0, batch, losses, 1);
}

void clip_columns(const Exec& exec, const Matrix& z, std::int64_t begin, std::int64_t end,
                  Real bound) {
  Real* const first = z.data() + begin;
  const std::int64_t stride = static_cast<std::int64_t>(z.stride(0));
  for_each_element(
      exec, "parley::loss::clip", rows_of(z), end - begin,
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) {
        Real& value = first[i * stride + j];
        value = value > bound ? bound : (value < -bound ? -bound : value);
      });
}

}  // namespace parley
