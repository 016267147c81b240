// SPDX-License-Identifier: BSD-3-Clause
// Conversions and their messages.
#include "deck/convert.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "deck/report.hpp"

namespace parley {
namespace {

/// The number that a text holds, if it holds nothing else.
std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string refused(const std::string& what) {
  return "expected " + what;
}

template <class T>
std::string convert_array(const Node& node, std::vector<T>& value, const About& about) {
  const std::string wanted = expected(&value, about);
  if (node.type == Node::Type::table) return refused(wanted);
  if (node.type != Node::Type::array) {
    return refused(fmt::format("{}; write [{}]", wanted, to_message(node)));
  }
  std::vector<T> values;
  for (const Node& child : node.children) {
    T element{};
    const std::string wrong = convert(child, element, about);
    if (!wrong.empty()) {
      return fmt::format("element {} ({}): {}", values.size(), to_message(child), wrong);
    }
    values.push_back(element);
  }
  value = std::move(values);
  return "";
}

}  // namespace

std::string convert(const Node& node, bool& value, const About& about) {
  if (node.type == Node::Type::boolean) {
    value = node.boolean;
    return "";
  }
  std::string text = refused(expected(&value, about));
  if (node.type == Node::Type::text && (node.text == "true" || node.text == "false")) {
    text += "; write " + node.text;
  }
  return text;
}

std::string convert(const Node& node, std::int64_t& value, const About& about) {
  const std::string wanted = refused(expected(&value, about));
  if (node.type == Node::Type::integer) {
    if (!in_range(static_cast<double>(node.integer), about)) return wanted;
    value = node.integer;
    return "";
  }
  std::optional<double> meant;
  if (node.type == Node::Type::floating) meant = node.floating;
  if (node.type == Node::Type::text) meant = number_in(node.text);
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (meant && std::trunc(*meant) == *meant && std::fabs(*meant) <= exact &&
      in_range(*meant, about)) {
    return fmt::format("{}; write {}", wanted, static_cast<std::int64_t>(*meant));
  }
  return wanted;
}

std::string convert(const Node& node, double& value, const About& about) {
  const std::string wanted = refused(expected(&value, about));
  if (node.type == Node::Type::integer || node.type == Node::Type::floating) {
    const double number =
        node.type == Node::Type::integer ? static_cast<double>(node.integer) : node.floating;
    if (!std::isfinite(number)) return wanted + ", finite";
    if (!in_range(number, about)) return wanted;
    value = number;
    return "";
  }
  if (node.type == Node::Type::text) {
    const auto meant = number_in(node.text);
    if (meant && in_range(*meant, about)) return fmt::format("{}; write {}", wanted, *meant);
  }
  return wanted;
}

std::string convert(const Node& node, std::string& value, const About& about) {
  if (node.type == Node::Type::text) {
    value = node.text;
    return "";
  }
  if (!node.given.empty()) {
    value = node.given;
    return "";
  }
  std::string text = refused(expected(&value, about));
  if (node.type != Node::Type::table && node.type != Node::Type::array) {
    text += fmt::format("; write \"{}\"", to_message(node));
  }
  return text;
}

std::string convert(const Node& node, std::vector<std::int64_t>& value, const About& about) {
  return convert_array(node, value, about);
}
std::string convert(const Node& node, std::vector<double>& value, const About& about) {
  return convert_array(node, value, about);
}
std::string convert(const Node& node, std::vector<std::string>& value, const About& about) {
  return convert_array(node, value, about);
}

std::string convert_duration(const Node& node, double& seconds, const About& about) {
  const std::string wanted = refused(expected_duration(about));
  if (node.type != Node::Type::text) {
    return convert(node, seconds, about).empty() ? "" : wanted;
  }
  constexpr std::pair<std::string_view, double> units[] = {
      {"ms", 1e-3}, {"s", 1.0}, {"m", 60.0}, {"h", 3600.0}, {"d", 86400.0}};
  const std::size_t letters = node.text.find_last_not_of("abcdefghijklmnopqrstuvwxyz") + 1;
  const std::string_view unit = std::string_view(node.text).substr(letters);
  const auto number = number_in(node.text.substr(0, letters));
  for (const auto& [name, factor] : units) {
    if (!number || unit != name) continue;
    // A division gives the double nearest to the decimal text; 5 * 1e-3 does not always.
    const double value = factor < 1 ? *number / 1000 : *number * factor;
    if (!std::isfinite(value) || !in_range(value, about)) return wanted;
    seconds = value;
    return "";
  }
  return wanted;
}

std::string expected(const bool*, const About&) {
  return "true or false";
}
std::string expected(const std::int64_t*, const About& about) {
  return expected_range("an integer", about);
}
std::string expected(const double*, const About& about) {
  return expected_range("a number", about);
}
std::string expected(const std::string*, const About&) {
  return "a text";
}

std::string expected_duration(const About& about) {
  return expected_range("a duration", about) +
         " like \"90s\", \"55m\", \"1.5h\" or \"1d\", or seconds";
}

}  // namespace parley
