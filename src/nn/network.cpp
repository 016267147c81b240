// SPDX-License-Identifier: BSD-3-Clause
// The passes of a network over its layers.
#include "nn/network.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "kernels/philox.hpp"

namespace parley {

Network::Network(std::string name, const std::vector<LayerOptions>& layers, Shape input,
                 const std::string& where)
    : name_(std::move(name)), input_(std::move(input)) {
  Shape shape = input_;
  bool has_parameters = false;
  for (const LayerOptions& options : layers) {
    layers_.push_back(make_layer({options.choice, shape}));
    kinds_.push_back(options.choice.kind);
    shape = layers_.back()->output_shape();
    has_parameters = has_parameters || !layers_.back()->blocks().empty();
    if (layers_.back()->traits().smooth) piecewise_linear_ = false;
  }
  if (!has_parameters) {
    fail_user("{}: the layer list of the {} has no layer with parameters; add a dense layer", where,
              name_);
  }
  values_.assign(size() + 1, Matrix());
  adjoints_.assign(size() + 1, Matrix());
  absorbed_.assign(size(), false);
  for (std::size_t i = 1; i < size(); ++i) {
    const Activation* activation = layers_[i]->activation();
    absorbed_[i] = activation != nullptr && in_place(i) && layers_[i - 1]->absorb(*activation);
  }
}

const Shape& Network::output_shape() const {
  return layers_.back()->output_shape();
}

std::string Network::last_layer() const {
  return fmt::format("layer {} ({})", size() - 1, kinds_.back());
}

double Network::flops() const {
  double sum = 0;
  for (const auto& layer : layers_) sum += layer->flops();
  return sum;
}

double Network::first_flops() const {
  return layers_.front()->flops();
}

void Network::add_blocks(Layout& layout, Player player) {
  first_block_.clear();
  block_counts_.clear();
  for (std::size_t i = 0; i < size(); ++i) {
    first_block_.push_back(layout.blocks().size());
    std::vector<std::int64_t> columns;
    for (const ParameterBlock& block : layers_[i]->blocks()) {
      layout.add(fmt::format("{}.{}.{}", name_, i, block.name), player, block.shape);
      columns.push_back(layout.blocks().back().column);
    }
    block_counts_.push_back(columns.size());
    layers_[i]->bind(columns);
  }
}

namespace {

void initialize_block(const std::string& init, const ParameterBlock& block, double gain,
                      const Philox& random, Real* out) {
  const double fan_in = static_cast<double>(block.fan_in);
  const double fan_out = static_cast<double>(block.fan_out);
  const double bound =
      init == "xavier" ? gain * std::sqrt(6.0 / (fan_in + fan_out)) : 1.0 / std::sqrt(fan_in);
  const std::int64_t count = features_of(block.shape);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    double value = 0;
    if (init == "he" && !block.is_bias) {
      value = gain / std::sqrt(fan_in) * random.normal(index);
    } else if (init == "uniform" || !block.is_bias) {
      value = bound * (2 * random.uniform(index) - 1);
    }
    out[i] = static_cast<Real>(value);
  }
}

}  // namespace

void Network::initialize(const std::string& init, const Layout& layout, const InitialSeed& from,
                         const HostVector& z) const {
  for (std::size_t i = 0; i < size(); ++i) {
    const double gain = i + 1 < size() ? layers_[i + 1]->gain() : 1.0;
    std::size_t index = first_block_[i];
    for (const ParameterBlock& block : layers_[i]->blocks()) {
      const Philox random{from.seed, Purpose::init, from.agent, index};
      initialize_block(init, block, gain, random, z.data() + layout.blocks()[index].column);
      ++index;
    }
  }
}

// An output that a neighbour's derivative needs, before or after, must stay; so must the adjoint
// between two such layers, for the second-derivative pass.
bool Network::in_place(std::size_t layer) const {
  if (layer == 0 || layer >= size() || !layers_[layer]->traits().overwrites) return false;
  const bool read_before = layers_[layer - 1]->traits().reads_output;
  const bool read_after = layer + 1 < size() && layers_[layer + 1]->traits().reads_output;
  return !read_before && !read_after;
}

std::size_t Network::tangent_layers() const {
  std::size_t last = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (!layers_[i]->blocks().empty() || layers_[i]->traits().smooth) last = i;
  }
  return last;
}

std::int64_t Network::plan_size(const RowPlan& plan) const {
  std::int64_t total = (plan.rows + plan.input_adjoint) * features_of(input_);
  std::int64_t widest = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const std::int64_t width = features_of(layers_[i]->output_shape());
    if (owns_output(i, plan)) total += 2 * plan.rows * width;
    if (!in_place(i)) continue;
    widest = std::max(widest, width);
    if (!piecewise_linear_) total += plan.tangents * width;
  }
  return total + (piecewise_linear_ ? plan.tangents * widest : 0);
}

bool Network::owns_output(std::size_t layer, const RowPlan& plan) const {
  if (in_place(layer)) return false;
  const bool ends = layer + 1 == size() || (layer + 2 == size() && in_place(layer + 1));
  return plan.own_output || !ends;
}

void Network::plan(const RowPlan& plan) {
  values_.assign(size() + 1, Matrix());
  adjoints_.assign(size() + 1, Matrix());
  values_[0] = make_matrix("parley::network::values", plan.rows, features_of(input_));
  adjoints_[0] = make_matrix("parley::network::adjoints", plan.input_adjoint, features_of(input_));
  for (std::size_t i = 0; i < size(); ++i) {
    if (owns_output(i, plan)) {
      const std::int64_t width = features_of(layers_[i]->output_shape());
      values_[i + 1] = make_matrix("parley::network::values", plan.rows, width);
      adjoints_[i + 1] = make_matrix("parley::network::adjoints", plan.rows, width);
    } else if (in_place(i)) {
      values_[i + 1] = values_[i];
      adjoints_[i + 1] = adjoints_[i];
    }
  }
  plan_tangents(plan.tangents);
}

void Network::plan_tangents(std::int64_t count) {
  tangents_.assign(size(), Matrix());
  if (count == 0) return;
  std::int64_t widest = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (in_place(i)) widest = std::max(widest, features_of(layers_[i]->output_shape()));
  }
  if (piecewise_linear_) tangent_store_ = make_vector("parley::network::tangents", count * widest);
  for (std::size_t i = 0; i < size(); ++i) {
    if (!in_place(i)) continue;
    const std::int64_t width = features_of(layers_[i]->output_shape());
    tangents_[i] = piecewise_linear_
                       ? Matrix(tangent_store_.data(), static_cast<std::size_t>(count),
                                static_cast<std::size_t>(width))
                       : make_matrix("parley::network::tangents", count, width);
  }
}

void Network::bind_output(const Matrix& values, const Matrix& adjoints) {
  values_[size()] = values;
  adjoints_[size()] = adjoints;
  if (!in_place(size() - 1)) return;
  values_[size() - 1] = values;
  adjoints_[size() - 1] = adjoints;
}

void Network::forward(const Pass& pass, std::int64_t count) {
  for (std::size_t i = 0; i < size(); ++i) {
    if (absorbed_[i]) continue;
    layers_[i]->forward(pass, rows(values_[i], 0, count), rows(values_[i + 1], 0, count));
  }
}

void Network::backward(const Pass& pass, std::int64_t count, std::int64_t input_from) {
  for (std::size_t i = size() - 1; i > 0; --i) {
    layers_[i]->backward(pass, rows(values_[i + 1], 0, count), rows(adjoints_[i + 1], 0, count),
                         rows(adjoints_[i], 0, count));
  }
  if (input_from == count) return;
  layers_[0]->backward(pass, rows(values_[1], input_from, count),
                       rows(adjoints_[1], input_from, count),
                       rows(adjoints_[0], 0, count - input_from));
}

void Network::tangent(const Pass& pass, const TangentRows& part) {
  const auto at = [&](std::size_t i) {
    return in_place(i) ? rows(tangents_[i], 0, part.count)
                       : rows(values_[i], part.to, part.to + part.count);
  };
  for (std::size_t i = 0; i < tangent_layers(); ++i) {
    layers_[i]->tangent(pass, rows(values_[i + 1], part.from, part.from + part.count), at(i),
                        at(i + 1));
  }
}

void Network::curvature(const Pass& pass, const TangentRows& part, const Vector& weights) {
  const auto from = [&](const Matrix& a) { return rows(a, part.from, part.from + part.count); };
  const auto to = [&](const Matrix& a) { return rows(a, part.to, part.to + part.count); };
  const auto own = Kokkos::subview(weights, std::make_pair(part.from, part.from + part.count));
  for (std::size_t i = 0; i < size(); ++i) {
    if (in_place(i)) continue;
    copy_rows(pass.exec, from(adjoints_[i + 1]), own, to(adjoints_[i + 1]));
    copy_rows(pass.exec, rows(adjoints_[i + 1], 0, part.from), weights,
              rows(adjoints_[i + 1], 0, part.from));
  }
  Kokkos::deep_copy(pass.exec, from(adjoints_[size()]), Real(0));
  for (std::size_t i = size() - 1; i > 0; --i) {
    const Matrix tangent_in = in_place(i) ? rows(tangents_[i], 0, part.count) : to(values_[i]);
    layers_[i]->curvature(pass, {from(values_[i + 1]), tangent_in, to(adjoints_[i]),
                                 from(adjoints_[i + 1]), from(adjoints_[i])});
  }
}

void Network::gradient(const Pass& pass, std::int64_t count, const RowWeights& weights,
                       const Vector& f, const BlockReady& ready) {
  for (std::size_t i = size(); i-- > 0;) {
    const std::size_t blocks = block_counts_[i];
    if (blocks == 0) continue;
    layers_[i]->gradient(pass, rows(values_[i], 0, count), rows(adjoints_[i + 1], 0, count),
                         weights, f);
    for (std::size_t b = blocks; b-- > 0;) ready(static_cast<std::int64_t>(first_block_[i] + b));
  }
}

}  // namespace parley
