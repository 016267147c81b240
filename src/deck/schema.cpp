// SPDX-License-Identifier: BSD-3-Clause
// The JSON Schema of a deck. Conditions between keys ("only when ...") are said in descriptions,
// not enforced: `parley check` does that.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/check.hpp"
#include "deck/fields_of.hpp"
#include "deck/report.hpp"
#include "deck/writer.hpp"

namespace parley {
namespace {

using Json = nlohmann::ordered_json;

/// The numbers of a range as JSON integers where they are whole.
Json json_number(double value) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  if (std::trunc(value) == value && std::fabs(value) < exact) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

void add_range(Json& schema, const About& about) {
  if (std::isfinite(about.min)) {
    schema[about.min_excluded ? "exclusiveMinimum" : "minimum"] = json_number(about.min);
  }
  if (std::isfinite(about.max)) {
    schema[about.max_excluded ? "exclusiveMaximum" : "maximum"] = json_number(about.max);
  }
}

Json type_schema(const bool*, const About&) {
  return {{"type", "boolean"}};
}
Json type_schema(const std::string*, const About&) {
  return {{"type", "string"}};
}
Json type_schema(const std::int64_t*, const About& about) {
  Json schema = {{"type", "integer"}};
  add_range(schema, about);
  return schema;
}
Json type_schema(const double*, const About& about) {
  Json schema = {{"type", "number"}};
  add_range(schema, about);
  return schema;
}
template <class T>
Json type_schema(const std::vector<T>*, const About& about) {
  return {{"type", "array"}, {"items", type_schema(static_cast<const T*>(nullptr), about)}};
}

Json one_or_many(const Json& element) {
  return {{"anyOf", Json::array({Json{{"type", "array"}, {"items", element}}, element})}};
}

/// Collects the properties of one table.
class TableSchema final : public FieldsOf<TableSchema> {
 public:
  template <class T>
  void on_key(std::string_view name, T& value, const About& about) {
    Json schema = type_schema(&value, about);
    if (!about.required) schema["default"] = value;
    add(name, std::move(schema), about);
  }
  template <class T>
  void on_key(std::string_view name, std::optional<T>& value, const About& about) {
    Json schema = type_schema(static_cast<const T*>(nullptr), about);
    if (value) schema["default"] = *value;
    add(name, std::move(schema), about);
  }
  void one_of(std::string_view name, std::string& value, std::span<const std::string_view> allowed,
              const About& about) override {
    Json schema = {{"enum", Json(std::vector<std::string>(allowed.begin(), allowed.end()))}};
    if (!about.required) schema["default"] = value;
    add(name, std::move(schema), about);
  }
  void duration(std::string_view name, std::optional<double>& seconds,
                const About& about) override {
    const Json text = {{"type", "string"}, {"pattern", "^[0-9.]+(e[-+]?[0-9]+)?(ms|s|m|h|d)$"}};
    Json schema = {
        {"anyOf", Json::array({type_schema(static_cast<const double*>(nullptr), about), text})}};
    if (seconds) schema["default"] = *seconds;
    add(name, std::move(schema), about);
  }
  void table(std::string_view name, const About& about,
             const std::function<void(Fields&)>& body) override {
    TableSchema inner;
    body(inner);
    About with_keys = about;
    with_keys.required = about.required || inner.needs_a_key();
    add(name, inner.result(), with_keys);
  }
  void maybe(std::string_view name, const Maybe& maybe, const About& about) override {
    maybe.make();
    TableSchema inner;
    maybe.body(inner);
    add(name, inner.result(), about);
  }
  void list(std::string_view name, const List& list, const About& about) override {
    const std::size_t size = list.size();
    list.resize(size + 1);
    TableSchema inner;
    list.body(inner, size);
    list.resize(size);
    add(name, one_or_many(inner.result()), about);
  }
  void choice(std::string_view name, Choice& value, std::span<const Kind> kinds,
              const About& about) override {
    ensure(alternatives_.empty(), "json_schema: one choice per table");
    for (const Kind& kind : kinds) {
      TableSchema own;
      const std::string about_kind = fmt::format("{} {}", about.sentence, kind.summary);
      own.properties_[std::string(name)] = {{"const", kind.name}, {"description", about_kind}};
      if (kind.name != value.kind) own.required_.push_back(name);
      std::any options = kind.defaults();
      kind.describe(own, options);
      alternatives_.push_back({std::string(kind.name), own.properties_, own.required_});
      has_default_ = has_default_ || (kind.name == value.kind && own.required_.empty());
    }
  }
  void only_when(bool, std::string_view condition,
                 const std::function<void(Fields&)>& body) override {
    const std::string outer = condition_;
    condition_ = condition;
    body(*this);
    condition_ = outer;
  }
  void mistake(std::string_view, const std::string&) override {}

  bool needs_a_key() const {
    return !required_.empty() || (!alternatives_.empty() && !has_default_);
  }

  Json result() const {
    if (alternatives_.empty()) return object(properties_, required_);
    Json options = Json::array();
    for (const Alternative& alternative : alternatives_) {
      Json properties = alternative.properties;
      properties.update(properties_);
      Json required = alternative.required;
      for (const Json& name : required_) required.push_back(name);
      Json schema = object(properties, required);
      schema["title"] = alternative.kind;
      options.push_back(std::move(schema));
    }
    return {{"oneOf", std::move(options)}};
  }

 private:
  struct Alternative {
    std::string kind;
    Json properties, required;
  };

  static Json object(const Json& properties, const Json& required) {
    Json schema = {{"type", "object"}, {"properties", properties}};
    if (!required.empty()) schema["required"] = required;
    schema["additionalProperties"] = false;
    return schema;
  }

  void add(std::string_view name, Json schema, const About& about) {
    std::string text(about.sentence);
    if (!about.unit.empty()) text += fmt::format(" Unit: {}.", about.unit);
    if (!condition_.empty()) text += fmt::format(" Only when {}.", condition_);
    schema["description"] = text;
    if (about.required && condition_.empty()) required_.push_back(name);
    properties_[std::string(name)] = std::move(schema);
  }

  Json properties_ = Json::object();
  Json required_ = Json::array();
  std::vector<Alternative> alternatives_;
  bool has_default_ = false;
  std::string condition_;
};

/// Variants are judged after merging; here their sections must have known names.
Json variant_schema(const Json& sections) {
  Json properties = {{"unset",
                      {{"type", "array"},
                       {"items", {{"type", "string"}}},
                       {"description", "Keys of the deck that the variant drops."}}}};
  for (const auto& [name, schema] : sections.items()) {
    properties[name] = {{"type", Json::array({"object", "array"})}};
  }
  const Json one = {
      {"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  return {{"type", "object"},
          {"description", "Named changes to the deck, chosen by --variant NAME."},
          {"additionalProperties", one}};
}

}  // namespace

std::string json_schema(const Registries& registries) {
  Deck deck;
  TableSchema root;
  describe(root, deck, registries);
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "Parley deck"}};
  schema.update(root.result());
  schema["properties"]["variant"] = variant_schema(schema["properties"]);
  return schema.dump(2) + "\n";
}

}  // namespace parley
