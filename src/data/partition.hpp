// SPDX-License-Identifier: BSD-3-Clause
// Splits N rows over M agents: deterministic, disjoint (but for "replicated"), nothing dropped. Pure
// functions of labels and a seed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "deck/fields.hpp"

namespace parley {

/// rows[m]: the rows of agent m in the order in which the agent stores them.
using Partition = std::vector<std::vector<std::int64_t>>;

/// `labels` may be empty for kinds that do not need them; UserError (text begins with `where`) when
/// they do, when agents > rows, or when the minimum size cannot be met in the bounded search.
Partition make_partition(const Choice& kind, std::span<const std::int64_t> labels, std::int64_t rows,
                         std::int64_t agents, std::uint64_t seed, const std::string& where);

}  // namespace parley
