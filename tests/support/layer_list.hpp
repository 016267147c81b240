// SPDX-License-Identifier: BSD-3-Clause
// Layer lists for tests and benches, made through the registry and its describe(), without a deck.
#pragma once

#include <algorithm>
#include <string>

#include "core/check.hpp"
#include "deck/fields.hpp"
#include "nn/layer.hpp"

namespace parley {

/// A visitor that sets one integer key and leaves all others at their defaults.
class IntegerSetter final : public Fields {
 public:
  IntegerSetter(std::string name, std::int64_t value) : name_(std::move(name)), value_(value) {}
  void key(std::string_view name, std::int64_t& value, const About&) override {
    if (name == name_) value = value_;
  }
  void key(std::string_view, bool&, const About&) override {}
  void key(std::string_view, double&, const About&) override {}
  void key(std::string_view, std::string&, const About&) override {}
  void key(std::string_view, std::vector<std::int64_t>&, const About&) override {}
  void key(std::string_view, std::vector<double>&, const About&) override {}
  void key(std::string_view, std::vector<std::string>&, const About&) override {}
  void key(std::string_view, std::optional<std::int64_t>&, const About&) override {}
  void key(std::string_view, std::optional<double>&, const About&) override {}
  void key(std::string_view, std::optional<std::string>&, const About&) override {}
  void one_of(std::string_view, std::string&, std::span<const std::string_view>,
              const About&) override {}
  void duration(std::string_view, std::optional<double>&, const About&) override {}
  void table(std::string_view, const About&, const std::function<void(Fields&)>&) override {}
  void maybe(std::string_view, const Maybe&, const About&) override {}
  void list(std::string_view, const List&, const About&) override {}
  void choice(std::string_view, Choice&, std::span<const Kind>, const About&) override {}
  void only_when(bool, std::string_view, const std::function<void(Fields&)>&) override {}
  void mistake(std::string_view, const std::string&) override {}

 private:
  std::string name_;
  std::int64_t value_;
};

/// A layer with its defaults; `width` for dense ones.
inline LayerOptions make_layer_options(const std::string& name, std::int64_t width = 1) {
  const auto kinds = layer_kinds();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) { return k.name == name; });
  ensure(kind != kinds.end(), "make_layer_options: no such layer");
  LayerOptions options{{name, kind->defaults()}};
  IntegerSetter setter("width", width);
  kind->describe(setter, options.choice.options);
  return options;
}

}  // namespace parley
