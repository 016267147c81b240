// SPDX-License-Identifier: BSD-3-Clause
// Matrices of random numbers from one Philox sequence.
#pragma once

#include "kernels/philox.hpp"
#include "kernels/types.hpp"

namespace parley {

/// Standard normals, row by row. In single precision four per Philox call with 32-bit uniforms, in
/// double two with 53 bits: the two precisions see different numbers.
void fill_normal(const Exec& exec, const Philox& random, const Matrix& out);

/// out[i] = number i of the sequence, uniform on (0, 1].
void fill_uniform(const Exec& exec, const Philox& random, const Vector& out);

}  // namespace parley
