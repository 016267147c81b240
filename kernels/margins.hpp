// SPDX-License-Identifier: BSD-3-Clause
// What games on linear models do with margins: losses of rows and their slopes, their sums, and the
// parts of fields that are no sum over rows. One number per row in double; sums over an agent's
// rows in an order that depends on their number only. Asynchronous.
#pragma once

#include <cstdint>

#include "kernels/rows.hpp"
#include "kernels/types.hpp"

namespace parley {

/// Loss of a row with margin t and answer y.
enum class RowLoss {
  squared,        ///< (t - y)^2 / 2
  log_quadratic,  ///< 2 log(1 + (t - y)^2 / 2)
  logistic        ///< log(1 + exp(-y t)), y = -1 or 1
};

/// Margins t(m, i) of a batch: products(m, i) + offsets(m), or, when `against`, products(m, i) -
/// y offsets(m), which lowers every y t by the offset.
struct Margins {
  RowBatch batch;
  Doubles products;  ///< agents x width
  Doubles answers;   ///< y per row of the table
  Doubles offsets;   ///< per agent; empty: zeros
  bool against = false;

  KOKKOS_INLINE_FUNCTION double answer(std::int64_t m, std::int64_t i) const {
    return answers(static_cast<std::size_t>(batch.row(m, i)));
  }
  KOKKOS_INLINE_FUNCTION double at(std::int64_t m, std::int64_t i) const {
    const double t = products(static_cast<std::size_t>(m * batch.width + i));
    if (offsets.extent(0) == 0) return t;
    const double offset = offsets(static_cast<std::size_t>(m));
    return against ? t - answer(m, i) * offset : t + offset;
  }
};

/// losses(m, i) = phi(t, y); losses: agents x width.
void row_losses(const Exec& exec, RowLoss loss, const Margins& margins, const Doubles& losses);

/// slopes(m, i) = weights(m) dphi/dt, and sums(m) = sum_i slopes(m, i), times y when `against`:
/// the derivative by the offset, but for the sign that it has then.
void row_slopes(const Exec& exec, RowLoss loss, const Margins& margins, const Doubles& weights,
                const Doubles& slopes, const Doubles& sums);

/// out(m) = sum_i values(m, i); values: agents x width.
void sum_over_rows(const Exec& exec, const RowBatch& batch, const Doubles& values,
                   const Doubles& out);

/// out(m) = number of rows with y t > 0.
void count_matches(const Exec& exec, const Margins& margins, const Doubles& out);

/// out(m) = u'v for the `size` columns of z's row m that begin at u and v.
void row_dots(const Exec& exec, const Matrix& z, std::int64_t u, std::int64_t v, std::int64_t size,
              const Doubles& out);

/// f's `size` columns at `column` = or += factor * those of z at `from` * scales(m); scales empty:
/// 1.
void set_columns(const Exec& exec, const Matrix& z, std::int64_t from, double factor,
                 const Doubles& scales, const Matrix& f, std::int64_t column, std::int64_t size);
void add_columns(const Exec& exec, const Matrix& z, std::int64_t from, double factor,
                 const Doubles& scales, const Matrix& f, std::int64_t column, std::int64_t size);

/// out(m) = sum_j (v_j - center)^2 over the `size` columns of z's row m at `column`.
void squares_about(const Exec& exec, const Matrix& z, std::int64_t column, std::int64_t size,
                   double center, const Doubles& out);

/// A norm of a model, and its gradient (0 where it has none).
enum class Norm { l1, l2 };
/// out(m) = factor ||v|| over the `size` columns of z's row m at `column`.
void row_lengths(const Exec& exec, Norm norm, const Matrix& z, std::int64_t column,
                 std::int64_t size, double factor, const Doubles& out);
/// f at `column` += factor * scales(m) * the gradient of ||v||.
void add_length_slopes(const Exec& exec, Norm norm, const Matrix& z, std::int64_t column,
                       std::int64_t size, double factor, const Doubles& scales, const Matrix& f);

/// Regulariser lambda sum_j a w_j^2 / (1 + a w_j^2) over the `size` columns at `column`: adds its
/// gradient, 2 lambda a w / (1 + a w^2)^2, to f; and its value, out(m).
struct Saturating {
  double lambda = 0, a = 0;
};
void add_saturating(const Exec& exec, const Saturating& r, const Matrix& z, std::int64_t column,
                    std::int64_t size, const Matrix& f);
void saturating_values(const Exec& exec, const Saturating& r, const Matrix& z, std::int64_t column,
                       std::int64_t size, const Doubles& out);

}  // namespace parley
