// SPDX-License-Identifier: BSD-3-Clause
// linear-wgan: learning the mean of a Gaussian with a Wasserstein GAN whose players are linear
// (Daskalakis, Ilyas, Syrgkanis and Zeng, ICLR 2018): critic w'x, generator z + theta,
// data N(v_m, I), so that f_m(theta, w) = w'(v_m - theta).
#include <cmath>

#include "games/affine.hpp"
#include "games/generate.hpp"

namespace parley {

namespace {

struct LinearWganOptions {
  std::int64_t dim = 2;
  double offset = 1, spread = 0;
  std::int64_t samples = 0;
  double start = 1;
  std::int64_t seed = 1;
};

void describe(Fields& fields, LinearWganOptions& o) {
  fields.key("dim", o.dim, {.sentence = "Dimension of the data.", .min = 1, .max = 4096});
  fields.key(
      "offset", o.offset,
      {.sentence = "Standard deviation of the coordinates of the mean of all data.", .min = 0});
  fields.key("spread", o.spread,
             {.sentence = "Standard deviation of each agent's own part of its mean.", .min = 0});
  fields.key("samples", o.samples,
             {.sentence = "Data, and as many latent numbers, behind an oracle call; 0: the "
                          "expectation.",
              .min = 0});
  fields.key("start", o.start,
             {.sentence = "Standard deviation of the starting point's coordinates.", .min = 0});
  fields.key("seed", o.seed, {.sentence = "Seed of the means.", .min = 0});
}

AffineProblem problem_of(const LinearWganOptions& o, std::int64_t total) {
  AffineProblem problem{o.dim, o.dim, {}, o.start};
  // The mean of n data minus that of n latent numbers has covariance (2/n) I, and enters the
  // critic's gradient alone.
  if (o.samples > 0) problem.noise.y = std::sqrt(2.0 / static_cast<double>(o.samples));
  problem.agent = [o, total](std::int64_t m) {
    const auto size = static_cast<std::size_t>(o.dim);
    const std::vector<double> zero(size * size, 0.0);
    AffineAgent agent{zero, zero, zero, {}, {}};
    for (std::size_t i = 0; i < size; ++i) agent.a[i * size + i] = -1;
    linear_terms({o.dim, o.dim, o.offset, o.spread, o.seed}, {m, total}, agent.b, agent.c);
    agent.b.assign(size, 0.0);
    return agent;
  };
  return problem;
}

}  // namespace

GameRow linear_wgan_row() {
  return {make_kind<LinearWganOptions>("linear-wgan",
                                       "w'(v - theta): a linear critic and a shift learn a mean",
                                       "Daskalakis et al., ICLR 2018; theta* = mean v, w* = 0"),
          false,
          [](const Deck& deck, const DataShape*, std::int64_t) {
            const auto& o = deck.game.as<LinearWganOptions>();
            return affine_plan({o.dim, o.dim}, deck.run.agents,
                               [o, total = deck.run.agents] { return problem_of(o, total); });
          },
          [](const GameContext& context) {
            const auto& o = context.deck.game.as<LinearWganOptions>();
            return make_affine_game(problem_of(o, context.deck.run.agents), context,
                                    context.deck.where("game.kind"));
          }};
}

}  // namespace parley
