// SPDX-License-Identifier: BSD-3-Clause
// The affine field as plain loops in double: the truth for tests.
#pragma once

#include <cstddef>
#include <vector>

namespace parley::reference {

/// M z + q for one agent; m row-major, size() of q and z square.
inline std::vector<double> affine_field(const std::vector<double>& m, const std::vector<double>& q,
                                        const std::vector<double>& z) {
  std::vector<double> out = q;
  for (std::size_t i = 0; i < q.size(); ++i) {
    for (std::size_t j = 0; j < z.size(); ++j) out[i] += m[i * z.size() + j] * z[j];
  }
  return out;
}

}  // namespace parley::reference
