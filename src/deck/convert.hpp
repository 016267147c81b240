// SPDX-License-Identifier: BSD-3-Clause
// One value of the tree to the type of an option. An integer is taken where a float is meant, a
// value of --set where a text is meant; nothing else is converted. Knows no Options.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "deck/fields.hpp"
#include "deck/node.hpp"

namespace parley {

/// Each returns an empty text and sets `value`, or returns what was expected and the remedy.
std::string convert(const Node& node, bool& value, const About& about);
std::string convert(const Node& node, std::int64_t& value, const About& about);
std::string convert(const Node& node, double& value, const About& about);
std::string convert(const Node& node, std::string& value, const About& about);
std::string convert(const Node& node, std::vector<std::int64_t>& value, const About& about);
std::string convert(const Node& node, std::vector<double>& value, const About& about);
std::string convert(const Node& node, std::vector<std::string>& value, const About& about);

/// "90s", "55m", "1.5h", "5ms", "1d", or a number of seconds.
std::string convert_duration(const Node& node, double& seconds, const About& about);

/// What a key takes, in words: "an integer >= 1", "an array of numbers > 0".
std::string expected(const bool*, const About& about);
std::string expected(const std::int64_t*, const About& about);
std::string expected(const double*, const About& about);
std::string expected(const std::string*, const About& about);
template <class T>
std::string expected(const std::optional<T>*, const About& about) {
  return expected(static_cast<const T*>(nullptr), about);
}
template <class T>
std::string expected(const std::vector<T>*, const About& about) {
  return "an array, each element " + expected(static_cast<const T*>(nullptr), about);
}
std::string expected_duration(const About& about);

}  // namespace parley
