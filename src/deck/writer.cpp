// SPDX-License-Identifier: BSD-3-Clause
// The annotated reference deck and the comparison of two decks for a resume.
#include "deck/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/check.hpp"
#include "deck/convert.hpp"
#include "deck/fields_of.hpp"
#include "deck/recorder.hpp"
#include "deck/report.hpp"

namespace parley {
namespace {

constexpr std::size_t columns = 98;

/// Words as comment lines that begin with `lead`.
std::string wrapped(std::string_view lead, const std::string& text) {
  std::string out, line(lead);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (line.size() + 1 + word.size() > columns) {
      out += line + "\n";
      line = std::string(lead) + " ";
    }
    line += " " + word;
    begin = end + 1;
  }
  return out + line + "\n";
}

/// A value in range for a key that has no default.
double example(const About& about) {
  const bool low = std::isfinite(about.min), high = std::isfinite(about.max);
  if (low && high) return about.min_excluded ? (about.min + about.max) / 2 : about.min;
  if (low) return about.min_excluded ? about.min + 1 : about.min;
  return high ? about.max - 1 : 1.0;
}
/// Puts an example in the place of what is only there to be replaced.
void make_legal(bool&, const About&) {}
void make_legal(std::int64_t& value, const About& about) {
  if (in_range(static_cast<double>(value), about)) return;
  value = static_cast<std::int64_t>(std::ceil(example(about)));
}
void make_legal(double& value, const About& about) {
  if (!in_range(value, about)) value = example(about);
}
void make_legal(std::string& value, const About& about) {
  if (value.empty() && about.required) value = "...";
}
template <class T>
void make_legal(std::vector<T>&, const About&) {}

/// Writes the keys of one table with their comments.
class ReferenceTable final : public FieldsOf<ReferenceTable> {
 public:
  /// A key is live, commented out, or (element of a list) only described.
  enum class Mode { live, commented, described };

  /// Groups of keys that a kind of the same choice has shown: their values as TOML, and that kind.
  struct Shown {
    std::string values, heading;
  };
  using Groups = std::map<std::string, Shown, std::less<>>;

  ReferenceTable(std::string& out, std::string prefix, Mode mode)
      : out_(out), prefix_(std::move(prefix)), mode_(mode) {}

  template <class T>
  void on_key(std::string_view name, T& value, const About& about) {
    comment(name, expected(&value, about), about);
    make_legal(value, about);
    line(make_node(name, value), mode_);
  }
  template <class T>
  void on_key(std::string_view name, std::optional<T>& value, const About& about) {
    comment(name, "optional, " + expected(&value, about), about);
    T shown = value.value_or(T{});
    make_legal(shown, {.sentence = "",
                       .min = about.min,
                       .max = about.max,
                       .min_excluded = about.min_excluded,
                       .max_excluded = about.max_excluded,
                       .required = true});
    line(make_node(name, shown), value ? mode_ : weaker());
  }
  void one_of(std::string_view name, std::string& value, std::span<const std::string_view> allowed,
              const About& about) override {
    const Names names(allowed.begin(), allowed.end());
    comment(name, "one of " + comma_list(names), about);
    line(make_node(name, value), mode_);
  }
  void duration(std::string_view name, std::optional<double>& seconds,
                const About& about) override {
    comment(name, "optional, " + expected_duration(about), about);
    line(seconds ? make_node(name, *seconds) : make_node(name, std::string("1h")),
         seconds ? mode_ : weaker());
  }
  void table(std::string_view name, const About& about,
             const std::function<void(Fields&)>& body) override {
    comment(name, "table", about);
    visit(name, mode_, body);
  }
  void maybe(std::string_view name, const Maybe& maybe, const About& about) override {
    comment(name, "optional table", about);
    maybe.make();
    visit(name, weaker(), maybe.body);
  }
  void list(std::string_view name, const List& list, const About& about) override {
    comment(name, "array of tables", about);
    const std::size_t size = list.size();
    list.resize(size + 1);
    ReferenceTable element(out_, prefix_ + std::string(name) + "[].", Mode::described);
    element.visit_body([&](Fields& fields) { list.body(fields, size); });
    if (size > 0) list.resize(size);
    const About plain{.sentence = ""};
    Node values = record_table([&](Fields& fields) { fields.list(name, list, plain); });
    list.resize(size);
    line(values.children.front(), size > 0 || about.required ? mode_ : weaker());
  }
  void choice(std::string_view name, Choice& value, std::span<const Kind> kinds,
              const About& about) override {
    Names names;
    for (const Kind& kind : kinds) names.emplace_back(kind.name);
    ensure(!names.empty(), "reference_deck: a registry without kinds");
    const bool has_default = std::find(names.begin(), names.end(), value.kind) != names.end();
    const std::string chosen = has_default ? value.kind : names.front();
    About shown = about;
    shown.required = !has_default;
    comment(name, "one of " + comma_list(names), shown);
    line(make_node(name, chosen), mode_);
    Groups groups;
    const auto show = [&](const Kind& kind) {
      const bool live = kind.name == chosen;
      if (live && !has_default) value = {chosen, kind.defaults()};
      ReferenceTable own(live ? out_ : tail_, prefix_, live ? mode_ : weaker());
      own.heading(name, kind);
      own.groups_ = &groups;
      std::any others = kind.defaults();
      std::any& options = live && !has_default ? value.options : others;
      own.visit_body([&](Fields& fields) { kind.describe(fields, options); });
    };
    // The chosen kind stands above the others.
    for (const Kind& kind : kinds) {
      if (kind.name == chosen) show(kind);
    }
    for (const Kind& kind : kinds) {
      if (kind.name != chosen) show(kind);
    }
  }
  void group(std::string_view title, const std::function<void(Fields&)>& body) override {
    if (groups_ == nullptr) return body(*this);
    const std::string values = to_toml(record_table(body));
    const auto [shown, first] = groups_->try_emplace(std::string(title), Shown{values, heading_});
    if (first || shown->second.values != values) return body(*this);
    out_ += wrapped("#", fmt::format("And {}: see {}.", title, shown->second.heading));
  }
  void only_when(bool holds, std::string_view condition,
                 const std::function<void(Fields&)>& body) override {
    const Mode outer = mode_;
    const std::string outer_condition = condition_;
    if (!holds) mode_ = weaker();
    condition_ = condition;
    body(*this);
    mode_ = outer;
    condition_ = outer_condition;
  }
  void mistake(std::string_view, const std::string&) override {}

  /// Visits the keys and appends the kinds that are not chosen.
  void visit_body(const std::function<void(Fields&)>& body) {
    body(*this);
    out_ += tail_;
    tail_.clear();
  }

 private:
  Mode weaker() const { return mode_ == Mode::live ? Mode::commented : mode_; }

  void visit(std::string_view name, Mode mode, const std::function<void(Fields&)>& body) {
    ReferenceTable inner(out_, prefix_ + std::string(name) + ".", mode);
    inner.visit_body(body);
  }

  void heading(std::string_view key, const Kind& kind) {
    heading_ = fmt::format("{}{} = \"{}\"", prefix_, key, kind.name);
    std::string text = fmt::format("{}: {}", heading_, kind.summary);
    if (!kind.source.empty()) text += fmt::format(" [{}]", kind.source);
    out_ += "#\n" + wrapped("#", text);
  }

  void comment(std::string_view name, const std::string& type, const About& about) {
    std::string text = mode_ == Mode::described ? prefix_ + std::string(name) + ": " : "";
    text += fmt::format("{} ({}", about.sentence, type);
    if (!about.unit.empty()) text += fmt::format(", in {}", about.unit);
    if (about.required) text += "; required";
    if (!condition_.empty()) text += fmt::format("; only when {}", condition_);
    out_ += wrapped("#", text + ")");
  }

  void line(const Node& node, Mode mode) {
    if (mode == Mode::described) return;
    const std::string_view mark = mode == Mode::live ? "" : "#";
    out_ += fmt::format("{}{}{} = {}\n", mark, prefix_, node.key, to_toml(node));
  }

  std::string& out_;
  std::string prefix_;
  Mode mode_;
  std::string condition_;
  std::string tail_;  ///< the kinds that are not chosen
  std::string heading_;
  Groups* groups_ = nullptr;
};

/// Writes the sections.
class ReferenceRoot final : public FieldsOf<ReferenceRoot> {
 public:
  template <class T>
  void on_key(std::string_view, T&, const About&) {
    ensure(false, "reference_deck: every key of a deck stands in a section");
  }
  void one_of(std::string_view, std::string&, std::span<const std::string_view>,
              const About&) override {
    ensure(false, "reference_deck: every key of a deck stands in a section");
  }
  void duration(std::string_view, std::optional<double>&, const About&) override {
    ensure(false, "reference_deck: every key of a deck stands in a section");
  }
  void choice(std::string_view, Choice&, std::span<const Kind>, const About&) override {
    ensure(false, "reference_deck: every key of a deck stands in a section");
  }
  void table(std::string_view name, const About& about,
             const std::function<void(Fields&)>& body) override {
    section(fmt::format("[{}]", name), about, ReferenceTable::Mode::live, body);
  }
  void maybe(std::string_view name, const Maybe& maybe, const About& about) override {
    maybe.make();
    section(fmt::format("#[{}]", name), about, ReferenceTable::Mode::commented, maybe.body);
  }
  void list(std::string_view name, const List& list, const About& about) override {
    list.resize(1);
    section(fmt::format("#[[{}]]", name), about, ReferenceTable::Mode::commented,
            [&](Fields& fields) { list.body(fields, 0); });
  }
  void only_when(bool, std::string_view, const std::function<void(Fields&)>& body) override {
    body(*this);
  }
  void mistake(std::string_view, const std::string&) override {}

  std::string out;

 private:
  void section(const std::string& header, const About& about, ReferenceTable::Mode mode,
               const std::function<void(Fields&)>& body) {
    out += "\n" + wrapped("#", std::string(about.sentence)) + header + "\n";
    ReferenceTable table(out, "", mode);
    table.visit_body(body);
  }
};

struct FlatKey {
  std::string text;
  bool resumable = false;
};
using FlatDeck = std::map<std::string, FlatKey>;

void flatten(const Node& node, const std::string& path, FlatDeck& out) {
  const bool tables = node.type == Node::Type::array && !node.children.empty() &&
                      node.children.front().type == Node::Type::table;
  if (node.type != Node::Type::table && !tables) {
    out[path] = {to_toml(node), node.resumable};
    return;
  }
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    const Node& child = node.children[i];
    flatten(child, tables ? fmt::format("{}[{}]", path, i) : join_path(path, child.key), out);
  }
}

}  // namespace

std::string reference_deck(const Registries& registries) {
  Deck deck;
  ReferenceRoot root;
  describe(root, deck, registries);
  const std::string head =
      wrapped("#",
              "Reference deck: every key with its default, type and meaning. Keys behind # "
              "without a blank are those that may be absent or belong to other choices. "
              "Durations are texts like \"55m\" or seconds; an integer may stand where a "
              "number is expected.");
  const std::string variants =
      "\n" +
      wrapped("#",
              "Named changes, chosen by --variant NAME: first `unset` drops keys, then "
              "tables merge key by key and other values replace.") +
      "#[variant.NAME]\n#unset = [\"graph.lazy\"]\n#run.seed = 2\n";
  return head + root.out + variants;
}

std::vector<std::string> resume_conflicts(const Deck& before, const Deck& now,
                                          const Registries& registries) {
  FlatDeck old_keys, new_keys;
  flatten(record_deck(before, registries), "", old_keys);
  flatten(record_deck(now, registries), "", new_keys);
  FlatDeck all = old_keys;
  all.insert(new_keys.begin(), new_keys.end());
  std::vector<std::string> conflicts;
  for (const auto& [path, key] : all) {
    const auto before_key = old_keys.find(path), now_key = new_keys.find(path);
    const std::string old_text = before_key == old_keys.end() ? "absent" : before_key->second.text;
    const std::string new_text = now_key == new_keys.end() ? "absent" : now_key->second.text;
    if (old_text == new_text || key.resumable) continue;
    conflicts.push_back(fmt::format("{}: {} -> {}", path, old_text, new_text));
  }
  return conflicts;
}

}  // namespace parley
