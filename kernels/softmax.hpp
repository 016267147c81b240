// SPDX-License-Identifier: BSD-3-Clause
// Softmax and logarithm on a range of columns of every row, and the cross-entropy of a batch of
// scores. Each row is worked on alone, in double, in an order that depends on its length only.
#pragma once

#include <cstdint>

#include "kernels/project.hpp"
#include "kernels/types.hpp"

namespace parley {

/// v_j = exp(v_j - max v) / sum of the same. Asynchronous, as all functions here.
void softmax_columns(const Exec& exec, const Matrix& rows, const Columns& columns);

/// v_j = log max(v_j, smallest normal number), so that softmax gives v back where v sums to 1.
void log_columns(const Exec& exec, const Matrix& rows, const Columns& columns);

/// A batch of scores with the classes that belong to them.
struct ClassBatch {
  Matrix scores;    ///< B or more rows x classes (or wider)
  Indices classes;  ///< B: the right class of each row, 0 <= class < count
  std::int64_t rows = 0, count = 0;
};

/// slopes(i, j) = (softmax(scores_i)_j - [j = class_i]) / B, which is the derivative of loss(0) =
/// (1/B) sum_i log sum_j exp(scores_ij) - scores_i,class_i. terms: B, scratch.
void cross_entropy(const Exec& exec, const ClassBatch& batch, const Matrix& slopes,
                   const Doubles& terms, const Doubles& loss);

/// hits(0) = number of rows whose largest score (the first of equal ones) is that of the class.
void count_hits(const Exec& exec, const ClassBatch& batch, const Doubles& terms,
                const Doubles& hits);

}  // namespace parley
