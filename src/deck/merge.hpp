// SPDX-License-Identifier: BSD-3-Clause
// Variants and --set: changes to the tree before it is read. Knows neither toml++ nor Options.
#pragma once

#include <string>

#include "deck/node.hpp"
#include "deck/report.hpp"

namespace parley {

/// Takes [variant] out of the tree and merges variant `name` (none when empty) into the rest: first
/// its `unset` paths go, then its tables merge key by key and its other values replace. All
/// variants must be tables of the sections in `sections`; mistakes go to the report.
void merge_variants(Node& root, const std::string& name, const Names& sections, Report& report);

/// Sets a value by its path ("method.step.x", "expect[0].below"), making tables on the way.
void merge_setting(Node& root, const std::string& path, Node value, Report& report);

}  // namespace parley
