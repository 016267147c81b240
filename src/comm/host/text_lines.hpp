// SPDX-License-Identifier: BSD-3-Clause
// Words and numbers of the text files that describe graphs.
#pragma once

#include <charconv>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace parley {

/// The whole word as a number, or nothing.
template <class Number>
std::optional<Number> number_of(const std::string& word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// The words of a line; # starts a comment.
inline std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line.substr(0, line.find('#')));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace parley
