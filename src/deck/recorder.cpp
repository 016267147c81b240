// SPDX-License-Identifier: BSD-3-Clause
// The visitor that reads values out of Options.
#include "deck/recorder.hpp"

#include <algorithm>

#include "deck/fields_of.hpp"

namespace parley {
namespace {

class Recorder final : public FieldsOf<Recorder> {
 public:
  explicit Recorder(Node& table) : table_(table) {}

  template <class T>
  void on_key(std::string_view name, T& value, const About& about) {
    add(make_node(name, value), about);
  }
  template <class T>
  void on_key(std::string_view name, std::optional<T>& value, const About& about) {
    if (value) add(make_node(name, *value), about);
  }
  void one_of(std::string_view name, std::string& value, std::span<const std::string_view>,
              const About& about) override {
    add(make_node(name, value), about);
  }
  void duration(std::string_view name, std::optional<double>& seconds,
                const About& about) override {
    on_key(name, seconds, about);
  }
  void table(std::string_view name, const About& about,
             const std::function<void(Fields&)>& body) override {
    Node node;
    node.key = name;
    visit(node, about, body);
    table_.children.push_back(std::move(node));
  }
  void maybe(std::string_view name, const Maybe& maybe, const About& about) override {
    if (maybe.has()) table(name, about, maybe.body);
  }
  void list(std::string_view name, const List& list, const About& about) override {
    Node node;
    node.type = Node::Type::array;
    node.key = name;
    node.resumable = about.resumable || all_resumable_;
    for (std::size_t i = 0; i < list.size(); ++i) {
      Node element;
      visit(element, about, [&](Fields& fields) { list.body(fields, i); });
      node.children.push_back(std::move(element));
    }
    table_.children.push_back(std::move(node));
  }
  void choice(std::string_view name, Choice& value, std::span<const Kind> kinds,
              const About& about) override {
    add(make_node(name, value.kind), about);
    const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const Kind& other) { return other.name == value.kind; });
    if (kind == kinds.end()) return;
    if (!value.options.has_value()) value.options = kind->defaults();
    kind->describe(*this, value.options);
  }
  void only_when(bool holds, std::string_view, const std::function<void(Fields&)>& body) override {
    if (holds) body(*this);
  }
  void mistake(std::string_view, const std::string&) override {}

 private:
  void add(Node node, const About& about) {
    node.resumable = about.resumable || all_resumable_;
    table_.children.push_back(std::move(node));
  }
  /// Everything below a resumable table is resumable.
  void visit(Node& node, const About& about, const std::function<void(Fields&)>& body) const {
    Recorder inner(node);
    inner.all_resumable_ = about.resumable || all_resumable_;
    body(inner);
  }

  Node& table_;
  bool all_resumable_ = false;
};

}  // namespace

Node record_deck(const Deck& deck, const Registries& registries) {
  Deck copy = deck;
  return record_table([&](Fields& fields) { describe(fields, copy, registries); });
}

Node record_table(const std::function<void(Fields&)>& body) {
  Node root;
  Recorder recorder(root);
  body(recorder);
  return root;
}

}  // namespace parley
