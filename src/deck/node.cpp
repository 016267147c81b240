// SPDX-License-Identifier: BSD-3-Clause
// Node: look-up and printing as TOML.
#include "deck/node.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.hpp"

namespace parley {

const Node* Node::find(std::string_view name) const {
  if (type != Type::table) return nullptr;
  const auto found = std::find_if(children.begin(), children.end(),
                                  [&](const Node& child) { return child.key == name; });
  return found == children.end() ? nullptr : &*found;
}

Node* Node::find(std::string_view name) {
  return const_cast<Node*>(static_cast<const Node*>(this)->find(name));
}

bool Node::erase(std::string_view name) {
  if (type != Type::table) return false;
  return std::erase_if(children, [&](const Node& child) { return child.key == name; }) > 0;
}

Node make_node(std::string_view key, bool value) {
  Node node;
  node.type = Node::Type::boolean;
  node.key = key;
  node.boolean = value;
  return node;
}

Node make_node(std::string_view key, std::int64_t value) {
  Node node;
  node.type = Node::Type::integer;
  node.key = key;
  node.integer = value;
  return node;
}

Node make_node(std::string_view key, double value) {
  Node node;
  node.type = Node::Type::floating;
  node.key = key;
  node.floating = value;
  return node;
}

Node make_node(std::string_view key, const std::string& value) {
  Node node;
  node.type = Node::Type::text;
  node.key = key;
  node.text = value;
  return node;
}

std::string_view type_name(Node::Type type) {
  switch (type) {
    case Node::Type::boolean:
      return "true or false";
    case Node::Type::integer:
      return "an integer";
    case Node::Type::floating:
      return "a number";
    case Node::Type::text:
      return "a text";
    case Node::Type::date:
      return "a date or time";
    case Node::Type::array:
      return "an array";
    case Node::Type::table:
      return "a table";
  }
  ensure(false, "type_name: unknown type");
  return "";
}

namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (code < 0x20 || code == 0x7f) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(code));
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// TOML tells floats from integers by the point or exponent.
std::string floating_text(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".ein") == std::string::npos) text += ".0";
  return text;
}

std::string key_text(const std::string& key) {
  const bool bare = !key.empty() && key.find_first_not_of(
                                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789_-") == std::string::npos;
  return bare ? key : quoted(key);
}

std::string joined(const std::vector<Node>& children) {
  std::string out;
  for (const Node& child : children) {
    if (!out.empty()) out += ", ";
    if (!child.key.empty()) out += key_text(child.key) + " = ";
    out += to_toml(child);
  }
  return out;
}

bool is_list_of_tables(const Node& node) {
  return node.type == Node::Type::array && !node.children.empty() &&
         node.children.front().type == Node::Type::table;
}

void append_entries(std::string& out, const Node& table) {
  for (const Node& child : table.children) {
    out += key_text(child.key) + " = ";
    if (is_list_of_tables(child)) {
      out += "[\n";
      for (const Node& element : child.children) out += "  " + to_toml(element) + ",\n";
      out += "]\n";
    } else {
      out += to_toml(child) + "\n";
    }
  }
}

}  // namespace

std::string to_toml(const Node& node) {
  switch (node.type) {
    case Node::Type::boolean:
      return node.boolean ? "true" : "false";
    case Node::Type::integer:
      return fmt::format("{}", node.integer);
    case Node::Type::floating:
      return floating_text(node.floating);
    case Node::Type::text:
      return quoted(node.text);
    case Node::Type::date:
      return node.text;
    case Node::Type::array:
      return "[" + joined(node.children) + "]";
    case Node::Type::table:
      return node.children.empty() ? "{}" : "{ " + joined(node.children) + " }";
  }
  ensure(false, "to_toml: unknown type");
  return "";
}

std::string to_message(const Node& node) {
  constexpr std::size_t longest = 60;
  std::string text = node.given.empty() ? to_toml(node) : node.given;
  if (text.size() <= longest) return text;
  std::size_t end = longest - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

std::string to_document(const Node& root) {
  std::string out;
  for (const Node& section : root.children) {
    if (section.type == Node::Type::array) {
      for (const Node& element : section.children) {
        out += fmt::format("\n[[{}]]\n", key_text(section.key));
        append_entries(out, element);
      }
    } else {
      out += fmt::format("\n[{}]\n", key_text(section.key));
      append_entries(out, section);
    }
  }
  return out;
}

}  // namespace parley
