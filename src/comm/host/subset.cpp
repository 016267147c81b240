// SPDX-License-Identifier: BSD-3-Clause
// Floyd's algorithm on a bit per number.
#include "comm/host/subset.hpp"

#include "core/check.hpp"

namespace parley {

std::vector<std::int32_t> random_subset(const Philox& random, std::int64_t size,
                                        std::int64_t count) {
  ensure(0 <= count && count <= size && size < (std::int64_t{1} << 31),
         "random_subset: 0 to size numbers, size below 2^31");
  std::vector<bool> drawn(static_cast<std::size_t>(size), false);
  for (std::int64_t n = 0; n < count; ++n) {
    const std::int64_t last = size - count + n;
    const std::int64_t one = random.below(static_cast<std::uint64_t>(n), last + 1);
    drawn[static_cast<std::size_t>(drawn[static_cast<std::size_t>(one)] ? last : one)] = true;
  }
  std::vector<std::int32_t> out;
  out.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < size; ++i) {
    if (drawn[static_cast<std::size_t>(i)]) out.push_back(static_cast<std::int32_t>(i));
  }
  return out;
}

}  // namespace parley
