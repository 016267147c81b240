// SPDX-License-Identifier: BSD-3-Clause
// bilinear: f_m(x,y) = x'A y + b_m'x + c_m'y with one A for all agents, generated from the deck, or
// f_m(x,y) = x'A_m y + b_m'x + c_m'y read from an HDF5 file.
#include "games/affine.hpp"
#include "games/coefficient_file.hpp"
#include "games/generate.hpp"

namespace parley {

namespace {

struct BilinearOptions {
  std::optional<std::string> file;
  std::int64_t dim = 1;
  double sigma_min = 1, sigma_max = 1;
  double offset = 0, spread = 0;
  double start = 1, noise = 0;
  std::int64_t seed = 1;
  PlayerSets sets;
};

void describe_generated(Fields& fields, BilinearOptions& o) {
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
  fields.key("seed", o.seed, {.sentence = "Seed of A, b and c.", .min = 0});
  if (o.sigma_max < o.sigma_min) fields.mistake("sigma_max", "must not be below sigma_min");
}

void describe(Fields& fields, BilinearOptions& o) {
  fields.key("file", o.file,
             {.sentence = "HDF5 file with data sets A (dx x dy), b (dx) and c (dy), each for all "
                          "agents, or with a first axis M; absent: generated from the keys "
                          "below."});
  fields.only_when(!o.file, "no file is given", [&o](Fields& f) { describe_generated(f, o); });
  fields.key("start", o.start,
             {.sentence = "Standard deviation of the starting point's coordinates.", .min = 0});
  fields.key("noise", o.noise,
             {.sentence = "Standard deviation of the noise in each coordinate of an oracle call.",
              .min = 0});
  fields.group("the players' constraint", [&o](Fields& f) { describe(f, o.sets); });
}

std::vector<double> zeros(std::int64_t n) {
  return std::vector<double>(static_cast<std::size_t>(n * n), 0.0);
}

AffineProblem generated(const BilinearOptions& o, std::int64_t total) {
  const auto coupling = coupling_matrix(o.dim, o.dim, {o.sigma_min, o.sigma_max}, o.seed);
  AffineProblem problem{o.dim, o.dim, {}, o.start, {o.noise, o.noise}, o.sets};
  problem.agent = [o, coupling, total](std::int64_t m) {
    AffineAgent agent{zeros(o.dim), coupling, zeros(o.dim), {}, {}};
    linear_terms({o.dim, o.dim, o.offset, o.spread, o.seed}, {m, total}, agent.b, agent.c);
    return agent;
  };
  return problem;
}

AffineProblem from_file(const BilinearOptions& o, const Deck& deck) {
  const CoefficientFile file(deck, "game.file", *o.file);
  const h5::Shape a = file.shape_of("A", 2);
  file.expect("b", {a[0]}, "A");
  file.expect("c", {a[1]}, "A");
  AffineProblem problem{a[0], a[1], {}, o.start, {o.noise, o.noise}, o.sets};
  problem.agent = [file, a](std::int64_t m) {
    return AffineAgent{zeros(a[0]), file.read("A", 2, m), zeros(a[1]), file.read("b", 1, m),
                       file.read("c", 1, m)};
  };
  return problem;
}

AffineProblem problem_of(const Deck& deck) {
  const auto& o = deck.game.as<BilinearOptions>();
  return o.file ? from_file(o, deck) : generated(o, deck.run.agents);
}

AffineSizes sizes_of(const Deck& deck) {
  const auto& o = deck.game.as<BilinearOptions>();
  if (!o.file) return {o.dim, o.dim};
  const h5::Shape a = CoefficientFile(deck, "game.file", *o.file).shape_of("A", 2);
  return {a[0], a[1]};
}

}  // namespace

GameRow bilinear_row() {
  return {make_kind<BilinearOptions>("bilinear", "x'Ay + b'x + c'y, generated or from a file",
                                     "x* = -A^{-T}c, y* = -A^{-1}b"),
          false,
          [](const Deck& deck, const DataShape*, std::int64_t) {
            GamePlan plan =
                affine_plan(sizes_of(deck), deck.run.agents, [deck] { return problem_of(deck); });
            plan.proximal = deck.game.as<BilinearOptions>().sets.any();
            return plan;
          },
          [](const GameContext& context) {
            const bool file = context.deck.game.as<BilinearOptions>().file.has_value();
            return make_affine_game(problem_of(context.deck), context,
                                    context.deck.where(file ? "game.file" : "game.kind"));
          }};
}

}  // namespace parley
