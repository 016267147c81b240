// SPDX-License-Identifier: BSD-3-Clause
// Where in a row a non-finite number is. For messages to users only.
#pragma once

#include <cstdint>
#include <string>

#include "core/layout.hpp"
#include "kernels/types.hpp"

namespace parley {

/// Name of the first block that begins in packed columns [begin, end) and is not all finite in
/// `row` (column 0 of a row in memory); empty when there is none. Waits.
std::string bad_block(const Exec& exec, const Layout& layout, const Real* row, std::int64_t begin,
                      std::int64_t end);

}  // namespace parley
