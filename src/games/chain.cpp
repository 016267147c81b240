// SPDX-License-Identifier: BSD-3-Clause
// chain: the instance behind the lower bound for decentralized saddle points (Beznosikov, Samokhin
// and Gasnikov, arXiv 2010.13112, section on lower bounds). The bilinear chain A is split between
// the first and the last agents of a path so that every new coordinate has to cross the graph.
#include <cmath>

#include "core/check.hpp"
#include "games/affine.hpp"

namespace parley {

namespace {

struct ChainOptions {
  std::int64_t dim = 20;
  double smoothness = 1, mu = 0.1;
  std::int64_t group = 1;
  double noise = 0;
};

void describe(Fields& fields, ChainOptions& o) {
  fields.key("dim", o.dim, {.sentence = "Dimension of x and of y.", .min = 2, .max = 4096});
  fields.key("smoothness", o.smoothness,
             {.sentence = "L, the scale of the coupling.", .min = 0, .min_excluded = true});
  fields.key("mu", o.mu,
             {.sentence = "Strong convexity and concavity.", .min = 0, .min_excluded = true});
  fields.key(
      "group", o.group,
      {.sentence = "Agents at the beginning, and as many at the end, that hold the coupling.",
       .min = 1});
  fields.key("noise", o.noise,
             {.sentence = "Standard deviation of the noise in each coordinate of an oracle call.",
              .min = 0});
}

/// Entry (i, i+1) of the chain, i counted from 1, belongs to A1 where i is even and to A2 where it
/// is odd; both have unit diagonals.
std::vector<double> half_chain(std::int64_t dim, bool even) {
  std::vector<double> a(static_cast<std::size_t>(dim * dim), 0.0);
  for (std::int64_t i = 0; i < dim; ++i) {
    a[static_cast<std::size_t>(i * dim + i)] = 1;
    const bool number_is_even = (i + 1) % 2 == 0;
    if (i + 1 < dim && number_is_even == even) a[static_cast<std::size_t>(i * dim + i + 1)] = -2;
  }
  return a;
}

AffineProblem problem_of(const Deck& deck) {
  const auto& o = deck.game.as<ChainOptions>();
  const std::int64_t total = deck.run.agents;
  if (total < 2 * o.group) {
    fail_user("{} = {}: run.agents = {} leaves no two ends; take at least {} agents",
              deck.where("game.group"), o.group, total, 2 * o.group);
  }
  AffineProblem problem{o.dim, o.dim, {}, 0, {o.noise, o.noise}};
  problem.agent = [o, total](std::int64_t m) {
    const auto size = static_cast<std::size_t>(o.dim);
    std::vector<double> own(size * size, 0.0);
    for (std::size_t i = 0; i < size; ++i) own[i * size + i] = o.mu;
    AffineAgent agent{own, std::vector<double>(size * size, 0.0), own,
                      std::vector<double>(size, 0.0), std::vector<double>(size, 0.0)};
    const bool first = m < o.group;
    if (!first && m < total - o.group) return agent;
    const double share = static_cast<double>(total) / (2 * static_cast<double>(o.group));
    agent.a = half_chain(o.dim, first);
    for (double& a : agent.a) a *= share * o.smoothness / 2;
    if (first) agent.c[0] = share * o.smoothness * o.smoothness / (2 * o.mu);
    return agent;
  };
  return problem;
}

}  // namespace

GameRow chain_row() {
  return {
      make_kind<ChainOptions>("chain",
                              "tridiagonal x'Ay + mu(|x|^2 - |y|^2)/2 split between the ends of "
                              "a path, from the start 0",
                              "lower bound of Beznosikov et al., arXiv 2010.13112"),
      false,
      [](const Deck& deck, const DataShape*, std::int64_t) {
        const std::int64_t dim = deck.game.as<ChainOptions>().dim;
        problem_of(deck);
        return affine_plan({dim, dim}, deck.run.agents, [deck] { return problem_of(deck); });
      },
      [](const GameContext& context) {
        return make_affine_game(problem_of(context.deck), context, context.deck.where("game.kind"));
      }};
}

}  // namespace parley
