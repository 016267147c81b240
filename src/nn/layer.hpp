// SPDX-License-Identifier: BSD-3-Clause
// One layer of a network: what it computes forward, backward and along tangents, on rows that the
// network owns. A layer holds shapes and options only, never rows. Must not know players or losses.
#pragma once

#include <any>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "deck/fields.hpp"
#include "kernels/activation.hpp"
#include "kernels/dense.hpp"
#include "kernels/types.hpp"

namespace parley {

/// Shape of one sample: [features] or [channels, height, width].
using Shape = std::vector<std::int64_t>;
std::int64_t features_of(const Shape& shape);
std::string to_text(const Shape& shape);

/// What a layer's calls share: where work is queued, and one agent's parameters.
struct Pass {
  const Exec& exec;
  Blas& blas;
  const Vector& z;  ///< row of the layout
};

/// A block of parameters that a layer asks for.
struct ParameterBlock {
  std::string name;  ///< "weight", "bias"
  Shape shape;
  std::int64_t fan_in = 1, fan_out = 1;
  bool is_bias = false;
};

/// What the network must respect when it plans rows and passes.
struct LayerTraits {
  bool overwrites = false;    ///< forward and backward may write over what they read
  bool reads_output = false;  ///< derivatives are taken from the layer's output
  bool smooth = false;        ///< has second derivatives by its input
};

/// How rows enter a weight gradient.
struct RowWeights {
  Vector weights;            ///< factor of each adjoint row, applied in place; empty: ones
  std::int64_t counted = 0;  ///< biases sum over the first `counted` rows only
};

/// All matrices have one row per sample, n x features of the layer's input or output.
class Layer {
 public:
  virtual ~Layer() = default;

  virtual const Shape& output_shape() const = 0;
  virtual LayerTraits traits() const { return {}; }
  /// Blocks in the order in which they join the layout.
  virtual std::vector<ParameterBlock> blocks() const { return {}; }
  /// Tells the columns of blocks() in a row of z.
  virtual void bind(std::span<const std::int64_t>) {}
  /// Ratio by which initial weights before this layer are enlarged to keep variances (He 2015).
  virtual double gain() const { return 1; }
  /// Floating-point operations of one forward pass of one sample.
  virtual double flops() const { return 0; }
  /// The activation, if the layer is nothing else.
  virtual const Activation* activation() const { return nullptr; }
  /// Takes over the activation that follows, into forward() alone; false when it cannot.
  virtual bool absorb(const Activation&) { return false; }

  virtual void forward(const Pass& pass, const Matrix& in, const Matrix& out) = 0;
  /// to = J' from, with from at the output, to at the input.
  virtual void backward(const Pass& pass, const Matrix& out, const Matrix& from,
                        const Matrix& to) = 0;
  /// to = J from, with from at the input, to at the output, for fixed parameters.
  virtual void tangent(const Pass& pass, const Matrix& out, const Matrix& from,
                       const Matrix& to) = 0;
  /// Adjoint of the primal input when the tangent's adjoint is given: the second-derivative pass.
  /// See CurvatureArrays; adjoint_in is unused by layers that are linear in their input.
  virtual void curvature(const Pass& pass, const CurvatureArrays& arrays) = 0;
  /// Writes the gradient of blocks() into the row f: sums over rows of `adjoint` (at the output,
  /// weighted in place) with `in`.
  virtual void gradient(const Pass&, const Matrix& /*in*/, const Matrix& /*adjoint*/,
                        const RowWeights&, const Vector& /*f*/) {}
};

/// What a layer is built from.
struct LayerContext {
  const Choice& choice;
  Shape input;
};

/// A layer of the registry.
struct LayerRow {
  Kind kind;
  std::unique_ptr<Layer> (*make)(const LayerContext& context);
};

/// dense, relu, leaky_relu, tanh, sigmoid.
std::span<const LayerRow> layer_registry();
/// The kinds of layer_registry(), for decks.
std::span<const Kind> layer_kinds();

/// One element of a deck's layer list.
struct LayerOptions {
  Choice choice;
};
void describe(Fields& fields, LayerOptions& options);
std::unique_ptr<Layer> make_layer(const LayerContext& context);

}  // namespace parley
