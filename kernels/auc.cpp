// SPDX-License-Identifier: BSD-3-Clause
// One worker per agent: four sums over its rows.
#include "kernels/auc.hpp"

#include "kernels/batch_loop.hpp"

namespace parley {

namespace {

/// Derivatives of the AUC game's row by h and by alpha (but for the term in alpha alone).
struct AucRow {
  double p, a, b, alpha;
  KOKKOS_INLINE_FUNCTION double value(double h, bool positive) const {
    const double own = positive ? (1 - p) * (h - a) * (h - a) : p * (h - b) * (h - b);
    return own + 2 * (1 + alpha) * coupling(h, positive) - p * (1 - p) * alpha * alpha;
  }
  KOKKOS_INLINE_FUNCTION double slope(double h, bool positive) const {
    return positive ? 2 * (1 - p) * (h - a - 1 - alpha) : 2 * p * (h - b + 1 + alpha);
  }
  KOKKOS_INLINE_FUNCTION double coupling(double h, bool positive) const {
    return positive ? -(1 - p) * h : p * h;
  }
};

KOKKOS_INLINE_FUNCTION AucRow auc_row(const AucPlaces& places, const Matrix& z, std::int64_t m) {
  const Real* const row = row_of(z, m, 0);
  return {places.p, static_cast<double>(row[places.a]), static_cast<double>(row[places.b]),
          static_cast<double>(row[places.alpha])};
}

struct AucField {
  Margins margins;
  AucPlaces places;
  Matrix z, f;
  const double* weights;
  double* slopes;

  KOKKOS_INLINE_FUNCTION void operator()(const RowWorker& worker, std::int64_t m) const {
    const AucRow row = auc_row(places, z, m);
    const std::int64_t size = margins.batch.size(m);
    const double weight = weights[m];
    double* const out = slopes + m * margins.batch.width;
    worker.each(size, [&](std::int64_t i) {
      out[i] = weight * row.slope(margins.at(m, i), margins.answer(m, i) > 0);
    });
    const double by_a = worker.sum(size, [&](std::int64_t i) {
      return margins.answer(m, i) > 0 ? margins.at(m, i) - row.a : 0.0;
    });
    const double by_b = worker.sum(size, [&](std::int64_t i) {
      return margins.answer(m, i) > 0 ? 0.0 : margins.at(m, i) - row.b;
    });
    const double by_alpha = worker.sum(size, [&](std::int64_t i) {
      return row.coupling(margins.at(m, i), margins.answer(m, i) > 0) -
             row.p * (1 - row.p) * row.alpha;
    });
    Real* const to = row_of(f, m, 0);
    to[places.a] = static_cast<Real>(-2 * (1 - row.p) * weight * by_a);
    to[places.b] = static_cast<Real>(-2 * row.p * weight * by_b);
    to[places.alpha] = static_cast<Real>(-2 * weight * by_alpha);
  }
};

struct Moments {
  Margins margins;
  double* out;
  KOKKOS_INLINE_FUNCTION void operator()(const RowWorker& worker, std::int64_t m) const {
    for (int negative = 0; negative < 2; ++negative) {
      for (int power = 0; power < 3; ++power) {
        out[6 * m + 3 * negative + power] =
            worker.sum(margins.batch.size(m), [&](std::int64_t i) -> double {
              if ((margins.answer(m, i) > 0) == (negative == 1)) return 0;
              const double h = margins.at(m, i);
              return power == 0 ? 1 : (power == 1 ? h : h * h);
            });
      }
    }
  }
};

}  // namespace

void auc_field(const Exec& exec, const Margins& margins, const AucPlaces& places, const Matrix& z,
               const Doubles& weights, const Doubles& slopes, const Matrix& f) {
  for_each_row(exec, "parley::margins::auc", margins.batch.agents,
               AucField{margins, places, z, f, weights.data(), slopes.data()});
}

void auc_values(const Exec& exec, const Margins& margins, const AucPlaces& places, const Matrix& z,
                const Doubles& values) {
  for_each_batch_row(
      exec, "parley::margins::auc_values", margins.batch,
      KOKKOS_LAMBDA(const std::int64_t m, const std::int64_t i) {
        values(static_cast<std::size_t>(m * margins.batch.width + i)) =
            auc_row(places, z, m).value(margins.at(m, i), margins.answer(m, i) > 0);
      });
}

void class_moments(const Exec& exec, const Margins& margins, const Doubles& out) {
  for_each_row(exec, "parley::margins::moments", margins.batch.agents,
               Moments{margins, out.data()});
}

}  // namespace parley
