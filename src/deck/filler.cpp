// SPDX-License-Identifier: BSD-3-Clause
// Filler: values, nested tables, registries' choices, conditions and unknown keys.
#include "deck/filler.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parley {
namespace {

/// Collects the names of keys and visits nothing below them.
class KeyNames final : public FieldsOf<KeyNames> {
 public:
  template <class T>
  void on_key(std::string_view name, T&, const About&) {
    names.emplace_back(name);
  }
  void one_of(std::string_view name, std::string&, std::span<const std::string_view>,
              const About&) override {
    names.emplace_back(name);
  }
  void duration(std::string_view name, std::optional<double>&, const About&) override {
    names.emplace_back(name);
  }
  void table(std::string_view name, const About&, const std::function<void(Fields&)>&) override {
    names.emplace_back(name);
  }
  void maybe(std::string_view name, const Maybe&, const About&) override {
    names.emplace_back(name);
  }
  void list(std::string_view name, const List&, const About&) override { names.emplace_back(name); }
  void choice(std::string_view name, Choice&, std::span<const Kind>, const About&) override {
    names.emplace_back(name);
  }
  void only_when(bool, std::string_view, const std::function<void(Fields&)>& body) override {
    body(*this);
  }
  void mistake(std::string_view, const std::string&) override {}

  Names names;
};

Names names_of(std::span<const Kind> kinds) {
  Names names;
  for (const Kind& kind : kinds) names.emplace_back(kind.name);
  return names;
}

const Kind* find_kind(std::span<const Kind> kinds, std::string_view name) {
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const Kind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace

Names keys_of(const Kind& kind) {
  KeyNames visitor;
  std::any options = kind.defaults();
  kind.describe(visitor, options);
  return visitor.names;
}

Filler::Filler(Report& report, const Node* node, std::string path, int line)
    : report_(report),
      node_(node),
      path_(std::move(path)),
      line_(line),
      mistakes_before_(report.count()) {}

const Node* Filler::take(std::string_view name) {
  known_.emplace_back(name);
  const Node* node = node_ == nullptr ? nullptr : node_->find(name);
  if (node == nullptr) return nullptr;
  taken_.emplace(name);
  report_.place(path_of(name), node->line);
  if (!forbidden_.empty()) {
    refuse(name, *node, fmt::format("only legal when {}: remove it", forbidden_));
    return nullptr;
  }
  return node;
}

void Filler::missing(std::string_view name, const About& about, const std::string& expected) {
  const bool given = taken_.find(name) != taken_.end();
  if (!about.required || given || !forbidden_.empty()) return;
  report_.add(line_, fmt::format("{} is missing: expected {} ({})", path_of(name), expected,
                                 about.sentence));
}

void Filler::refuse(std::string_view name, const Node& node, const std::string& text) {
  report_.add(node, path_of(name), text);
}

void Filler::one_of(std::string_view name, std::string& value,
                    std::span<const std::string_view> allowed, const About& about) {
  const Names names(allowed.begin(), allowed.end());
  const Node* node = take(name);
  if (node == nullptr) return missing(name, about, "one of " + comma_list(names));
  std::string text;
  const std::string wrong = convert(*node, text, about);
  if (!wrong.empty()) return refuse(name, *node, "expected one of " + comma_list(names));
  if (std::find(names.begin(), names.end(), text) == names.end()) {
    return refuse(name, *node, suggestion(text, names, "expected one of"));
  }
  value = text;
}

void Filler::duration(std::string_view name, std::optional<double>& seconds, const About& about) {
  const Node* node = take(name);
  if (node == nullptr) return missing(name, about, expected_duration(about));
  double value = 0;
  const std::string wrong = convert_duration(*node, value, about);
  if (!wrong.empty()) return refuse(name, *node, wrong);
  seconds = value;
}

void Filler::table(std::string_view name, const About&, const std::function<void(Fields&)>& body) {
  const Node* node = take(name);
  if (node != nullptr && node->type != Node::Type::table) {
    return refuse(name, *node, "expected a table of keys");
  }
  if (!forbidden_.empty()) return;
  Filler inner(report_, node, path_of(name), node != nullptr ? node->line : line_);
  body(inner);
  inner.close();
}

void Filler::maybe(std::string_view name, const Maybe& maybe, const About& about) {
  const Node* node = take(name);
  if (node == nullptr) return missing(name, about, "a table of keys");
  if (node->type != Node::Type::table) return refuse(name, *node, "expected a table of keys");
  maybe.make();
  Filler inner(report_, node, path_of(name), node->line);
  maybe.body(inner);
  inner.close();
}

void Filler::list(std::string_view name, const List& list, const About& about) {
  const Node* node = take(name);
  if (node == nullptr) return missing(name, about, "an array of tables");
  const bool single = node->type == Node::Type::table;
  if (!single && node->type != Node::Type::array) {
    return refuse(name, *node, "expected an array of tables");
  }
  if (!single && node->children.empty() && about.required) {
    return refuse(name, *node, "expected at least one table");
  }
  list.resize(single ? 1 : node->children.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Node& element = single ? *node : node->children[i];
    const std::string path = path_of(single ? std::string(name) : fmt::format("{}[{}]", name, i));
    if (element.type != Node::Type::table) {
      report_.add(element, path, "expected a table of keys");
      continue;
    }
    report_.place(path, element.line);
    Filler inner(report_, &element, path, element.line);
    list.body(inner, i);
    inner.close();
  }
}

void Filler::choice(std::string_view name, Choice& value, std::span<const Kind> kinds,
                    const About& about) {
  const Names names = names_of(kinds);
  const Node* node = take(name);
  const Kind* kind = find_kind(kinds, value.kind);
  if (node == nullptr && kind == nullptr) {
    any_key_ = true;
    return missing(name, {.sentence = about.sentence, .required = true},
                   "one of " + comma_list(names));
  }
  if (node != nullptr) {
    std::string text;
    const std::string wrong = convert(*node, text, about);
    kind = wrong.empty() ? find_kind(kinds, text) : nullptr;
    if (kind == nullptr) {
      any_key_ = true;
      return refuse(name, *node,
                    wrong.empty() ? suggestion(text, names, "expected one of")
                                  : "expected one of " + comma_list(names));
    }
  }
  value.kind = kind->name;
  value.options = kind->defaults();
  kinds_ = kinds;
  chosen_ = value.kind;
  kind->describe(*this, value.options);
}

void Filler::only_when(bool holds, std::string_view condition,
                       const std::function<void(Fields&)>& body) {
  if (holds || !forbidden_.empty()) return body(*this);
  forbidden_ = condition;
  body(*this);
  forbidden_.clear();
}

void Filler::mistake(std::string_view name, const std::string& text) {
  // A refused value keeps its default: what follows from that is not the user's mistake.
  if (report_.count() > mistakes_before_ || !forbidden_.empty()) return;
  const Node* node = node_ == nullptr || name.empty() ? nullptr : node_->find(name);
  if (node != nullptr) return refuse(name, *node, text);
  report_.add(line_, fmt::format("{}: {}", name.empty() ? path_ : path_of(name), text));
}

Names Filler::other_kinds_with(std::string_view name) const {
  Names others;
  for (const Kind& kind : kinds_) {
    const Names keys = keys_of(kind);
    if (kind.name != chosen_ && std::find(keys.begin(), keys.end(), name) != keys.end()) {
      others.emplace_back(kind.name);
    }
  }
  return others;
}

void Filler::report_unknown(const Node& node) {
  const Names others = other_kinds_with(node.key);
  if (path_.empty()) {
    report_.add(node, node.key,
                "unknown section; " + suggestion(node.key, known_, "the sections are"));
  } else if (!others.empty()) {
    std::string remedy = fmt::format("remove it or choose kind = \"{}\"", others.front());
    if (!report_.variant.empty()) {
      remedy += fmt::format(" (variant {} drops it with unset = [\"{}\"])", report_.variant,
                            path_of(node.key));
    }
    refuse(node.key, node,
           fmt::format("key '{}' belongs to {} kind {}; the deck chose {}: {}", node.key, path_,
                       comma_list(others), chosen_, remedy));
  } else {
    refuse(node.key, node,
           "unknown key; " + suggestion(node.key, known_, fmt::format("{} has", path_)));
  }
}

void Filler::close() {
  if (node_ == nullptr || any_key_) return;
  for (const Node& child : node_->children) {
    if (taken_.find(child.key) == taken_.end()) report_unknown(child);
  }
}

}  // namespace parley
