// SPDX-License-Identifier: BSD-3-Clause
// A visitor that sets keys of options by name, for options that are made without a deck.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "deck/fields_of.hpp"

namespace parley::test {

/// Sets numbers, flags, texts and lists of texts by key; visits no tables and no choices.
class SetFields final : public FieldsOf<SetFields> {
 public:
  std::map<std::string, std::int64_t, std::less<>> numbers;
  std::map<std::string, std::string, std::less<>> texts;
  std::map<std::string, double, std::less<>> reals;
  std::map<std::string, bool, std::less<>> flags;
  std::map<std::string, std::vector<std::string>, std::less<>> lists;

  template <class T>
  void on_key(std::string_view name, T& value, const About&) {
    if constexpr (std::is_same_v<T, std::int64_t> ||
                  std::is_same_v<T, std::optional<std::int64_t>>) {
      set(numbers, name, value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      set(texts, name, value);
    } else if constexpr (std::is_same_v<T, double>) {
      set(reals, name, value);
    } else if constexpr (std::is_same_v<T, bool>) {
      set(flags, name, value);
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      set(lists, name, value);
    }
  }
  void one_of(std::string_view name, std::string& value, std::span<const std::string_view>,
              const About&) override {
    set(texts, name, value);
  }
  void duration(std::string_view, std::optional<double>&, const About&) override {}
  void table(std::string_view, const About&, const std::function<void(Fields&)>&) override {}
  void maybe(std::string_view, const Maybe&, const About&) override {}
  void list(std::string_view, const List&, const About&) override {}
  void choice(std::string_view, Choice&, std::span<const Kind>, const About&) override {}
  void only_when(bool, std::string_view, const std::function<void(Fields&)>&) override {}
  void mistake(std::string_view, const std::string&) override {}

 private:
  template <class Values, class T>
  static void set(const Values& values, std::string_view name, T& value) {
    if (const auto found = values.find(name); found != values.end()) value = found->second;
  }
};

}  // namespace parley::test
