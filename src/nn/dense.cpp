// SPDX-License-Identifier: BSD-3-Clause
// The dense layer u = h W' + b, weight (out, in) and bias (out) as in PyTorch. Linear in its input:
// backward, tangent and curvature are products with W.
#include "nn/layers.hpp"

namespace parley {

namespace {

struct DenseOptions {
  std::int64_t width = 128;
  bool bias = true;
};

void describe(Fields& fields, DenseOptions& options) {
  fields.key("width", options.width,
             {.sentence = "Number of outputs.", .min = 1, .max = 1 << 24, .required = true});
  fields.key("bias", options.bias, {.sentence = "Adds a learned bias to every output."});
}

class Dense final : public Layer {
 public:
  Dense(const DenseOptions& options, const Shape& input)
      : inputs_(features_of(input)), shape_{options.width}, bias_(options.bias) {}

  const Shape& output_shape() const override { return shape_; }

  std::vector<ParameterBlock> blocks() const override {
    std::vector<ParameterBlock> list = {
        {"weight", {outputs(), inputs_}, inputs_, outputs(), false}};
    if (bias_) list.push_back({"bias", {outputs()}, inputs_, outputs(), true});
    return list;
  }

  void bind(std::span<const std::int64_t> columns) override {
    weight_column_ = columns[0];
    if (bias_) bias_column_ = columns[1];
  }

  double flops() const override {
    return 2.0 * static_cast<double>(inputs_) * static_cast<double>(outputs());
  }

  bool absorb(const Activation& activation) override {
    absorbed_ = activation;
    return true;
  }

  void forward(const Pass& pass, const Matrix& in, const Matrix& out) override {
    pass.blas.multiply(pass.exec, operand(in), transposed(weight(pass)), result(out));
    if (!bias_ && absorbed_.kind == ActivationKind::identity) return;
    activate(pass.exec, absorbed_, out, bias_ ? pass.z.data() + bias_column_ : nullptr, out);
  }

  void backward(const Pass& pass, const Matrix&, const Matrix& from, const Matrix& to) override {
    pass.blas.multiply(pass.exec, operand(from), weight(pass), result(to));
  }

  void tangent(const Pass& pass, const Matrix&, const Matrix& from, const Matrix& to) override {
    pass.blas.multiply(pass.exec, operand(from), transposed(weight(pass)), result(to));
  }

  void curvature(const Pass& pass, const CurvatureArrays& arrays) override {
    backward(pass, arrays.output, arrays.curvature_out, arrays.curvature_in);
  }

  void gradient(const Pass& pass, const Matrix& in, const Matrix& adjoint, const RowWeights& rows,
                const Vector& f) override {
    weigh_rows(pass.exec, adjoint, rows.weights, rows.counted,
               bias_ ? f.data() + bias_column_ : nullptr);
    pass.blas.multiply(pass.exec, transposed(operand(adjoint)), operand(in),
                       {f.data() + weight_column_, outputs(), inputs_, inputs_, 0});
  }

 private:
  std::int64_t outputs() const { return shape_[0]; }
  Operand weight(const Pass& pass) const {
    return {pass.z.data() + weight_column_, outputs(), inputs_, inputs_, Op::plain};
  }

  std::int64_t inputs_;
  Shape shape_;
  bool bias_;
  std::int64_t weight_column_ = 0, bias_column_ = 0;
  Activation absorbed_;
};

}  // namespace

LayerRow dense_row() {
  return {make_kind<DenseOptions>("dense", "every output sees every input: h W' + b",
                                  "weight (out, in) and bias (out)"),
          [](const LayerContext& context) -> std::unique_ptr<Layer> {
            return std::make_unique<Dense>(context.choice.as<DenseOptions>(), context.input);
          }};
}

}  // namespace parley
