// SPDX-License-Identifier: BSD-3-Clause
// A random order that is a function of a Philox key. Integers only: the same on every machine.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/philox.hpp"

namespace parley {

/// Fisher and Yates (Durstenfeld 1964); fewer than 2^31 rows.
inline void shuffle(std::vector<std::int64_t>& rows, const Philox& random) {
  for (std::size_t i = rows.size(); i > 1; --i) {
    const std::int64_t other = random.below(i, static_cast<std::int64_t>(i));
    std::swap(rows[i - 1], rows[static_cast<std::size_t>(other)]);
  }
}

}  // namespace parley
