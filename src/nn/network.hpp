// SPDX-License-Identifier: BSD-3-Clause
// A list of layers with its blocks in a layout and the rows of one batch: planned once, then filled
// by the passes without allocation. Must not know losses, data or agents.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/layout.hpp"
#include "nn/layer.hpp"

namespace parley {

/// The rows of the samples along which tangents are taken: `from` holds their primal values, `to`
/// receives the tangents. to == from overwrites the primal values (piecewise-linear networks).
struct TangentRows {
  std::int64_t from = 0, to = 0, count = 0;
};

/// Which rows a network plans for.
struct RowPlan {
  std::int64_t rows = 0;           ///< of values and adjoints
  std::int64_t input_adjoint = 0;  ///< rows of the adjoint at the input
  std::int64_t tangents = 0;       ///< rows of a tangent pass; 0: none
  bool own_output = true;          ///< false: bind_output() gives the last layer's rows
};

/// Which random numbers initial parameters come from.
struct InitialSeed {
  std::uint64_t seed = 0;
  std::int64_t agent = 0;
};

/// Called with the index in the layout of a block whose gradient is final.
using BlockReady = std::function<void(std::int64_t block)>;

class Network {
 public:
  /// Builds the layers for samples of shape `input`. UserError, beginning with `where`, when the
  /// list is empty or has no parameters.
  Network(std::string name, const std::vector<LayerOptions>& layers, Shape input,
          const std::string& where);

  const Shape& output_shape() const;
  /// Name of the last layer for messages: "layer 4 (dense)".
  std::string last_layer() const;
  /// True when no layer has second derivatives: tangent passes may then reuse adjoints.
  bool piecewise_linear() const { return piecewise_linear_; }
  double flops() const;        ///< forward, one sample
  double first_flops() const;  ///< of them, in the first layer

  /// Appends "name.0.weight", ... to the layout (layers counted from 0, activations too) and binds
  /// the layers to their columns.
  void add_blocks(Layout& layout, Player player);

  /// Fills this network's blocks of the host row z. init: "he" (normal, std gain / sqrt(fan in), He
  /// et al. 2015), "xavier" (uniform, Glorot and Bengio 2010), both with zero biases, or "uniform"
  /// (+-1/sqrt(fan in), biases too).
  void initialize(const std::string& init, const Layout& layout, const InitialSeed& from,
                  const HostVector& z) const;

  /// Elements (Real) that plan() allocates.
  std::int64_t plan_size(const RowPlan& plan) const;
  void plan(const RowPlan& plan);
  /// Uses the caller's matrices for the network's output and for its adjoint.
  void bind_output(const Matrix& values, const Matrix& adjoints);

  const Matrix& input() const { return values_.front(); }            ///< to be filled
  const Matrix& output() const { return values_.back(); }            ///< after forward
  const Matrix& output_adjoint() const { return adjoints_.back(); }  ///< to be filled
  const Matrix& input_adjoint() const { return adjoints_.front(); }  ///< after backward

  /// Values of rows [0, rows).
  void forward(const Pass& pass, std::int64_t rows);
  /// Adjoints of rows [0, rows) from output_adjoint(). At the input only those of rows
  /// [input_from, rows) are computed; they stand at input_adjoint() from its row 0 on.
  void backward(const Pass& pass, std::int64_t rows, std::int64_t input_from);
  /// Tangents at the input of every layer that needs them, from input() rows `to`.
  void tangent(const Pass& pass, const TangentRows& rows);
  /// For networks that are not piecewise linear, after tangent(): moves the adjoints of rows `from`
  /// to rows `to`, weights all rows before `to` on the way (`to` weights), and puts at `from` the
  /// adjoints of the primal values through the tangents.
  void curvature(const Pass& pass, const TangentRows& rows, const Vector& weights);
  /// Gradients of all blocks into the row f, last layer first, from rows [0, rows).
  void gradient(const Pass& pass, std::int64_t rows, const RowWeights& weights, const Vector& f,
                const BlockReady& ready);

 private:
  std::size_t size() const { return layers_.size(); }
  bool in_place(std::size_t layer) const;
  bool owns_output(std::size_t layer, const RowPlan& plan) const;
  std::size_t tangent_layers() const;
  void plan_tangents(std::int64_t count);

  std::string name_;
  Shape input_;
  std::vector<std::string> kinds_;
  std::vector<std::unique_ptr<Layer>> layers_;
  std::vector<bool> absorbed_;  ///< layer i's forward is done by layer i - 1
  std::vector<std::size_t> first_block_, block_counts_;  ///< of each layer, in the layout
  bool piecewise_linear_ = true;
  // values_[i]: input of layer i, values_[size()]: output of the network; adjoints_ alike. A layer
  // in place has its output where its input was. tangents_[i]: tangent at the input of layer i when
  // that works in place (one array for all when the network is piecewise linear).
  std::vector<Matrix> values_, adjoints_, tangents_;
  Vector tangent_store_;
};

}  // namespace parley
