// SPDX-License-Identifier: BSD-3-Clause
// The tree between TOML text and the Options structs: values with the lines they came from. The
// reader makes it, variants and --set change it, and the resolved deck is printed from it. Knows
// neither toml++ nor Options.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parley {

/// Line of a value that --set gave, and of one that has no place.
inline constexpr int line_of_setting = 0;
inline constexpr int no_line = -1;

/// One value; a table's children have keys, an array's have none.
struct Node {
  enum class Type { boolean, integer, floating, text, date, array, table };
  Type type = Type::table;
  std::string key;
  int line = no_line;
  bool boolean = false;
  std::int64_t integer = 0;
  double floating = 0;
  std::string text;        ///< of a text
  std::string given;       ///< of a value from --set: the characters after "K="
  bool resumable = false;  ///< the key may differ when a run is resumed
  std::vector<Node> children;

  /// The child with a key, null when there is none (and for what is not a table).
  const Node* find(std::string_view name) const;
  Node* find(std::string_view name);
  /// Removes the child with a key; false when there is none.
  bool erase(std::string_view name);
};

Node make_node(std::string_view key, bool value);
Node make_node(std::string_view key, std::int64_t value);
Node make_node(std::string_view key, double value);
Node make_node(std::string_view key, const std::string& value);
template <class T>
Node make_node(std::string_view key, const std::vector<T>& values) {
  Node node;
  node.type = Node::Type::array;
  node.key = key;
  for (const T& value : values) node.children.push_back(make_node("", value));
  return node;
}

/// What a value is, for messages: "an integer", "a table".
std::string_view type_name(Node::Type type);

/// A value as TOML in one line; floats with the fewest digits that give the same bits back.
std::string to_toml(const Node& node);

/// A value for messages: to_toml cut to a readable length.
std::string to_message(const Node& node);

/// A tree of sections as a TOML document, keys in the tree's order.
std::string to_document(const Node& root);

}  // namespace parley
