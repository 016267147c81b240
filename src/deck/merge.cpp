// SPDX-License-Identifier: BSD-3-Clause
// Merging of trees and paths through them.
#include "deck/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace parley {
namespace {

void merge_table(Node& target, const Node& source) {
  for (const Node& child : source.children) {
    Node* present = target.find(child.key);
    if (present == nullptr) {
      target.children.push_back(child);
    } else if (present->type == Node::Type::table && child.type == Node::Type::table) {
      merge_table(*present, child);
    } else {
      *present = child;
    }
  }
}

/// One part of a path: a key and, behind it in brackets, the element of an array.
struct Step {
  std::string key;
  std::optional<std::size_t> element;
};

/// The parts of "a.b[2].c"; empty when the text is not a path.
std::vector<Step> split_path(const std::string& path) {
  std::vector<Step> steps;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    std::string part = path.substr(begin, end - begin);
    Step step;
    const std::size_t bracket = part.find('[');
    if (bracket != std::string::npos) {
      std::size_t element = 0;
      const char* stop = part.data() + part.size();
      const auto [at, error] = std::from_chars(part.data() + bracket + 1, stop, element);
      if (error != std::errc() || at + 1 != stop || *at != ']') return {};
      step.element = element;
      part.resize(bracket);
    }
    if (part.empty()) return {};
    step.key = part;
    steps.push_back(step);
    begin = end + 1;
  }
  constexpr std::size_t deepest = 16;
  return steps.size() <= deepest ? steps : std::vector<Step>{};
}

Node* descend(Node* node, const Step& step) {
  Node* child = node->find(step.key);
  if (child == nullptr || !step.element) return child;
  const bool there = child->type == Node::Type::array && *step.element < child->children.size();
  return there ? &child->children[*step.element] : nullptr;
}

void unset(Node& root, const Node& entry, const std::string& variant, Report& report) {
  const std::string place = fmt::format("variant.{}.unset", variant);
  if (entry.type != Node::Type::text) {
    return report.add(entry, place, "expected a text like \"graph.rows\"");
  }
  const auto steps = split_path(entry.text);
  Node* node = &root;
  for (std::size_t i = 0; i + 1 < steps.size() && node != nullptr; ++i) {
    node = descend(node, steps[i]);
  }
  const bool gone =
      !steps.empty() && node != nullptr && !steps.back().element && node->erase(steps.back().key);
  if (!gone) report.add(entry, place, "the deck has no such key: remove it from unset");
}

/// Whether a variant is a table of sections, with unset an array.
bool check_variant(const Node& variant, const Names& sections, Report& report) {
  const std::size_t before = report.count();
  const std::string path = "variant." + variant.key;
  if (variant.type != Node::Type::table) {
    report.add(variant, path, "expected a table of sections");
    return false;
  }
  for (const Node& child : variant.children) {
    const std::string child_path = join_path(path, child.key);
    if (child.key == "unset") {
      if (child.type != Node::Type::array) {
        report.add(child, child_path, "expected an array of texts like [\"graph.rows\"]");
      }
    } else if (std::find(sections.begin(), sections.end(), child.key) == sections.end()) {
      report.add(child, child_path,
                 "unknown section; " + suggestion(child.key, sections, "the sections are"));
    } else if (child.type != Node::Type::table && child.type != Node::Type::array) {
      report.add(child, child_path, "expected a table of keys");
    }
  }
  return report.count() == before;
}

Names keys_of_children(const Node& table) {
  Names names;
  for (const Node& child : table.children) names.push_back(child.key);
  return names;
}

}  // namespace

void merge_variants(Node& root, const std::string& name, const Names& sections, Report& report) {
  Node variants;
  if (const Node* found = root.find("variant")) variants = *found;
  root.erase("variant");
  report.variant = name;
  if (variants.type != Node::Type::table) {
    return report.add(variants, "variant", "expected tables [variant.NAME]");
  }
  const Node* chosen = nullptr;
  for (const Node& variant : variants.children) {
    const bool sound = check_variant(variant, sections, report);
    if (sound && variant.key == name) chosen = &variant;
  }
  if (name.empty()) return;
  if (variants.find(name) == nullptr) {
    const Names names = keys_of_children(variants);
    return report.add(no_line,
                      fmt::format("--variant {}: {}", name,
                                  names.empty() ? "the deck has no [variant.NAME]"
                                                : suggestion(name, names, "the deck has")));
  }
  if (chosen == nullptr) return;
  Node changes = *chosen;
  if (const Node* list = changes.find("unset")) {
    for (const Node& entry : list->children) unset(root, entry, name, report);
  }
  changes.erase("unset");
  merge_table(root, changes);
}

void merge_setting(Node& root, const std::string& path, Node value, Report& report) {
  const auto steps = split_path(path);
  if (steps.size() < 2) {
    return report.add(line_of_setting, fmt::format("{}: expected a path like method.step.x", path));
  }
  Node* node = &root;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    if (node->find(steps[i].key) == nullptr && !steps[i].element) {
      Node table;
      table.key = steps[i].key;
      table.line = line_of_setting;
      node->children.push_back(table);
    }
    node = descend(node, steps[i]);
    if (node == nullptr || node->type != Node::Type::table) {
      return report.add(line_of_setting,
                        fmt::format("{}: {} is not a table of keys", path, steps[i].key));
    }
  }
  value.key = steps.back().key;
  value.line = line_of_setting;
  if (steps.back().element) {
    return report.add(line_of_setting, fmt::format("{}: set the whole array instead", path));
  }
  Node* present = node->find(value.key);
  if (present == nullptr) {
    node->children.push_back(std::move(value));
  } else {
    *present = std::move(value);
  }
}

}  // namespace parley
