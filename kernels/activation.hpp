// SPDX-License-Identifier: BSD-3-Clause
// Element-wise activations and what surrounds a dense product: bias, slopes, scaled adjoints,
// column sums. Every derivative is taken from the activation's output, so that outputs may
// overwrite inputs.
#pragma once

#include "kernels/types.hpp"

namespace parley {

enum class ActivationKind { identity, relu, leaky_relu, tanh, sigmoid };

/// An activation h = s(u). `slope` is the leaky ReLU's for u <= 0.
struct Activation {
  ActivationKind kind = ActivationKind::identity;
  Real slope = 0;
};

/// out = s(in + bias), n x width each; bias may be nullptr; in and out may be the same.
void activate(const Exec& exec, const Activation& s, const Matrix& in, const Real* bias,
              const Matrix& out);

/// to = from * s'(u), with s' taken from `output` = s(u). Serves adjoints and tangents alike; any
/// of the three may be the same.
void multiply_by_slope(const Exec& exec, const Activation& s, const Matrix& output,
                       const Matrix& from, const Matrix& to);

/// What the second derivative of an activation is applied to, n x width each.
struct CurvatureArrays {
  Matrix output;         ///< s(u)
  Matrix tangent_in;     ///< tangent before the activation
  Matrix adjoint_in;     ///< adjoint of that tangent
  Matrix curvature_out;  ///< adjoint of s(u) collected so far
  Matrix curvature_in;   ///< result: adjoint of u; may be curvature_out
};
/// curvature_in = curvature_out s'(u) + adjoint_in tangent_in s''(u) / s'(u): the adjoint of the
/// primal input through the tangent's dependence on it.
void add_curvature(const Exec& exec, const Activation& s, const CurvatureArrays& arrays);

/// sums[j] = sum over rows i < counted of weights[i] a(i, j), and a(i, :) *= weights[i] for all
/// rows. `weights` empty: ones, a is left alone. `sums` may be nullptr. Sums run in double, in row
/// order.
void weigh_rows(const Exec& exec, const Matrix& a, const Vector& weights, std::int64_t counted,
                Real* sums);

/// to(i, :) = weights[i] * from(i, :); `weights` empty: a copy.
void copy_rows(const Exec& exec, const Matrix& from, const Vector& weights, const Matrix& to);

}  // namespace parley
