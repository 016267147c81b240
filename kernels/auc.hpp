// SPDX-License-Identifier: BSD-3-Clause
// Rows of the AUC game: field and values from margins. Asynchronous.
#pragma once

#include <cstdint>

#include "kernels/margins.hpp"

namespace parley {

/// The AUC game (Ying, Wen and Lyu, NeurIPS 2016) with margins h, share p of positive rows and the
/// columns of its scalars a, b, alpha:
/// (1-p) (h-a)^2 [y>0] + p (h-b)^2 [y<0] + 2 (1+alpha) (p h [y<0] - (1-p) h [y>0]) - p (1-p)
/// alpha^2.
struct AucPlaces {
  double p = 0.5;
  std::int64_t a = 0, b = 0, alpha = 0;
};
/// slopes(m, i) = weights(m) d/dh; f at a and b: the derivatives, at alpha: minus the derivative,
/// of weights(m) sum_i of the above.
void auc_field(const Exec& exec, const Margins& margins, const AucPlaces& places, const Matrix& z,
               const Doubles& weights, const Doubles& slopes, const Matrix& f);
/// values(m, i) = the above.
void auc_values(const Exec& exec, const Margins& margins, const AucPlaces& places, const Matrix& z,
                const Doubles& values);
/// out(6 m ...) = number, sum and sum of squares of the positive rows' margins, then the
/// negative's.
void class_moments(const Exec& exec, const Margins& margins, const Doubles& out);

}  // namespace parley
