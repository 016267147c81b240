// SPDX-License-Identifier: BSD-3-Clause
// quadratic: f_m(x,y) = x'P_m x/2 + x'A_m y - y'Q_m y/2 + b_m'x + c_m'y, generated from the deck or
// read from an HDF5 file.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "deck/paths.hpp"
#include "games/affine.hpp"
#include "games/generate.hpp"
#include "io/h5.hpp"

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
};

void describe(Fields& fields, QuadraticOptions& o) {
  fields.key(
      "file", o.file,
      {.sentence = "HDF5 file with data sets P (M x dx x dx), A (M x dx x dy), Q (M x dy x dy), "
                   "b (M x dx), c (M x dy); absent: generated from the keys below."});
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
}

void add(std::vector<double>& to, double factor, const std::vector<double>& from) {
  std::transform(to.begin(), to.end(), from.begin(), to.begin(),
                 [factor](double a, double b) { return a + factor * b; });
}

AffineProblem generated(const QuadraticOptions& o, std::int64_t total) {
  const auto p = symmetric_matrix(o.dim_x, {o.mu, o.smoothness}, o.seed, 0);
  const auto q = symmetric_matrix(o.dim_y, {o.mu, o.smoothness}, o.seed, 1);
  const auto a = coupling_matrix(o.dim_x, o.dim_y, {o.coupling / 2, o.coupling}, o.seed);
  AffineProblem problem{o.dim_x, o.dim_y, {}, o.start, o.noise};
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

/// Shapes of the file's five data sets, checked against each other and the number of agents.
struct FileDims {
  std::int64_t dx = 0, dy = 0;
};

FileDims inspect(const h5::File& file, const Deck& deck, const std::string& name) {
  const std::string where = deck.where("game.file");
  const auto shape_of = [&](const char* set) {
    if (!file.exists(set)) {
      fail_user("{}: {} has no data set {}; it needs P, A, Q, b and c", where, name, set);
    }
    return file.info(set).shape;
  };
  const auto a = shape_of("A");
  if (a.size() != 3) fail_user("{}: {}: A must have shape M x dx x dy", where, name);
  const std::int64_t m = a[0], dx = a[1], dy = a[2];
  const auto expect = [&](const char* set, const h5::Shape& wanted) {
    const auto got = shape_of(set);
    if (got != wanted) {
      fail_user("{}: {}: {} has shape [{}], but A asks for [{}]", where, name, set,
                fmt::join(got, ", "), fmt::join(wanted, ", "));
    }
  };
  expect("P", {m, dx, dx});
  expect("Q", {m, dy, dy});
  expect("b", {m, dx});
  expect("c", {m, dy});
  if (m != deck.run.agents) {
    fail_user("{}: {} holds {} agents, the deck has run.agents = {}; set run.agents = {}", where,
              name, m, deck.run.agents, m);
  }
  return {dx, dy};
}

AffineProblem from_file(const QuadraticOptions& o, const Deck& deck) {
  const std::string name = find_input(deck, *o.file, "game.file");
  const auto file = h5::File::open(name);
  const FileDims dims = inspect(file, deck, name);
  AffineProblem problem{dims.dx, dims.dy, {}, o.start, o.noise};
  problem.agent = [name, where = deck.where("game.file"), dims](std::int64_t m) {
    const auto source = h5::File::open(name);
    const auto row_of = [&](const char* set, std::int64_t size) {
      std::vector<double> out(static_cast<std::size_t>(size));
      source.read_rows(set, m, 1, ElementType::f64,
                       std::as_writable_bytes(std::span(out.data(), out.size())));
      if (!std::all_of(out.begin(), out.end(), [](double v) { return std::isfinite(v); })) {
        fail_user("{}: {}: {} of agent {} holds a non-finite number", where, name, set, m);
      }
      return out;
    };
    return AffineAgent{row_of("P", dims.dx * dims.dx), row_of("A", dims.dx * dims.dy),
                       row_of("Q", dims.dy * dims.dy), row_of("b", dims.dx), row_of("c", dims.dy)};
  };
  return problem;
}

GamePlan plan_of(const QuadraticOptions& o, const Deck& deck) {
  const std::int64_t total = deck.run.agents;
  if (!o.file) {
    GamePlan plan = affine_plan(o.dim_x, o.dim_y);
    plan.constants = [o, total] { return affine_constants(generated(o, total), total); };
    return plan;
  }
  const AffineProblem problem = from_file(o, deck);
  GamePlan plan = affine_plan(problem.dx, problem.dy);
  plan.constants = [problem, total] { return affine_constants(problem, total); };
  return plan;
}

}  // namespace

GameRow quadratic_row() {
  return {make_kind<QuadraticOptions>(
              "quadratic", "x'Px/2 + x'Ay - y'Qy/2 + b'x + c'y, generated or from a file",
              "z* = -(mean M)^{-1} mean q with M = [[P, A], [-A', Q]], q = (b, -c)"),
          false,
          [](const Deck& deck, const DataShape*, std::int64_t) {
            return plan_of(deck.game.as<QuadraticOptions>(), deck);
          },
          [](const GameContext& context) {
            const auto& o = context.deck.game.as<QuadraticOptions>();
            return make_affine_game(
                o.file ? from_file(o, context.deck) : generated(o, context.deck.run.agents),
                context, context.deck.where(o.file ? "game.file" : "game.kind"));
          }};
}

}  // namespace parley
