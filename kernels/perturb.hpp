// SPDX-License-Identifier: BSD-3-Clause
// One perturbation added to all samples of a batch, and its gradient. Knows no network.
#pragma once

#include "kernels/types.hpp"

namespace parley {

/// batch(i, j) += shift(j) for every row; shift: at least as many numbers as batch has columns.
/// Asynchronous, as all functions here.
void add_to_rows(const Exec& exec, const Vector& shift, const Matrix& batch);

/// out(j) = 2 weight shift(j) - sum_i slopes(i, j), the sum in double, rows in order: minus the
/// gradient of l - weight ||shift||^2 when slopes are those of l by the shifted samples.
void perturbation_field(const Exec& exec, const Matrix& slopes, double weight, const Vector& shift,
                        const Vector& out);

/// loss(0) -= weight sum_j shift(j)^2 over `size` numbers.
void subtract_square(const Exec& exec, double weight, const Vector& shift, std::int64_t size,
                     const Doubles& loss);

}  // namespace parley
