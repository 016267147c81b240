// SPDX-License-Identifier: BSD-3-Clause
// Graph choices with chosen option values, made without a deck: a visitor that sets keys by name.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "comm/host/graph.hpp"
#include "deck/fields_of.hpp"

namespace parley::test {

/// Sets whole numbers and texts by key; visits no tables and no choices.
class SetFields final : public FieldsOf<SetFields> {
 public:
  std::map<std::string, std::int64_t, std::less<>> numbers;
  std::map<std::string, std::string, std::less<>> texts;

  template <class T>
  void on_key(std::string_view name, T& value, const About&) {
    if constexpr (std::is_same_v<T, std::int64_t> ||
                  std::is_same_v<T, std::optional<std::int64_t>>) {
      if (const auto found = numbers.find(name); found != numbers.end()) value = found->second;
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (const auto found = texts.find(name); found != texts.end()) value = found->second;
    }
  }
  void one_of(std::string_view, std::string&, std::span<const std::string_view>,
              const About&) override {}
  void duration(std::string_view, std::optional<double>&, const About&) override {}
  void table(std::string_view, const About&, const std::function<void(Fields&)>&) override {}
  void maybe(std::string_view, const Maybe&, const About&) override {}
  void list(std::string_view, const List&, const About&) override {}
  void choice(std::string_view, Choice&, std::span<const Kind>, const About&) override {}
  void only_when(bool, std::string_view, const std::function<void(Fields&)>&) override {}
  void mistake(std::string_view, const std::string&) override {}
};

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

}  // namespace parley::test
