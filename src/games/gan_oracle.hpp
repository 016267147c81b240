// SPDX-License-Identifier: BSD-3-Clause
// The field of a GAN at one agent's row, for a batch that the caller has put in place: one pass
// over the fake batch serves both players. Must not know agents, data sets or random numbers.
#pragma once

#include <cstdint>
#include <string>

#include "core/layout.hpp"
#include "games/gan_options.hpp"
#include "nn/network.hpp"

namespace parley {

/// Places of the deck for messages.
struct GanPlaces {
  std::string generator, discriminator;
};

class GanOracle {
 public:
  /// Builds both networks for samples of shape `sample`. UserError when the generator's output or
  /// the discriminator's does not fit; allocates nothing.
  GanOracle(const GanOptions& options, const Shape& sample, const GanPlaces& places);

  const Layout& layout() const { return layout_; }
  /// Floating-point operations of one field evaluation in matrix products.
  double flops(std::int64_t batch) const;
  /// Bytes of the rows that reserve(batch) allocates.
  std::int64_t workspace_bytes(std::int64_t batch) const;

  /// Initial parameters of both players in the host row z.
  void initialize(const InitialSeed& from, const HostVector& z) const;

  /// Makes room for batches up to `batch`.
  void reserve(std::int64_t batch);

  // What evaluate() reads, to be filled for `batch` samples.
  Matrix real(std::int64_t batch) const { return rows(critic_.input(), 0, batch); }
  Matrix noise(std::int64_t batch) const { return rows(generator_.input(), 0, batch); }
  Vector mix(std::int64_t batch) const {  ///< share of the real sample in each interpolate
    return Kokkos::subview(mix_, std::make_pair(std::int64_t{0}, batch));
  }

  /// Gradients of the generator's loss by x and of the discriminator's by y into the row f, and
  /// losses = {generator's, discriminator's}, all at the row z. `ready` hears of each block.
  void evaluate(const Exec& exec, const Vector& z, std::int64_t batch, const Vector& f,
                const Doubles& losses, const BlockReady& ready);

  /// samples(i, :) = G(noise(i, :)) with the generator of the row z; any number of rows, the same
  /// bits whatever was reserved.
  void generate(const Exec& exec, const Vector& z, const Matrix& noise, const Matrix& samples);

 private:
  RowPlan critic_plan(std::int64_t batch) const;
  void differentiate_critic(const Pass& pass, std::int64_t batch, const Vector& f,
                            const Doubles& losses, const BlockReady& ready);

  GanLoss loss_;
  bool penalized_;
  double penalty_;
  std::string init_;
  Layout layout_;
  Network generator_, critic_, sampler_;
  Blas blas_;
  Vector weights_, fake_weights_, mix_;
  Doubles terms_;
  std::int64_t reserved_ = 0;
};

}  // namespace parley
