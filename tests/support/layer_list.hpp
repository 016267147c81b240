// SPDX-License-Identifier: BSD-3-Clause
// Layer lists for tests and benches, made through the registry and its describe(), without a deck.
#pragma once

#include <algorithm>
#include <string>

#include "core/check.hpp"
#include "nn/layer.hpp"
#include "support/set_fields.hpp"

namespace parley {

/// A layer with its defaults; `width` for dense ones.
inline LayerOptions make_layer_options(const std::string& name, std::int64_t width = 1) {
  const auto kinds = layer_kinds();
  const auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) { return k.name == name; });
  ensure(kind != kinds.end(), "make_layer_options: no such layer");
  LayerOptions options{{name, kind->defaults()}};
  test::SetFields setter;
  setter.numbers["width"] = width;
  kind->describe(setter, options.choice.options);
  return options;
}

}  // namespace parley
