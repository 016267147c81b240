// SPDX-License-Identifier: BSD-3-Clause
// Gather as plain loops on host arrays, in double: the truth for tests. Knows no Kokkos views.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/philox.hpp"

namespace parley::reference {

/// The rows [begin, begin + count) x features of `stored`, row-major: batch rows drawn by `random`,
/// each value stored * scale + shift. Returns batch x features.
template <class Stored>
std::vector<double> gather_random(const std::vector<Stored>& stored, std::int64_t features,
                                  std::int64_t begin, std::int64_t count, const Philox& random,
                                  std::int64_t batch, double scale, double shift) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < batch; ++i) {
    const std::int64_t row = begin + random.below(static_cast<std::uint64_t>(i), count);
    for (std::int64_t j = 0; j < features; ++j) {
      out.push_back(static_cast<double>(stored[static_cast<std::size_t>(row * features + j)]) *
                        scale +
                    shift);
    }
  }
  return out;
}

}  // namespace parley::reference
