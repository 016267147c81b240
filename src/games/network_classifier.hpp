// SPDX-License-Identifier: BSD-3-Clause
// Cross-entropy of a network on samples shifted by one perturbation: value, gradients of both, and
// hits. Works on one agent's row; knows neither data nor agents.
#pragma once

#include <string>
#include <vector>

#include "kernels/types.hpp"
#include "nn/network.hpp"

namespace parley {

/// What the classifier is made of.
struct ClassifierParts {
  std::vector<LayerOptions> layers;
  Shape sample;              ///< shape of one sample
  std::int64_t classes = 2;  ///< scores of the last layer
  double weight = 1;         ///< of -||d||^2
};

class NetworkClassifier {
 public:
  /// Allocates nothing on the device. UserError, with `where` in front, when the layers do not end
  /// in one score per class.
  NetworkClassifier(const ClassifierParts& parts, const std::string& where);

  /// Blocks "network.0.weight", ... of x, then "d" of y, of the sample's shape.
  const Layout& layout() const { return layout_; }
  /// Bytes that evaluate() on `batch` samples and hits() need.
  std::int64_t workspace_bytes(std::int64_t batch) const;
  double flops(std::int64_t batch) const;  ///< of one evaluate()
  /// Fills the network's blocks of the host row (see Network::initialize); d becomes 0.
  void initialize(const std::string& init, const InitialSeed& from, const HostVector& z) const;

  void reserve(std::int64_t batch);
  /// The batch's samples and classes, to be filled before evaluate(); batch <= what is reserved.
  Matrix samples(std::int64_t batch) const { return rows(network_.input(), 0, batch); }
  Indices classes(std::int64_t batch) const {
    return Kokkos::subview(classes_, std::make_pair(std::int64_t{0}, batch));
  }

  /// f = (grad_x l, -grad_d l) and loss(0) = l of l = cross-entropy(network(s + d)) - weight
  /// ||d||^2 at the row z. Overwrites the samples. `ready` hears of each block.
  void evaluate(const Exec& exec, const Vector& z, std::int64_t batch, const Vector& f,
                const Doubles& loss, const BlockReady& ready);

  /// Number of samples, with d added when `perturbed`, whose largest score is that of their class.
  enum class Samples { clean, perturbed };
  double hits(const Exec& exec, const Vector& z, const Matrix& samples, const Indices& classes,
              Samples which);

 private:
  Vector shift(const Vector& row) const;

  ClassifierParts parts_;
  Layout layout_;
  Network network_, scorer_;
  Blas blas_;
  std::size_t shift_block_ = 0;
  Indices classes_;
  Doubles terms_, scorer_terms_, hits_;
  std::int64_t reserved_ = 0;
};

}  // namespace parley
