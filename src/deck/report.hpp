// SPDX-License-Identifier: BSD-3-Clause
// The mistakes of a deck, collected and thrown together, and the words of their messages. Knows
// neither toml++ nor Options.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deck/fields.hpp"
#include "deck/node.hpp"

namespace parley {

class Report {
 public:
  explicit Report(std::string file) : file_(std::move(file)) {}

  /// Adds "file:line: path = value: text"; "--set path = value: text" for what --set gave.
  void add(const Node& node, const std::string& path, const std::string& text);
  /// Adds "file:line: text" ("file: text" with no_line).
  void add(int line, const std::string& text);
  /// Notes where a key stands.
  void place(const std::string& path, int line) { lines_[path] = line; }

  std::size_t count() const { return mistakes_.size(); }
  const std::string& file() const { return file_; }
  const std::map<std::string, int>& lines() const { return lines_; }
  /// UserError with all mistakes in the order of lines, one per line; nothing when there are none.
  void throw_if_any() const;

  std::string variant;  ///< the chosen variant, for remedies

 private:
  std::string file_;
  std::vector<std::pair<int, std::string>> mistakes_;
  std::map<std::string, int> lines_;
};

using Names = std::vector<std::string>;

/// "parent.name", or name at the root.
std::string join_path(std::string_view parent, std::string_view name);

/// "a, b, c".
std::string comma_list(const Names& names);

/// The name with the fewest edits from `wrong` (at most a third of its letters, at least one);
/// empty when none is near.
std::string nearest(std::string_view wrong, const Names& names);

/// "did you mean X?" for a near name, else "known: a, b, c".
std::string suggestion(std::string_view wrong, const Names& names, std::string_view known);

/// The numbers a key takes: "a number > 0", "an integer from 1 to 8"; `noun` is the first part.
std::string expected_range(std::string_view noun, const About& about);
bool in_range(double value, const About& about);

}  // namespace parley
