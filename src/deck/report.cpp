// SPDX-License-Identifier: BSD-3-Clause
// Report: messages, edit distance and ranges in words.
#include "deck/report.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/check.hpp"

namespace parley {

void Report::add(const Node& node, const std::string& path, const std::string& text) {
  if (node.line == line_of_setting) {
    mistakes_.emplace_back(line_of_setting,
                           fmt::format("--set {} = {}: {}", path, to_message(node), text));
    return;
  }
  const bool whole = node.type == Node::Type::table;
  add(node.line, whole ? fmt::format("{}: {}", path, text)
                       : fmt::format("{} = {}: {}", path, to_message(node), text));
}

void Report::add(int line, const std::string& text) {
  const std::string place = line > 0                  ? fmt::format("{}:{}", file_, line)
                            : line == line_of_setting ? "--set"
                                                      : file_;
  mistakes_.emplace_back(line, fmt::format("{}: {}", place, text));
}

void Report::throw_if_any() const {
  if (mistakes_.empty()) return;
  auto sorted = mistakes_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (const auto& [line, mistake] : sorted) text += (text.empty() ? "" : "\n") + mistake;
  throw UserError(text);
}

std::string join_path(std::string_view parent, std::string_view name) {
  return parent.empty() ? std::string(name) : fmt::format("{}.{}", parent, name);
}

std::string comma_list(const Names& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

namespace {

/// Insertions, deletions, substitutions and swaps of neighbours that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest(std::string_view wrong, const Names& names) {
  constexpr std::size_t longest = 64;
  if (wrong.size() > longest) return "";
  std::size_t fewest = std::max<std::size_t>(1, wrong.size() / 3) + 1;
  std::string best;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(wrong, name);
    if (distance < fewest && distance < name.size()) {
      fewest = distance;
      best = name;
    }
  }
  return best;
}

std::string suggestion(std::string_view wrong, const Names& names, std::string_view known) {
  const std::string near = nearest(wrong, names);
  if (!near.empty()) return fmt::format("did you mean {}? {}: {}", near, known, comma_list(names));
  return fmt::format("{}: {}", known, comma_list(names));
}

std::string expected_range(std::string_view noun, const About& about) {
  std::string text(noun);
  if (std::isfinite(about.min)) {
    text += fmt::format(" {} {}", about.min_excluded ? ">" : ">=", about.min);
  }
  if (std::isfinite(about.max)) {
    text += fmt::format("{} {} {}", std::isfinite(about.min) ? " and" : "",
                        about.max_excluded ? "<" : "<=", about.max);
  }
  return text;
}

bool in_range(double value, const About& about) {
  const bool above = about.min_excluded ? value > about.min : value >= about.min;
  const bool below = about.max_excluded ? value < about.max : value <= about.max;
  return above && below && !std::isnan(value);
}

}  // namespace parley
