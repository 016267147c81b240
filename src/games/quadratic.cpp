// SPDX-License-Identifier: BSD-3-Clause
// quadratic: f_m(x,y) = x'P_m x/2 + x'A_m y - y'Q_m y/2 + b_m'x + c_m'y, generated from the deck or
// read from an HDF5 file.
#include <algorithm>

#include "games/affine.hpp"
#include "games/coefficient_file.hpp"
#include "games/generate.hpp"

namespace parley {

namespace {

struct QuadraticOptions {
  std::optional<std::string> file;
  std::int64_t dim_x = 10, dim_y = 10;
  double mu = 0.1, smoothness = 1, coupling = 1;
  double heterogeneity = 0;
  double offset = 1, spread = 1;
  double start = 1, noise = 0;
  std::int64_t seed = 1;
  PlayerSets sets;
};

void describe(Fields& fields, QuadraticOptions& o) {
  fields.key(
      "file", o.file,
      {.sentence = "HDF5 file with data sets P (M x dx x dx), A (M x dx x dy), Q (M x dy x dy), "
                   "b (M x dx), c (M x dy), each also without its first axis, for all agents; "
                   "absent: generated from the keys below."});
  fields.only_when(!o.file, "no file is given", [&o](Fields& f) {
    f.key("dim_x", o.dim_x, {.sentence = "Dimension of x.", .min = 1, .max = 4096});
    f.key("dim_y", o.dim_y, {.sentence = "Dimension of y.", .min = 1, .max = 4096});
    f.key("mu", o.mu, {.sentence = "Smallest eigenvalue of the mean P and Q.", .min = 0});
    f.key("smoothness", o.smoothness,
          {.sentence = "Largest eigenvalue of the mean P and Q.", .min = 0});
    f.key("coupling", o.coupling, {.sentence = "Largest singular value of the mean A.", .min = 0});
    f.key("heterogeneity", o.heterogeneity,
          {.sentence = "Scale of each agent's own part of P, A and Q; 0: equal Jacobians.",
           .min = 0});
    f.key(
        "offset", o.offset,
        {.sentence = "Standard deviation of the part of b and c that all agents share.", .min = 0});
    f.key("spread", o.spread,
          {.sentence = "Standard deviation of each agent's own part of b and c.", .min = 0});
    f.key("seed", o.seed, {.sentence = "Seed of the generated coefficients.", .min = 0});
    if (o.smoothness < o.mu) f.mistake("smoothness", "must not be below mu");
  });
  fields.key("start", o.start,
             {.sentence = "Standard deviation of the starting point's coordinates.", .min = 0});
  fields.key("noise", o.noise,
             {.sentence = "Standard deviation of the noise in each coordinate of an oracle call.",
              .min = 0});
  fields.group("the players' constraint", [&o](Fields& f) { describe(f, o.sets); });
}

void add(std::vector<double>& to, double factor, const std::vector<double>& from) {
  std::transform(to.begin(), to.end(), from.begin(), to.begin(),
                 [factor](double a, double b) { return a + factor * b; });
}

AffineProblem generated(const QuadraticOptions& o, std::int64_t total) {
  const auto p = symmetric_matrix(o.dim_x, {o.mu, o.smoothness}, o.seed, 0);
  const auto q = symmetric_matrix(o.dim_y, {o.mu, o.smoothness}, o.seed, 1);
  const auto a = coupling_matrix(o.dim_x, o.dim_y, {o.coupling / 2, o.coupling}, o.seed);
  AffineProblem problem{o.dim_x, o.dim_y, {}, o.start, {o.noise, o.noise}, o.sets};
  problem.agent = [o, p, q, a, total](std::int64_t m) {
    AffineAgent agent{p, a, q, {}, {}};
    if (o.heterogeneity > 0) {
      add(agent.p, o.heterogeneity, symmetric_noise(o.dim_x, o.seed, {m, total}, 2));
      add(agent.q, o.heterogeneity, symmetric_noise(o.dim_y, o.seed, {m, total}, 3));
      add(agent.a, o.heterogeneity, matrix_noise(o.dim_x, o.dim_y, o.seed, {m, total}));
    }
    linear_terms({o.dim_x, o.dim_y, o.offset, o.spread, o.seed}, {m, total}, agent.b, agent.c);
    return agent;
  };
  return problem;
}

AffineProblem from_file(const QuadraticOptions& o, const Deck& deck) {
  const CoefficientFile file(deck, "game.file", *o.file);
  const h5::Shape a = file.shape_of("A", 2);
  const std::int64_t dx = a[0], dy = a[1];
  file.expect("P", {dx, dx}, "A");
  file.expect("Q", {dy, dy}, "A");
  file.expect("b", {dx}, "A");
  file.expect("c", {dy}, "A");
  AffineProblem problem{dx, dy, {}, o.start, {o.noise, o.noise}, o.sets};
  problem.agent = [file](std::int64_t m) {
    return AffineAgent{file.read("P", 2, m), file.read("A", 2, m), file.read("Q", 2, m),
                       file.read("b", 1, m), file.read("c", 1, m)};
  };
  return problem;
}

AffineProblem problem_of(const Deck& deck) {
  const auto& o = deck.game.as<QuadraticOptions>();
  return o.file ? from_file(o, deck) : generated(o, deck.run.agents);
}

AffineSizes sizes_of(const Deck& deck) {
  const auto& o = deck.game.as<QuadraticOptions>();
  if (!o.file) return {o.dim_x, o.dim_y};
  const h5::Shape a = CoefficientFile(deck, "game.file", *o.file).shape_of("A", 2);
  return {a[0], a[1]};
}

}  // namespace

GameRow quadratic_row() {
  return {make_kind<QuadraticOptions>(
              "quadratic", "x'Px/2 + x'Ay - y'Qy/2 + b'x + c'y, generated or from a file",
              "z* = -(mean M)^{-1} mean q with M = [[P, A], [-A', Q]], q = (b, -c)"),
          false,
          [](const Deck& deck, const DataShape*, std::int64_t) {
            GamePlan plan =
                affine_plan(sizes_of(deck), deck.run.agents, [deck] { return problem_of(deck); });
            plan.proximal = deck.game.as<QuadraticOptions>().sets.any();
            return plan;
          },
          [](const GameContext& context) {
            const bool file = context.deck.game.as<QuadraticOptions>().file.has_value();
            return make_affine_game(problem_of(context.deck), context,
                                    context.deck.where(file ? "game.file" : "game.kind"));
          }};
}

}  // namespace parley
