// SPDX-License-Identifier: BSD-3-Clause
// One worker per row; the sums over a batch run in order on one thread, since a batch is short.
#include "kernels/softmax.hpp"

#include <cfloat>
#include <cmath>

#include "kernels/loop.hpp"

namespace parley {

namespace {

constexpr double smallest = sizeof(Real) == sizeof(float) ? FLT_MIN : DBL_MIN;

struct Softmax {
  Real* data;
  std::int64_t stride, size;

  KOKKOS_INLINE_FUNCTION void operator()(const RowWorker& worker, std::int64_t i) const {
    Real* const v = data + i * stride;
    const double most = worker.largest(size, [=](std::int64_t j) -> double { return v[j]; });
    const double sum =
        worker.sum(size, [=](std::int64_t j) { return exp(static_cast<double>(v[j]) - most); });
    worker.each(size, [=](std::int64_t j) {
      v[j] = static_cast<Real>(exp(static_cast<double>(v[j]) - most) / sum);
    });
  }
};

struct CrossEntropy {
  ClassBatch batch;
  Matrix slopes;
  Doubles terms;

  KOKKOS_INLINE_FUNCTION void operator()(const RowWorker& worker, std::int64_t i) const {
    const Real* const v =
        batch.scores.data() + i * static_cast<std::int64_t>(batch.scores.stride(0));
    Real* const out = slopes.data() + i * static_cast<std::int64_t>(slopes.stride(0));
    const std::int64_t right = batch.classes(static_cast<std::size_t>(i));
    const double most = worker.largest(batch.count, [=](std::int64_t j) -> double { return v[j]; });
    const double sum = worker.sum(
        batch.count, [=](std::int64_t j) { return exp(static_cast<double>(v[j]) - most); });
    const double share = 1.0 / static_cast<double>(batch.rows);
    terms(static_cast<std::size_t>(i)) = most + log(sum) - static_cast<double>(v[right]);
    worker.each(batch.count, [=](std::int64_t j) {
      const double p = exp(static_cast<double>(v[j]) - most) / sum;
      out[j] = static_cast<Real>(share * (j == right ? p - 1 : p));
    });
  }
};

void sum_terms(const Exec& exec, const Doubles& terms, std::int64_t count, double factor,
               const Doubles& out) {
  Kokkos::parallel_for(
      "parley::softmax::sum_terms", Range(exec, 0, 1), KOKKOS_LAMBDA(const std::int64_t) {
        double sum = 0;
        for (std::int64_t i = 0; i < count; ++i) sum += terms(static_cast<std::size_t>(i));
        out(0) = factor * sum;
      });
}

}  // namespace

void softmax_columns(const Exec& exec, const Matrix& rows, const Columns& columns) {
  if (columns.size == 0) return;
  for_each_row(exec, "parley::softmax::rows", rows_of(rows),
               Softmax{rows.data() + columns.begin, static_cast<std::int64_t>(rows.stride(0)),
                       columns.size});
}

void log_columns(const Exec& exec, const Matrix& rows, const Columns& columns) {
  Real* const data = rows.data() + columns.begin;
  const auto stride = static_cast<std::int64_t>(rows.stride(0));
  const double least = smallest;
  for_each_element(
      exec, "parley::softmax::log", rows_of(rows), columns.size,
      KOKKOS_LAMBDA(const std::int64_t i, const std::int64_t j) {
        Real* const v = data + i * stride + j;
        const auto value = static_cast<double>(*v);
        // A NaN stays: it is not below the bound.
        *v = static_cast<Real>(log(value < least ? least : value));
      });
}

void cross_entropy(const Exec& exec, const ClassBatch& batch, const Matrix& slopes,
                   const Doubles& terms, const Doubles& loss) {
  for_each_row(exec, "parley::softmax::cross_entropy", batch.rows,
               CrossEntropy{batch, slopes, terms});
  sum_terms(exec, terms, batch.rows, 1.0 / static_cast<double>(batch.rows), loss);
}

void count_hits(const Exec& exec, const ClassBatch& batch, const Doubles& terms,
                const Doubles& hits) {
  const Real* const scores = batch.scores.data();
  const auto stride = static_cast<std::int64_t>(batch.scores.stride(0));
  const Indices classes = batch.classes;
  const std::int64_t count = batch.count;
  Kokkos::parallel_for(
      "parley::softmax::hits", Range(exec, 0, batch.rows), KOKKOS_LAMBDA(const std::int64_t i) {
        const Real* const v = scores + i * stride;
        std::int64_t best = 0;
        for (std::int64_t j = 1; j < count; ++j) best = v[j] > v[best] ? j : best;
        terms(static_cast<std::size_t>(i)) = best == classes(static_cast<std::size_t>(i)) ? 1 : 0;
      });
  sum_terms(exec, terms, batch.rows, 1, hits);
}

}  // namespace parley
