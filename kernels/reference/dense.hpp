// SPDX-License-Identifier: BSD-3-Clause
// kernels/dense.hpp as plain loops in double: the truth for tests and benches. Host only.
#pragma once

#include "kernels/dense.hpp"

namespace parley::reference {

inline double element(const Operand& a, std::int64_t i, std::int64_t j) {
  const std::int64_t at = a.op == Op::plain ? i * a.stride + j : j * a.stride + i;
  return static_cast<double>(a.data[at]);
}

/// C = op(A) op(B) + beta C.
inline void multiply(const Operand& a, const Operand& b, const Result& c) {
  for (std::int64_t i = 0; i < c.rows; ++i) {
    for (std::int64_t j = 0; j < c.columns; ++j) {
      Real& out = c.data[i * c.stride + j];
      double sum = c.beta == 0 ? 0.0 : static_cast<double>(c.beta) * static_cast<double>(out);
      for (std::int64_t l = 0; l < a.columns; ++l) sum += element(a, i, l) * element(b, l, j);
      out = static_cast<Real>(sum);
    }
  }
}

}  // namespace parley::reference
