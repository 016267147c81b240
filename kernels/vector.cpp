// SPDX-License-Identifier: BSD-3-Clause
// Row operations. Every element is computed alone, so that the result does not depend on how rows
// and columns are cut into threads.
#include "kernels/vector.hpp"

#include <cmath>

#include "kernels/loop.hpp"

namespace parley {

namespace {

/// Factors and pointers of N terms, by value into the kernel.
template <int N>
struct Terms {
  Real x[N], y[N];
  const Real* rows[N];
};

template <int N>
void combine_terms(const Exec& exec, std::int64_t y_begin, std::span<const Term> given,
                   const Matrix& out) {
  Terms<N> terms{};
  for (int t = 0; t < N; ++t) {
    const Term& term = given[static_cast<std::size_t>(t)];
    terms.x[t] = static_cast<Real>(term.factor.x);
    terms.y[t] = static_cast<Real>(term.factor.y);
    terms.rows[t] = term.rows.data();
  }
  Real* const target = out.data();
  for_each_parameter(
      exec, "parley::vector::combine", rows_of(out), columns_of(out), y_begin,
      KOKKOS_LAMBDA(const bool is_x, const std::int64_t i) {
        Real sum = (is_x ? terms.x[0] : terms.y[0]) * terms.rows[0][i];
        for (int t = 1; t < N; ++t) {
          sum += (is_x ? terms.x[t] : terms.y[t]) * terms.rows[t][i];
        }
        target[i] = sum;
      });
}

/// Sums `value(i, j)` over the chunks of every row, x and y apart, then over chunks in order.
template <class Value>
std::vector<PlayerNorms> reduce_rows(const Exec& exec, std::int64_t y_begin, const Matrix& a,
                                     const Value& value) {
  const std::int64_t width = columns_of(a);
  const std::int64_t chunks = (width + reduction_chunk - 1) / reduction_chunk;
  const Doubles partial("parley::vector::partial",
                        static_cast<std::size_t>(rows_of(a) * chunks * 2));
  Kokkos::parallel_for(
      "parley::vector::reduce", Range(exec, 0, rows_of(a) * chunks),
      KOKKOS_LAMBDA(const std::int64_t item) {
        const std::int64_t i = item / chunks, begin = item % chunks * reduction_chunk;
        const std::int64_t end = begin + reduction_chunk < width ? begin + reduction_chunk : width;
        double x = 0, y = 0;
        for (std::int64_t j = begin; j < end; ++j) {
          const double v = value(i, j);
          (j < y_begin ? x : y) += v * v;
        }
        partial(static_cast<std::size_t>(2 * item)) = x;
        partial(static_cast<std::size_t>(2 * item + 1)) = y;
      });
  fence(exec, "parley::vector::reduce");
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), partial);
  std::vector<PlayerNorms> sums(static_cast<std::size_t>(rows_of(a)));
  std::size_t item = 0;
  for (auto& sum : sums) {
    for (std::int64_t c = 0; c < chunks; ++c, ++item) {
      sum.x += host(2 * item);
      sum.y += host(2 * item + 1);
    }
  }
  return sums;
}

struct RowValue {
  Matrix a;
  KOKKOS_INLINE_FUNCTION double operator()(std::int64_t i, std::int64_t j) const {
    return static_cast<double>(a(static_cast<std::size_t>(i), static_cast<std::size_t>(j)));
  }
};

struct RowDifference {
  Matrix a;
  Vector b;
  KOKKOS_INLINE_FUNCTION double operator()(std::int64_t i, std::int64_t j) const {
    return static_cast<double>(a(static_cast<std::size_t>(i), static_cast<std::size_t>(j))) -
           static_cast<double>(b(static_cast<std::size_t>(j)));
  }
};

}  // namespace

void combine(const Exec& exec, std::int64_t y_begin, std::span<const Term> terms,
             const Matrix& out) {
  switch (terms.size()) {
    case 1:
      return combine_terms<1>(exec, y_begin, terms, out);
    case 2:
      return combine_terms<2>(exec, y_begin, terms, out);
    case 3:
      return combine_terms<3>(exec, y_begin, terms, out);
    case 4:
      return combine_terms<4>(exec, y_begin, terms, out);
    default:
      Kokkos::abort("parley::combine takes 1 to 4 terms");
  }
}

void copy(const Exec& exec, const Matrix& in, const Matrix& out) {
  Kokkos::deep_copy(exec, out, in);
}

std::vector<PlayerNorms> row_norms(const Exec& exec, std::int64_t y_begin, const Matrix& a) {
  return reduce_rows(exec, y_begin, a, RowValue{a});
}

std::vector<PlayerNorms> row_distances(const Exec& exec, std::int64_t y_begin, const Matrix& a,
                                       const Vector& b) {
  return reduce_rows(exec, y_begin, a, RowDifference{a, b});
}

std::int64_t first_bad_row(const Exec& exec, const Matrix& a) {
  // Squares are summed in double, where finite single-precision rows cannot overflow; a double row
  // whose squared norm overflows has left every use anyway.
  const auto sums = row_norms(exec, columns_of(a), a);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (!std::isfinite(sums[i].x)) return static_cast<std::int64_t>(i);
  }
  return -1;
}

void clip_rows(const Exec& exec, std::int64_t y_begin, const Pair& bound, const Matrix& a) {
  const auto norms = row_norms(exec, y_begin, a);
  const auto factor = [](double most, double square) {
    const double norm = std::sqrt(square);
    return most > 0 && norm > most && std::isfinite(norm) ? most / norm : 1.0;
  };
  for (std::size_t i = 0; i < norms.size(); ++i) {
    const Pair scale{factor(bound.x, norms[i].x), factor(bound.y, norms[i].y)};
    if (scale.x == 1 && scale.y == 1) continue;
    const auto local = static_cast<std::int64_t>(i);
    const Matrix part = rows(a, local, local + 1);
    combine(exec, y_begin, {{scale, part}}, part);
  }
}

namespace {

/// out(i, j) = each(a(i, j), weight(i)).
template <class Each>
void weigh_each(const Exec& exec, const Matrix& a, const Vector& weight, const Matrix& out,
                const Each& each) {
  const std::int64_t width = columns_of(a);
  Kokkos::parallel_for(
      "parley::vector::weigh", Range(exec, 0, rows_of(a) * width),
      KOKKOS_LAMBDA(const std::int64_t item) {
        const auto i = static_cast<std::size_t>(item / width);
        const auto j = static_cast<std::size_t>(item % width);
        out(i, j) = each(a(i, j), weight(i));
      });
}

struct Quotient {
  KOKKOS_INLINE_FUNCTION Real operator()(Real a, Real b) const { return a / b; }
};
struct Product {
  KOKKOS_INLINE_FUNCTION Real operator()(Real a, Real b) const { return a * b; }
};

}  // namespace

void divide_rows(const Exec& exec, const Matrix& a, const Vector& weight, const Matrix& out) {
  weigh_each(exec, a, weight, out, Quotient());
}

void multiply_rows(const Exec& exec, const Matrix& a, const Vector& weight, const Matrix& out) {
  weigh_each(exec, a, weight, out, Product());
}

void broadcast_row(const Exec& exec, const Vector& in, const Matrix& out) {
  const std::int64_t width = columns_of(out);
  Kokkos::parallel_for(
      "parley::vector::broadcast", Range(exec, 0, rows_of(out) * width),
      KOKKOS_LAMBDA(const std::int64_t item) {
        out(static_cast<std::size_t>(item / width), static_cast<std::size_t>(item % width)) =
            in(static_cast<std::size_t>(item % width));
      });
}

}  // namespace parley
