// SPDX-License-Identifier: BSD-3-Clause
// The visitor that fills Options from the tree and collects every mistake. Knows no TOML text.
#pragma once

#include <set>
#include <string>

#include "deck/convert.hpp"
#include "deck/fields_of.hpp"
#include "deck/report.hpp"

namespace parley {

/// Fills the options of one table. Keys that no visit asked for are reported by close().
class Filler final : public FieldsOf<Filler> {
 public:
  /// `node`: the table, null where the deck has none; `line`: where missing keys are reported.
  Filler(Report& report, const Node* node, std::string path, int line);

  template <class T>
  void on_key(std::string_view name, T& value, const About& about) {
    const Node* node = take(name);
    if (node == nullptr) return missing(name, about, expected(&value, about));
    T copy = value;
    const std::string wrong = convert(*node, copy, about);
    if (wrong.empty()) {
      value = std::move(copy);
    } else {
      refuse(name, *node, wrong);
    }
  }
  template <class T>
  void on_key(std::string_view name, std::optional<T>& value, const About& about) {
    T plain{};
    const Node* node = take(name);
    if (node == nullptr) return missing(name, about, expected(&value, about));
    const std::string wrong = convert(*node, plain, about);
    if (wrong.empty()) {
      value = std::move(plain);
    } else {
      refuse(name, *node, wrong);
    }
  }

  void one_of(std::string_view name, std::string& value, std::span<const std::string_view> allowed,
              const About& about) override;
  void duration(std::string_view name, std::optional<double>& seconds, const About& about) override;
  void table(std::string_view name, const About& about,
             const std::function<void(Fields&)>& body) override;
  void maybe(std::string_view name, const Maybe& maybe, const About& about) override;
  void list(std::string_view name, const List& list, const About& about) override;
  void choice(std::string_view name, Choice& value, std::span<const Kind> kinds,
              const About& about) override;
  void only_when(bool holds, std::string_view condition,
                 const std::function<void(Fields&)>& body) override;
  void mistake(std::string_view name, const std::string& text) override;

  /// Reports the keys of the table that were not visited.
  void close();

 private:
  const Node* take(std::string_view name);
  void missing(std::string_view name, const About& about, const std::string& expected);
  void refuse(std::string_view name, const Node& node, const std::string& text);
  void report_unknown(const Node& node);
  Names other_kinds_with(std::string_view name) const;
  std::string path_of(std::string_view name) const { return join_path(path_, name); }

  Report& report_;
  const Node* node_;
  std::string path_;
  int line_;
  std::size_t mistakes_before_;
  Names known_;
  std::set<std::string, std::less<>> taken_;
  std::string forbidden_;  ///< condition of the keys being visited that does not hold
  std::span<const Kind> kinds_;
  std::string chosen_;
  bool any_key_ = false;  ///< an unknown kind: its keys cannot be judged
};

/// The keys of a kind at the level of its table, conditional ones included.
Names keys_of(const Kind& kind);

}  // namespace parley
