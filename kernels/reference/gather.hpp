// SPDX-License-Identifier: BSD-3-Clause
// Gather as plain loops on host arrays, in double: the truth for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/gather.hpp"
#include "kernels/philox.hpp"

namespace parley::reference {

/// The batch that gather_random makes, batch x features. `stored` holds the values, row-major; of
/// `rows` only features, scale and shift are used.
template <class Stored>
std::vector<double> gather_random(const std::vector<Stored>& stored, const StoredRows& rows,
                                  const RowRange& range, const Philox& random, std::int64_t batch) {
  std::vector<double> out;
  for (std::int64_t i = 0; i < batch; ++i) {
    const std::int64_t row = range.begin + random.below(static_cast<std::uint64_t>(i), range.count);
    for (std::int64_t j = 0; j < rows.features; ++j) {
      const auto place = static_cast<std::size_t>(row * rows.features + j);
      out.push_back(static_cast<double>(stored[place]) * rows.scale + rows.shift);
    }
  }
  return out;
}

}  // namespace parley::reference
