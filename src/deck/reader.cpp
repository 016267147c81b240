// SPDX-License-Identifier: BSD-3-Clause
// Text to tree by toml++, tree to Deck by Filler. toml++ is compiled into this file alone, without
// its exceptions and asserts: what would trip them is refused by scan.cpp before.
#include "deck/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>

#include "core/check.hpp"
#include "deck/filler.hpp"
#include "deck/merge.hpp"
#include "deck/recorder.hpp"
#include "deck/scan.hpp"

#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#undef NDEBUG  // with NDEBUG the asserts of toml++ become promises to the optimizer
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#ifndef TOML_ASSERT
#define TOML_ASSERT(expr) static_assert(true)
#endif
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace parley {
namespace {

constexpr const char* resolved_mark = "# Resolved from ";

int line_of(const toml::source_region& region) {
  return region.begin.line > 0 ? static_cast<int>(region.begin.line) : no_line;
}

Node to_node(const toml::node& source);

Node to_table(const toml::table& source) {
  Node node;
  for (const auto& [key, value] : source) {
    Node child = to_node(value);
    child.key = std::string(key.str());
    const int line = line_of(key.source());
    if (line != no_line) child.line = line;
    node.children.push_back(std::move(child));
  }
  return node;
}

std::string date_text(const toml::node& source) {
  if (const auto* date = source.as_date()) {
    return fmt::format("{:04}-{:02}-{:02}", date->get().year, date->get().month, date->get().day);
  }
  return source.is_time() ? "a time" : "a date and time";
}

Node to_node(const toml::node& source) {
  Node node;
  if (const auto* table = source.as_table()) {
    node = to_table(*table);
  } else if (const auto* array = source.as_array()) {
    node.type = Node::Type::array;
    for (const toml::node& element : *array) node.children.push_back(to_node(element));
  } else if (const auto* text = source.as_string()) {
    node = make_node("", text->get());
  } else if (const auto* integer = source.as_integer()) {
    node = make_node("", integer->get());
  } else if (const auto* floating = source.as_floating_point()) {
    node = make_node("", floating->get());
  } else if (const auto* boolean = source.as_boolean()) {
    node = make_node("", boolean->get());
  } else {
    node.type = Node::Type::date;
    node.text = date_text(source);
  }
  node.line = line_of(source.source());
  return node;
}

Node parse(const std::string& file, std::string text) {
  if (text.rfind("\xEF\xBB\xBF", 0) == 0) text.erase(0, 3);
  scan_deck(file, text);
  const toml::parse_result result = toml::parse(std::string_view(text));
  if (!result) {
    const int line = line_of(result.error().source());
    const std::string place = line > 0 ? fmt::format("{}:{}", file, line) : file;
    fail_user("{}: not valid TOML: {}", place, result.error().description());
  }
  return to_table(result.table());
}

void set_lines(Node& node, int line) {
  node.line = line;
  for (Node& child : node.children) set_lines(child, line);
}

/// Whether characters that are no TOML, like those of a path, may still be meant as a text.
bool bare_text(const std::string& given) {
  const bool printable =
      std::all_of(given.begin(), given.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return printable && given.find_first_of("\"'[{#") == std::string::npos;
}

/// The V of --set K=V: a TOML value, else the characters as a text.
Node parse_value(const std::string& key, const std::string& given) {
  Node value = make_node("", given);
  bool toml = given.find_first_of("\r\n") == std::string::npos;
  try {
    scan_deck("--set " + key, given);
  } catch (const UserError&) {
    if (!bare_text(given)) throw;
    toml = false;
  }
  const toml::parse_result result = toml::parse("value = " + (toml ? given : ""));
  if (result && result.table().size() == 1 && result.table().contains("value")) {
    value = to_node(*result.table().get("value"));
  }
  value.given = given;
  set_lines(value, line_of_setting);
  return value;
}

void apply_setting(Node& root, const std::string& setting, Report& report) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    return report.add(line_of_setting, fmt::format("{}: expected KEY=VALUE, for example "
                                                   "method.step.x=1e-3",
                                                   setting));
  }
  const std::string key = setting.substr(0, equals);
  merge_setting(root, key, parse_value(key, setting.substr(equals + 1)), report);
}

Names section_names() {
  return {"run", "game", "data", "init", "method", "graph", "record", "expect"};
}

Node merged(const DeckRequest& request, Report& report) {
  Node root = parse(request.file, request.text);
  merge_variants(root, request.variant, section_names(), report);
  for (const std::string& setting : request.settings) apply_setting(root, setting, report);
  return root;
}

/// A resolved deck keeps its first line, so that resolving it again gives the same text.
std::string first_line(const DeckRequest& request) {
  if (request.text.rfind(resolved_mark, 0) == 0) {
    return request.text.substr(0, request.text.find('\n'));
  }
  std::string name = std::filesystem::path(request.file).filename().string();
  for (char& c : name) {
    if (c < ' ' || c > '~') c = '?';
  }
  std::string line = resolved_mark + name;
  if (!request.variant.empty()) line += ", variant " + request.variant;
  return line;
}

}  // namespace

Deck read_deck(const DeckRequest& request, const Registries& registries) {
  Report report(request.file);
  const Node root = merged(request, report);
  Deck deck;
  deck.file = request.file;
  Filler filler(report, &root, "", no_line);
  describe(filler, deck, registries);
  filler.close();
  report.throw_if_any();
  deck.lines = report.lines();
  deck.text = first_line(request) + "\n" + to_document(record_deck(deck, registries));
  return deck;
}

std::string peek_precision(const DeckRequest& request) {
  Report ignored(request.file);
  const Node root = merged(request, ignored);
  const Node* run = root.find("run");
  const Node* precision = run == nullptr ? nullptr : run->find("precision");
  const bool is_double =
      precision != nullptr && precision->type == Node::Type::text && precision->text == "double";
  return is_double ? "double" : "single";
}

}  // namespace parley
