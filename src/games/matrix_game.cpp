// SPDX-License-Identifier: BSD-3-Clause
// matrix_game: min over x, max over y, both on a simplex, of y'A_m x. In Euclidean geometry rows
// are the strategies and prox projects them; in entropy geometry rows are logits and strategies
// their softmax, so that a step along -F of the logits is entropic mirror descent, an extra step
// mirror-prox (Nemirovski 2004) and a mix of logits dual averaging.
#include <algorithm>
#include <array>
#include <cmath>

#include "games/affine.hpp"
#include "games/coefficient_file.hpp"
#include "games/generate.hpp"
#include "games/random_rows.hpp"
#include "kernels/philox.hpp"
#include "kernels/softmax.hpp"
#include "kernels/vector.hpp"

namespace parley {

namespace {

constexpr std::array<std::string_view, 5> instances = {"rock-paper-scissors", "given",
                                                       "policeman-burglar", "random", "file"};
constexpr std::array<std::string_view, 2> geometries = {"euclidean", "entropy"};

struct MatrixGameOptions {
  std::string instance = "rock-paper-scissors";
  std::vector<double> entries;
  std::int64_t rows = 2, columns = 2;
  std::int64_t size = 50;
  std::optional<std::string> file;
  std::string geometry = "euclidean";
  double heterogeneity = 0;
  double start = 0, noise = 0;
  std::int64_t seed = 1;
};

void describe_instance(Fields& fields, MatrixGameOptions& o) {
  fields.one_of(
      "instance", o.instance, instances,
      {.sentence = "A: rock-paper-scissors; given: the entries below; policeman-burglar: w_i (1 - "
                   "exp(-0.8 |i - j|)) with w_i = |N(0, 1)|; random: standard normals; file."});
  const bool given = o.instance == "given", random = o.instance == "random";
  fields.only_when(given, "instance = \"given\"", [&](Fields& f) {
    f.key("entries", o.entries, {.sentence = "A, row by row: y picks the row, x the column."});
  });
  fields.only_when(given || random, "instance = \"given\" or \"random\"", [&](Fields& f) {
    f.key("rows", o.rows, {.sentence = "Strategies of y.", .min = 1, .max = 4096});
    f.key("columns", o.columns, {.sentence = "Strategies of x.", .min = 1, .max = 4096});
  });
  fields.only_when(o.instance == "policeman-burglar", "instance = \"policeman-burglar\"",
                   [&](Fields& f) {
                     f.key("size", o.size,
                           {.sentence = "Houses: strategies of the policeman (x) and of the "
                                        "burglar (y).",
                            .min = 1,
                            .max = 4096});
                   });
  fields.only_when(o.instance == "file", "instance = \"file\"", [&](Fields& f) {
    f.key("file", o.file,
          {.sentence = "HDF5 file with A: rows x columns for all agents, or agents x rows x "
                       "columns."});
  });
  if (given && static_cast<std::int64_t>(o.entries.size()) != o.rows * o.columns) {
    fields.mistake("entries", fmt::format("must hold rows x columns = {} numbers, not {}",
                                          o.rows * o.columns, o.entries.size()));
  }
  if (o.instance == "file" && !o.file) fields.mistake("instance", "needs the key file");
}

void describe(Fields& fields, MatrixGameOptions& o) {
  describe_instance(fields, o);
  fields.one_of("geometry", o.geometry, geometries,
                {.sentence = "euclidean: strategies, projected onto the simplex; entropy: logits, "
                             "with strategies exp(u_j) / sum exp(u)."});
  fields.only_when(o.instance != "file", "instance is not \"file\"", [&](Fields& f) {
    f.key("heterogeneity", o.heterogeneity,
          {.sentence = "Scale of each agent's own part of A; the mean of all agents is the "
                       "instance.",
           .min = 0});
    f.key("seed", o.seed, {.sentence = "Seed of what is random in A.", .min = 0});
  });
  fields.key("start", o.start,
             {.sentence = "Standard deviation of the logits of the starting point; 0: uniform "
                          "strategies.",
              .min = 0});
  fields.key("noise", o.noise,
             {.sentence = "Standard deviation of the noise in each coordinate of an oracle call.",
              .min = 0});
}

std::vector<double> policeman_burglar(std::int64_t n, std::int64_t seed) {
  const Philox normal{static_cast<std::uint64_t>(seed), Purpose::generate, 0, 32};
  std::vector<double> a;
  for (std::int64_t i = 0; i < n; ++i) {
    const double wealth = std::abs(normal.normal(static_cast<std::uint64_t>(i)));
    for (std::int64_t j = 0; j < n; ++j) {
      a.push_back(wealth * (1 - std::exp(-0.8 * std::abs(static_cast<double>(i - j)))));
    }
  }
  return a;
}

/// The deck's A: rows x columns, row-major.
struct Payoffs {
  std::int64_t rows = 3, columns = 3;
  std::vector<double> a = {0, -1, 1, 1, 0, -1, -1, 1, 0};
};

Payoffs payoffs_of(const MatrixGameOptions& o) {
  if (o.instance == "given") return {o.rows, o.columns, o.entries};
  if (o.instance == "policeman-burglar") {
    return {o.size, o.size, policeman_burglar(o.size, o.seed)};
  }
  if (o.instance == "rock-paper-scissors") return {};
  const Philox normal{static_cast<std::uint64_t>(o.seed), Purpose::generate, 0, 33};
  Payoffs random{o.rows, o.columns, {}};
  for (std::int64_t i = 0; i < o.rows * o.columns; ++i) {
    random.a.push_back(normal.normal(static_cast<std::uint64_t>(i)));
  }
  return random;
}

/// y'Ax as x'(A')y.
std::vector<double> transposed(const std::vector<double>& a, std::int64_t rows,
                               std::int64_t columns) {
  std::vector<double> out;
  for (std::int64_t j = 0; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) {
      out.push_back(a[static_cast<std::size_t>(i * columns + j)]);
    }
  }
  return out;
}

AffineAgent bilinear_agent(std::vector<double> a, std::int64_t dx, std::int64_t dy) {
  const auto zeros = [](std::int64_t n) {
    return std::vector<double>(static_cast<std::size_t>(n), 0.0);
  };
  return {zeros(dx * dx), std::move(a), zeros(dy * dy), zeros(dx), zeros(dy)};
}

AffineSizes sizes_of(const Deck& deck) {
  const auto& o = deck.game.as<MatrixGameOptions>();
  if (o.instance == "file") {
    const h5::Shape a = CoefficientFile(deck, "game.file", *o.file).shape_of("A", 2);
    return {a[1], a[0]};
  }
  if (o.instance == "policeman-burglar") return {o.size, o.size};
  if (o.instance == "rock-paper-scissors") return {3, 3};
  return {o.columns, o.rows};
}

/// The game of the strategies themselves.
AffineProblem problem_of(const Deck& deck) {
  const auto& o = deck.game.as<MatrixGameOptions>();
  const auto [dx, dy] = sizes_of(deck);
  AffineProblem problem{dx, dy, {}, 0, {o.noise, o.noise}};
  problem.sets.x.simplex = problem.sets.y.simplex = true;
  if (o.instance == "file") {
    problem.agent = [file = CoefficientFile(deck, "game.file", *o.file), dx = dx,
                     dy = dy](std::int64_t m) {
      return bilinear_agent(transposed(file.read("A", 2, m), dy, dx), dx, dy);
    };
    return problem;
  }
  problem.agent = [a = payoffs_of(o), o, total = deck.run.agents](std::int64_t m) {
    std::vector<double> own = a.a;
    if (o.heterogeneity > 0) {
      const auto part = matrix_noise(a.rows, a.columns, o.seed, {m, total});
      std::transform(own.begin(), own.end(), part.begin(), own.begin(),
                     [&o](double all, double mine) { return all + o.heterogeneity * mine; });
    }
    return bilinear_agent(transposed(own, a.rows, a.columns), a.columns, a.rows);
  };
  return problem;
}

/// With the 1-norm on strategies, ||F(z) - F(u)||_inf <= max |A_ij| ||z - u||_1.
GameConstants entropy_constants(const AffineProblem& problem, std::int64_t agents) {
  GameConstants constants;
  std::vector<double> mean(static_cast<std::size_t>(problem.dx * problem.dy), 0.0);
  for (std::int64_t m = 0; m < agents; ++m) {
    const std::vector<double> a = problem.agent(m).a;
    for (std::size_t i = 0; i < a.size(); ++i) {
      constants.smoothness_max = std::max(constants.smoothness_max, std::abs(a[i]));
      mean[i] += a[i] / static_cast<double>(agents);
    }
  }
  for (const double a : mean) constants.smoothness = std::max(constants.smoothness, std::abs(a));
  constants.bilinear = true;
  return constants;
}

void softmax_rows(const Exec& exec, const Layout& layout, const Matrix& z) {
  for (const Block& block : layout.blocks()) softmax_columns(exec, z, {block.column, block.size});
}

class MatrixGame final : public Game {
 public:
  explicit MatrixGame(const GameContext& context)
      : options_(context.deck.game.as<MatrixGameOptions>()),
        entropy_(options_.geometry == "entropy"),
        agents_(context.agents),
        strategies_(
            make_affine_game(problem_of(context.deck), context, context.deck.where("game.kind"))) {
    if (!entropy_) return;
    const auto copies = [this](const char* name) {
      return make_matrix(name, agents_.count(), layout().width());
    };
    played_ = copies("parley::matrix_game::played");
    measured_ = copies("parley::matrix_game::measured");
  }

  const Layout& layout() const override { return strategies_->layout(); }

  void initial(std::uint64_t seed, std::string_view agents, const Matrix& z) override {
    normal_start(agents_, layout(), options_.start, seed, agents, z);
    if (entropy_) return;
    const Exec exec;
    softmax_rows(exec, layout(), z);
    fence(exec, "parley::matrix_game::initial");
  }

  void field(const Exec& exec, const Matrix& z, const Sample& sample, const Matrix& f,
             const Ready& ready) override {
    if (!entropy_) return strategies_->field(exec, z, sample, f, ready);
    const Matrix at = sample.stream == Stream::train ? played_ : measured_;
    copy(exec, z, at);
    softmax_rows(exec, layout(), at);
    strategies_->field(exec, at, sample, f, ready);
  }

  void losses(std::span<double> x, std::span<double> y) override { strategies_->losses(x, y); }

  std::vector<Measure> measures() override {
    std::vector<Measure> list = strategies_->measures();
    if (!entropy_) return list;
    for (Measure& measure : list) {
      measure.evaluate = [this, of_strategies = measure.evaluate](const Exec& exec, const Matrix& z,
                                                                  std::span<double> out) {
        copy(exec, z, measured_);
        softmax_rows(exec, layout(), measured_);
        of_strategies(exec, measured_, out);
      };
    }
    return list;
  }

  void prox(const Exec& exec, const Matrix& z, const Pair& eta) override {
    if (!entropy_) strategies_->prox(exec, z, eta);
  }
  void to_primal(const Exec& exec, const Matrix& z) override {
    if (entropy_) softmax_rows(exec, layout(), z);
  }
  void from_primal(const Exec& exec, const Matrix& z) override {
    if (!entropy_) return;
    for (const Block& block : layout().blocks()) log_columns(exec, z, {block.column, block.size});
  }

 private:
  MatrixGameOptions options_;
  bool entropy_;
  const Agents& agents_;
  std::unique_ptr<Game> strategies_;
  Matrix played_, measured_;
};

}  // namespace

GameRow matrix_game_row() {
  return {
      make_kind<MatrixGameOptions>("matrix_game", "min over x, max over y of y'Ax on two simplices",
                                   "von Neumann 1928; gap max_j (Ax)_j - min_i (A'y)_i"),
      false,
      [](const Deck& deck, const DataShape*, std::int64_t) {
        const std::int64_t agents = deck.run.agents;
        GamePlan plan = affine_plan(sizes_of(deck), agents, [deck] { return problem_of(deck); });
        plan.proximal = deck.game.as<MatrixGameOptions>().geometry != "entropy";
        if (!plan.proximal) {
          plan.constants = [deck, agents] { return entropy_constants(problem_of(deck), agents); };
        }
        return plan;
      },
      [](const GameContext& context) -> std::unique_ptr<Game> {
        return std::make_unique<MatrixGame>(context);
      }};
}

}  // namespace parley
