// SPDX-License-Identifier: BSD-3-Clause
// The table of layer kinds.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "core/check.hpp"
#include "nn/layers.hpp"

namespace parley {

std::int64_t features_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::string to_text(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + "]";
}

std::span<const LayerRow> layer_registry() {
  static const std::array rows = {dense_row(), relu_row(), leaky_relu_row(), tanh_row(),
                                  sigmoid_row()};
  return rows;
}

std::span<const Kind> layer_kinds() {
  static const std::vector<Kind> kinds = [] {
    std::vector<Kind> all;
    for (const LayerRow& row : layer_registry()) all.push_back(row.kind);
    return all;
  }();
  return kinds;
}

void describe(Fields& fields, LayerOptions& options) {
  fields.choice("kind", options.choice, layer_kinds(),
                {.sentence = "Kind of the layer.", .required = true});
}

std::unique_ptr<Layer> make_layer(const LayerContext& context) {
  const auto rows = layer_registry();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const LayerRow& row) {
    return row.kind.name == context.choice.kind;
  });
  ensure(found != rows.end(), "make_layer: no layer of that kind");
  return found->make(context);
}

}  // namespace parley
