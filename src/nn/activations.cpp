// SPDX-License-Identifier: BSD-3-Clause
// The element-wise layers: one class over kernels/activation.hpp, one registry row per function.
#include <cmath>

#include "nn/layers.hpp"

namespace parley {

namespace {

struct NoOptions {};
void describe(Fields&, NoOptions&) {}

struct LeakyReluOptions {
  double slope = 0.2;
};
void describe(Fields& fields, LeakyReluOptions& options) {
  fields.key("slope", options.slope,
             {.sentence = "Slope for negative inputs.", .min = 0, .max = 1});
}

class ActivationLayer final : public Layer {
 public:
  ActivationLayer(const Activation& activation, double gain, Shape shape)
      : activation_(activation), gain_(gain), shape_(std::move(shape)) {}

  const Shape& output_shape() const override { return shape_; }
  LayerTraits traits() const override {
    const bool smooth =
        activation_.kind == ActivationKind::tanh || activation_.kind == ActivationKind::sigmoid;
    return {true, true, smooth};
  }
  double gain() const override { return gain_; }
  const Activation* activation() const override { return &activation_; }

  void forward(const Pass& pass, const Matrix& in, const Matrix& out) override {
    activate(pass.exec, activation_, in, nullptr, out);
  }
  void backward(const Pass& pass, const Matrix& out, const Matrix& from,
                const Matrix& to) override {
    multiply_by_slope(pass.exec, activation_, out, from, to);
  }
  void tangent(const Pass& pass, const Matrix& out, const Matrix& from, const Matrix& to) override {
    multiply_by_slope(pass.exec, activation_, out, from, to);
  }
  void curvature(const Pass& pass, const CurvatureArrays& arrays) override {
    add_curvature(pass.exec, activation_, arrays);
  }

 private:
  Activation activation_;
  double gain_;
  Shape shape_;
};

std::unique_ptr<Layer> make_activation(const Activation& activation, double gain,
                                       const LayerContext& context) {
  return std::make_unique<ActivationLayer>(activation, gain, context.input);
}

}  // namespace

LayerRow relu_row() {
  return {make_kind<NoOptions>("relu", "max(u, 0)", "slope 0 at u = 0"),
          [](const LayerContext& context) {
            return make_activation({ActivationKind::relu, 0}, std::sqrt(2.0), context);
          }};
}

LayerRow leaky_relu_row() {
  return {make_kind<LeakyReluOptions>("leaky_relu", "u for u > 0, slope * u otherwise",
                                      "Maas, Hannun and Ng 2013"),
          [](const LayerContext& context) {
            const double slope = context.choice.as<LeakyReluOptions>().slope;
            return make_activation({ActivationKind::leaky_relu, static_cast<Real>(slope)},
                                   std::sqrt(2.0 / (1.0 + slope * slope)), context);
          }};
}

LayerRow tanh_row() {
  return {make_kind<NoOptions>("tanh", "hyperbolic tangent", "range (-1, 1)"),
          [](const LayerContext& context) {
            return make_activation({ActivationKind::tanh, 0}, 5.0 / 3.0, context);
          }};
}

LayerRow sigmoid_row() {
  return {make_kind<NoOptions>("sigmoid", "logistic function 1 / (1 + e^-u)", "range (0, 1)"),
          [](const LayerContext& context) {
            return make_activation({ActivationKind::sigmoid, 0}, 1.0, context);
          }};
}

}  // namespace parley
