// SPDX-License-Identifier: BSD-3-Clause
// One worker per agent wherever a sum over its rows is formed, one item per number elsewhere.
#include "kernels/margins.hpp"

#include <cmath>

#include "kernels/batch_loop.hpp"

namespace parley {

namespace {

/// The three losses as types, so that loops over rows hold no switch.
struct Squared {
  KOKKOS_INLINE_FUNCTION static double value(double t, double y) { return 0.5 * (t - y) * (t - y); }
  KOKKOS_INLINE_FUNCTION static double slope(double t, double y) { return t - y; }
};
struct LogQuadratic {
  KOKKOS_INLINE_FUNCTION static double value(double t, double y) {
    return 2 * log1p(0.5 * (t - y) * (t - y));
  }
  KOKKOS_INLINE_FUNCTION static double slope(double t, double y) {
    const double r = t - y;
    return 2 * r / (1 + 0.5 * r * r);
  }
};
struct Logistic {
  KOKKOS_INLINE_FUNCTION static double value(double t, double y) {
    const double s = y * t;  // log(1 + e^-s) without overflow
    return s > 0 ? log1p(exp(-s)) : log1p(exp(s)) - s;
  }
  KOKKOS_INLINE_FUNCTION static double slope(double t, double y) {
    const double s = y * t, e = exp(s > 0 ? -s : s);
    return -y * (s > 0 ? e / (1 + e) : 1 / (1 + e));
  }
};

template <class Work>
void with_loss(RowLoss loss, const Work& work) {
  switch (loss) {
    case RowLoss::squared:
      return work(Squared{});
    case RowLoss::log_quadratic:
      return work(LogQuadratic{});
    case RowLoss::logistic:
      return work(Logistic{});
  }
}

template <class Loss>
struct Slopes {
  Margins margins;
  const double* weights;
  double* slopes;
  double* sums;

  KOKKOS_INLINE_FUNCTION void operator()(const RowWorker& worker, std::int64_t m) const {
    const std::int64_t size = margins.batch.size(m);
    double* const out = slopes + m * margins.batch.width;
    const double weight = weights[m];
    worker.each(size, [&](std::int64_t i) {
      out[i] = weight * Loss::slope(margins.at(m, i), margins.answer(m, i));
    });
    const bool against = margins.against;
    sums[m] = worker.sum(
        size, [&](std::int64_t i) { return against ? margins.answer(m, i) * out[i] : out[i]; });
  }
};

struct RowSum {
  RowBatch batch;
  const double* values;
  double* out;
  KOKKOS_INLINE_FUNCTION void operator()(const RowWorker& worker, std::int64_t m) const {
    const double* const mine = values + m * batch.width;
    out[m] = worker.sum(batch.size(m), [=](std::int64_t i) { return mine[i]; });
  }
};

struct Matches {
  Margins margins;
  double* out;
  KOKKOS_INLINE_FUNCTION void operator()(const RowWorker& worker, std::int64_t m) const {
    out[m] = worker.sum(margins.batch.size(m), [&](std::int64_t i) -> double {
      return margins.at(m, i) * margins.answer(m, i) > 0 ? 1 : 0;
    });
  }
};

struct Dots {
  Matrix z;
  std::int64_t u, v, size;
  double* out;
  KOKKOS_INLINE_FUNCTION void operator()(const RowWorker& worker, std::int64_t m) const {
    const Real* const a = row_of(z, m, u);
    const Real* const b = row_of(z, m, v);
    out[m] = worker.sum(size, [=](std::int64_t j) {
      return static_cast<double>(a[j]) * static_cast<double>(b[j]);
    });
  }
};

struct Squares {
  Matrix z;
  std::int64_t column, size;
  double center;
  double* out;
  KOKKOS_INLINE_FUNCTION void operator()(const RowWorker& worker, std::int64_t m) const {
    const Real* const v = row_of(z, m, column);
    const double c = center;
    out[m] = worker.sum(size, [=](std::int64_t j) {
      const double left = static_cast<double>(v[j]) - c;
      return left * left;
    });
  }
};

KOKKOS_INLINE_FUNCTION double length_of(const RowWorker& worker, bool l1, const Real* v,
                                        std::int64_t size) {
  if (l1) {
    return worker.sum(size, [=](std::int64_t j) { return fabs(static_cast<double>(v[j])); });
  }
  return sqrt(worker.sum(
      size, [=](std::int64_t j) { return static_cast<double>(v[j]) * static_cast<double>(v[j]); }));
}

struct Length {
  bool l1;
  Matrix z;
  std::int64_t column, size;
  double factor;
  double* out;
  KOKKOS_INLINE_FUNCTION void operator()(const RowWorker& worker, std::int64_t m) const {
    out[m] = factor * length_of(worker, l1, row_of(z, m, column), size);
  }
};

struct LengthSlope {
  bool l1;
  Matrix z, f;
  std::int64_t column, size;
  double factor;
  const double* scales;
  KOKKOS_INLINE_FUNCTION void operator()(const RowWorker& worker, std::int64_t m) const {
    const Real* const v = row_of(z, m, column);
    Real* const to = row_of(f, m, column);
    const double length = l1 ? 1 : length_of(worker, false, v, size);
    if (!(length > 0)) return;
    const double scale = factor * scales[m] / length;
    const bool signs = l1;
    worker.each(size, [=](std::int64_t j) {
      const double x = v[j];
      const double slope = signs ? (x > 0 ? 1.0 : (x < 0 ? -1.0 : 0.0)) : x;
      to[j] += static_cast<Real>(scale * slope);
    });
  }
};

struct SaturatingSum {
  Saturating r;
  Matrix z;
  std::int64_t column, size;
  double* out;
  KOKKOS_INLINE_FUNCTION void operator()(const RowWorker& worker, std::int64_t m) const {
    const Real* const w = row_of(z, m, column);
    const double a = r.a;
    out[m] = r.lambda * worker.sum(size, [=](std::int64_t j) {
      const double square = a * static_cast<double>(w[j]) * static_cast<double>(w[j]);
      return square / (1 + square);
    });
  }
};

template <bool add>
void move_columns(const Exec& exec, const Matrix& z, std::int64_t from, double factor,
                  const Doubles& scales, const Matrix& f, std::int64_t column, std::int64_t size) {
  const bool scaled = scales.extent(0) > 0;
  const double* const scale = scales.data();
  const Real* const in = z.data() + from;
  Real* const out = f.data() + column;
  const auto step_in = static_cast<std::int64_t>(z.stride(0));
  const auto step_out = static_cast<std::int64_t>(f.stride(0));
  for_each_element(
      exec, "parley::margins::columns", rows_of(z), size,
      KOKKOS_LAMBDA(const std::int64_t m, const std::int64_t j) {
        const double own = scaled ? factor * scale[m] : factor;
        const double value = own * static_cast<double>(in[m * step_in + j]);
        const double old = add ? static_cast<double>(out[m * step_out + j]) : 0.0;
        out[m * step_out + j] = static_cast<Real>(old + value);
      });
}

template <class Loss>
struct LossAt {
  Margins margins;
  double* out;
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t m, std::int64_t i) const {
    out[m * margins.batch.width + i] = Loss::value(margins.at(m, i), margins.answer(m, i));
  }
};

}  // namespace

void row_losses(const Exec& exec, RowLoss loss, const Margins& margins, const Doubles& losses) {
  with_loss(loss, [&](auto kind) {
    for_each_batch_row(exec, "parley::margins::losses", margins.batch,
                       LossAt<decltype(kind)>{margins, losses.data()});
  });
}

void row_slopes(const Exec& exec, RowLoss loss, const Margins& margins, const Doubles& weights,
                const Doubles& slopes, const Doubles& sums) {
  with_loss(loss, [&](auto kind) {
    for_each_row(exec, "parley::margins::slopes", margins.batch.agents,
                 Slopes<decltype(kind)>{margins, weights.data(), slopes.data(), sums.data()});
  });
}

void sum_over_rows(const Exec& exec, const RowBatch& batch, const Doubles& values,
                   const Doubles& out) {
  for_each_row(exec, "parley::margins::sum", batch.agents,
               RowSum{batch, values.data(), out.data()});
}

void count_matches(const Exec& exec, const Margins& margins, const Doubles& out) {
  for_each_row(exec, "parley::margins::matches", margins.batch.agents,
               Matches{margins, out.data()});
}

void row_dots(const Exec& exec, const Matrix& z, std::int64_t u, std::int64_t v, std::int64_t size,
              const Doubles& out) {
  for_each_row(exec, "parley::margins::dots", rows_of(z), Dots{z, u, v, size, out.data()});
}

void set_columns(const Exec& exec, const Matrix& z, std::int64_t from, double factor,
                 const Doubles& scales, const Matrix& f, std::int64_t column, std::int64_t size) {
  move_columns<false>(exec, z, from, factor, scales, f, column, size);
}

void add_columns(const Exec& exec, const Matrix& z, std::int64_t from, double factor,
                 const Doubles& scales, const Matrix& f, std::int64_t column, std::int64_t size) {
  move_columns<true>(exec, z, from, factor, scales, f, column, size);
}

void squares_about(const Exec& exec, const Matrix& z, std::int64_t column, std::int64_t size,
                   double center, const Doubles& out) {
  for_each_row(exec, "parley::margins::squares", rows_of(z),
               Squares{z, column, size, center, out.data()});
}

void row_lengths(const Exec& exec, Norm norm, const Matrix& z, std::int64_t column,
                 std::int64_t size, double factor, const Doubles& out) {
  for_each_row(exec, "parley::margins::lengths", rows_of(z),
               Length{norm == Norm::l1, z, column, size, factor, out.data()});
}

void add_length_slopes(const Exec& exec, Norm norm, const Matrix& z, std::int64_t column,
                       std::int64_t size, double factor, const Doubles& scales, const Matrix& f) {
  for_each_row(exec, "parley::margins::length_slopes", rows_of(z),
               LengthSlope{norm == Norm::l1, z, f, column, size, factor, scales.data()});
}

void add_saturating(const Exec& exec, const Saturating& r, const Matrix& z, std::int64_t column,
                    std::int64_t size, const Matrix& f) {
  for_each_element(
      exec, "parley::margins::saturating", rows_of(z), size,
      KOKKOS_LAMBDA(const std::int64_t m, const std::int64_t j) {
        const double w = row_of(z, m, column)[j], below = 1 + r.a * w * w;
        row_of(f, m, column)[j] += static_cast<Real>(2 * r.lambda * r.a * w / (below * below));
      });
}

void saturating_values(const Exec& exec, const Saturating& r, const Matrix& z, std::int64_t column,
                       std::int64_t size, const Doubles& out) {
  for_each_row(exec, "parley::margins::saturating_values", rows_of(z),
               SaturatingSum{r, z, column, size, out.data()});
}

}  // namespace parley
