// SPDX-License-Identifier: BSD-3-Clause
// Keys of the gan game: names, ranges, sentences.
#include "games/gan_options.hpp"

#include <array>
#include <string_view>

namespace parley {

void describe(Fields& fields, GanOptions& options) {
  static constexpr std::array<std::string_view, 6> losses = {
      "minimax", "non-saturating", "least-squares", "hinge", "wgan", "wgan-gp"};
  static constexpr std::array<std::string_view, 3> inits = {"he", "xavier", "uniform"};
  fields.one_of("loss", options.loss, losses, {.sentence = "Losses of the two players."});
  fields.only_when(has_penalty(options), "loss = \"wgan-gp\"", [&](Fields& inner) {
    inner.key(
        "penalty", options.penalty,
        {.sentence = "Weight of the gradient penalty in the discriminator's loss.", .min = 0});
  });
  fields.only_when(has_clip(options), "loss = \"wgan\"", [&](Fields& inner) {
    inner.key("clip", options.clip,
              {.sentence = "The discriminator's parameters are clipped to [-clip, clip].",
               .min = 0,
               .min_excluded = true});
  });
  fields.key("noise", options.noise,
             {.sentence = "Dimension of the generator's standard normal input.",
              .min = 1,
              .max = 1 << 20});
  fields.one_of(
      "init", options.init, inits,
      {.sentence = "Initial parameters: he (normal, scaled by the next activation's gain), "
                   "xavier (uniform), both with zero biases, or uniform "
                   "(+-1/sqrt(inputs), biases too)."});
  fields.key(
      "swd_samples", options.swd_samples,
      {.sentence = "Held-out rows, and as many generated samples, in the swd measure; 0: all "
                   "held-out rows.",
       .min = 0});
  fields.list_of(
      "generator", options.generator,
      {.sentence = "Layers of the generator, from noise to a sample.", .required = true});
  fields.list_of(
      "discriminator", options.discriminator,
      {.sentence = "Layers of the discriminator, from a sample to one score.", .required = true});
}

GanLoss loss_of(const GanOptions& options) {
  if (options.loss == "minimax") return GanLoss::minimax;
  if (options.loss == "non-saturating") return GanLoss::non_saturating;
  if (options.loss == "least-squares") return GanLoss::least_squares;
  if (options.loss == "hinge") return GanLoss::hinge;
  return GanLoss::wgan;
}

}  // namespace parley
