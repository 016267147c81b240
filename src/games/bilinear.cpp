// SPDX-License-Identifier: BSD-3-Clause
// bilinear: f_m(x,y) = x'A y + b_m'x + c_m'y with one A for all agents.
#include "games/affine.hpp"
#include "games/generate.hpp"

namespace parley {

namespace {

struct BilinearOptions {
  std::int64_t dim = 1;
  double sigma_min = 1, sigma_max = 1;
  double offset = 0, spread = 0;
  double start = 1, noise = 0;
  std::int64_t seed = 1;
};

void describe(Fields& fields, BilinearOptions& o) {
  fields.key("dim", o.dim, {.sentence = "Dimension of x and of y.", .min = 1, .max = 4096});
  fields.key("sigma_min", o.sigma_min,
             {.sentence = "Smallest singular value of A.", .min = 0, .min_excluded = true});
  fields.key("sigma_max", o.sigma_max,
             {.sentence = "Largest singular value of A; equal to sigma_min, A = sigma I.",
              .min = 0,
              .min_excluded = true});
  fields.key(
      "offset", o.offset,
      {.sentence = "Standard deviation of the part of b and c that all agents share.", .min = 0});
  fields.key("spread", o.spread,
             {.sentence = "Standard deviation of each agent's own part of b and c.", .min = 0});
  fields.key("start", o.start,
             {.sentence = "Standard deviation of the starting point's coordinates.", .min = 0});
  fields.key("noise", o.noise,
             {.sentence = "Standard deviation of the noise in each coordinate of an oracle call.",
              .min = 0});
  fields.key("seed", o.seed, {.sentence = "Seed of A, b and c.", .min = 0});
  if (o.sigma_max < o.sigma_min) fields.mistake("sigma_max", "must not be below sigma_min");
}

AffineProblem problem_of(const BilinearOptions& o, std::int64_t total) {
  const auto coupling = coupling_matrix(o.dim, o.dim, {o.sigma_min, o.sigma_max}, o.seed);
  AffineProblem problem{o.dim, o.dim, {}, o.start, o.noise};
  problem.agent = [o, coupling, total](std::int64_t m) {
    const std::vector<double> zero(static_cast<std::size_t>(o.dim * o.dim), 0.0);
    AffineAgent agent{zero, coupling, zero, {}, {}};
    linear_terms({o.dim, o.dim, o.offset, o.spread, o.seed}, {m, total}, agent.b, agent.c);
    return agent;
  };
  return problem;
}

}  // namespace

GameRow bilinear_row() {
  return {make_kind<BilinearOptions>("bilinear", "x'Ay + b'x + c'y, saddle point in closed form",
                                     "x* = -A^{-T}c, y* = -A^{-1}b"),
          false,
          [](const Deck& deck, const DataShape*, std::int64_t) {
            const auto& o = deck.game.as<BilinearOptions>();
            GamePlan plan = affine_plan(o.dim, o.dim);
            plan.constants = [o, total = deck.run.agents] {
              return affine_constants(problem_of(o, total), total);
            };
            return plan;
          },
          [](const GameContext& context) {
            const auto& o = context.deck.game.as<BilinearOptions>();
            return make_affine_game(problem_of(o, context.deck.run.agents), context,
                                    context.deck.where("game.kind"));
          }};
}

}  // namespace parley
