// SPDX-License-Identifier: BSD-3-Clause
// The keys of [game] kind = "gan". Knows no rows and no devices.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/loss.hpp"
#include "nn/layer.hpp"

namespace parley {

struct GanOptions {
  std::string loss = "wgan-gp";
  double penalty = 10;
  double clip = 0.01;
  std::int64_t noise = 64;
  std::string init = "he";
  std::int64_t swd_samples = 0;
  std::vector<LayerOptions> generator, discriminator;
};
void describe(Fields& fields, GanOptions& options);

/// The loss without its penalty or clipping.
GanLoss loss_of(const GanOptions& options);
inline bool has_penalty(const GanOptions& options) {
  return options.loss == "wgan-gp";
}
inline bool has_clip(const GanOptions& options) {
  return options.loss == "wgan";
}

}  // namespace parley
