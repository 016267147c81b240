// SPDX-License-Identifier: BSD-3-Clause
// Graphs and their matrices with chosen option values, made without a deck.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "comm/host/mixing.hpp"
#include "support/set_fields.hpp"

namespace parley::test {

/// The choice `name` with the keys that `fields` sets.
inline Choice graph_choice(std::string_view name, SetFields fields = {}) {
  const auto kinds = graph_kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                 [&](const Kind& other) { return other.name == name; });
  Choice choice{std::string(name), kind->defaults()};
  kind->describe(fields, choice.options);
  return choice;
}

inline Graph graph_of(std::string_view name, std::int64_t n) {
  return make_graph(graph_choice(name), n, "deck.toml:1");
}

/// The matrices of a graph by its options; `fields` sets the kind's own keys.
inline Mixing mixing_of(std::string_view kind, std::int64_t n, SetFields fields = {},
                        GraphOptions options = {}) {
  options.kind = graph_choice(kind, std::move(fields));
  return make_mixing(make_graph(options.kind, n, "deck.toml:1"), options, "deck.toml:2");
}

}  // namespace parley::test
