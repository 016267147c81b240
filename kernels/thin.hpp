// SPDX-License-Identifier: BSD-3-Clause
// Products whose result has at most four columns, as the first and last layers of small networks
// need them: the library's kernels run at a tenth of their speed there. CPU only.
#pragma once

#include "kernels/dense.hpp"

namespace parley {

/// Computes c = op(a) op(b) and returns true when the shapes are thin enough, else does nothing.
bool multiply_thin(const Exec& exec, const Operand& a, const Operand& b, const Result& c);

}  // namespace parley
