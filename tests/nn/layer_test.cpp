// SPDX-License-Identifier: BSD-3-Clause
// Every layer of the registry: tangents and adjoints are transposes of one another, tangents are
// derivatives of forward, curvatures are derivatives of tangents.
#include "nn/layer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "core/check.hpp"
#include "core/layout.hpp"
#include "kernels/noise.hpp"

namespace parley {
namespace {

constexpr std::int64_t samples = 9, inputs = 14;
constexpr double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
// Step and tolerance of central differences: the cube root of the rounding error, and its square.
const double step = std::cbrt(epsilon), tolerance = 60 * step * step;

Matrix random_matrix(std::int64_t columns, std::uint64_t draw) {
  const Matrix a = make_matrix("test::random", samples, columns);
  fill_normal(Exec(), {11, Purpose::oracle_noise, 0, draw}, a);
  return a;
}

double dot(const Matrix& a, const Matrix& b) {
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += static_cast<double>(x.data()[i]) * static_cast<double>(y.data()[i]);
  }
  return sum;
}

/// a + scale b.
Matrix plus(const Matrix& a, double scale, const Matrix& b) {
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  HostMatrix sum("test::sum", a.extent(0), a.extent(1));
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum.data()[i] = x.data()[i] + static_cast<Real>(scale) * y.data()[i];
  }
  const Matrix result = make_matrix("test::plus", rows_of(a), columns_of(a));
  Kokkos::deep_copy(result, sum);
  return result;
}

class Layers : public ::testing::TestWithParam<std::string> {
 protected:
  Layers() {
    const auto kinds = layer_kinds();
    for (const Kind& kind : kinds) {
      if (kind.name == GetParam()) choice_ = {std::string(kind.name), kind.defaults()};
    }
    layer_ = make_layer({choice_, {inputs}});
    outputs_ = features_of(layer_->output_shape());
    Layout layout(row_alignment);
    std::vector<std::int64_t> columns;
    for (const ParameterBlock& block : layer_->blocks()) {
      layout.add(block.name, Player::y, block.shape);
      columns.push_back(layout.blocks().back().column);
    }
    layer_->bind(columns);
    z_ = make_vector("test::z", layout.width() + row_alignment);
    fill_normal(exec_, {12, Purpose::oracle_noise, 0, 0}, Matrix(z_.data(), 1, z_.size()));
  }

  Pass pass() { return {exec_, blas_, z_}; }
  Matrix forward(const Matrix& in) {
    const Matrix out = make_matrix("test::out", samples, outputs_);
    layer_->forward(pass(), in, out);
    return out;
  }
  Matrix tangent(const Matrix& in, const Matrix& v) {
    const Matrix out = make_matrix("test::tangent", samples, outputs_);
    layer_->tangent(pass(), forward(in), v, out);
    return out;
  }
  Matrix backward(const Matrix& in, const Matrix& w) {
    const Matrix out = make_matrix("test::adjoint", samples, inputs);
    layer_->backward(pass(), forward(in), w, out);
    return out;
  }

  Exec exec_;
  Blas blas_;
  Choice choice_;
  std::unique_ptr<Layer> layer_;
  std::int64_t outputs_ = 0;
  Vector z_;
};

TEST_P(Layers, TangentAndAdjointAreTransposes) {
  const Matrix u = random_matrix(inputs, 1), v = random_matrix(inputs, 2);
  const Matrix w = random_matrix(outputs_, 3);
  const double left = dot(tangent(u, v), w), right = dot(v, backward(u, w));
  EXPECT_GT(std::abs(left), 1e-3);
  EXPECT_NEAR(left, right, 500 * epsilon * std::sqrt(static_cast<double>(samples * outputs_)));
}

TEST_P(Layers, TangentIsTheDerivativeOfForward) {
  const Matrix u = random_matrix(inputs, 1), v = random_matrix(inputs, 2);
  const Matrix w = random_matrix(outputs_, 3);
  const double h = step;
  const double difference =
      (dot(forward(plus(u, h, v)), w) - dot(forward(plus(u, -h, v)), w)) / (2 * h);
  const double size = std::sqrt(dot(w, w));
  EXPECT_NEAR(dot(tangent(u, v), w), difference, tolerance * 30 * size);
}

TEST_P(Layers, CurvatureIsTheDerivativeOfTheTangent) {
  const Matrix u = random_matrix(inputs, 1), v = random_matrix(inputs, 2);
  const Matrix w = random_matrix(outputs_, 3), d = random_matrix(inputs, 4);
  const Matrix none = make_matrix("test::none", samples, outputs_);
  const Matrix curvature = make_matrix("test::curvature", samples, inputs);
  layer_->curvature(pass(), {forward(u), v, backward(u, w), none, curvature});
  if (!layer_->traits().smooth) {  // differences would step over kinks
    EXPECT_EQ(dot(curvature, curvature), 0);
    return;
  }
  const double h = step;
  const double difference =
      (dot(tangent(plus(u, h, d), v), w) - dot(tangent(plus(u, -h, d), v), w)) / (2 * h);
  const double got = dot(curvature, d);
  EXPECT_GT(std::abs(got), 1e-3);
  EXPECT_NEAR(got, difference, tolerance * 30 * std::sqrt(dot(w, w)));
}

INSTANTIATE_TEST_SUITE_P(Registry, Layers,
                         ::testing::Values("dense", "relu", "leaky_relu", "tanh", "sigmoid"));

TEST(LayerRegistry, ListsEveryLayerOnce) {
  EXPECT_EQ(layer_kinds().size(), layer_registry().size());
  EXPECT_EQ(layer_kinds().size(), 5U);
  EXPECT_THROW(make_layer({{"no_such_layer", {}}, {3}}), std::logic_error);
}

}  // namespace
}  // namespace parley
