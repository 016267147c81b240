// SPDX-License-Identifier: BSD-3-Clause
// dirac-gan: f_m(theta, psi) = g(psi theta) + g(-psi c_m) - (gamma/2) psi^2, a generator that is
// one point and a critic that is one slope, against one real point c_m per agent (Mescheder, Geiger
// and Nowozin, ICML 2018). The points' mean is 0, and so is the equilibrium; the eigenvalues of the
// flow -F there are +-i g'(0), with the penalty -gamma/2 +- sqrt(gamma^2/4 - g'(0)^2).
#include <array>
#include <cmath>

#include "games/game_parts.hpp"
#include "games/generate.hpp"
#include "games/random_rows.hpp"
#include "kernels/dirac.hpp"

namespace parley {

namespace {

constexpr std::array<std::string_view, 2> losses_of_dirac = {"logistic", "linear"};

struct DiracOptions {
  std::string loss = "logistic";
  double penalty = 0, spread = 0;
  double start = 1, noise = 0;
  std::int64_t seed = 1;
};

void describe(Fields& fields, DiracOptions& o) {
  fields.one_of("loss", o.loss, losses_of_dirac,
                {.sentence = "g(t): logistic, -log(1 + exp(-t)); linear (Wasserstein), t."});
  fields.key("penalty", o.penalty,
             {.sentence = "gamma, the weight of the squared slope of the critic (R1).", .min = 0});
  fields.key(
      "spread", o.spread,
      {.sentence = "Standard deviation of the agents' real points, whose mean is 0.", .min = 0});
  fields.key("start", o.start,
             {.sentence = "Standard deviation of the starting point's coordinates.", .min = 0});
  fields.key("noise", o.noise,
             {.sentence = "Standard deviation of the noise in each coordinate of an oracle call.",
              .min = 0});
  fields.key("seed", o.seed, {.sentence = "Seed of the real points.", .min = 0});
}

Layout dirac_layout() {
  Layout layout(row_alignment);
  layout.add("theta", Player::x, {1});
  layout.add("psi", Player::y, {1});
  return layout;
}

class DiracGan final : public Game {
 public:
  explicit DiracGan(const GameContext& context)
      : options_(context.deck.game.as<DiracOptions>()),
        agents_(context.agents),
        layout_(dirac_layout()),
        game_{options_.loss == "logistic", options_.penalty, layout_.block("theta").column,
              layout_.block("psi").column,
              Doubles("parley::constant::dirac_points",
                      static_cast<std::size_t>(context.agents.count()))},
        values_("parley::dirac::values", static_cast<std::size_t>(context.agents.count())) {
    const auto host = Kokkos::create_mirror_view(game_.points);
    for (std::int64_t i = 0; i < agents_.count(); ++i) {
      std::vector<double> point, unused;
      linear_terms({1, 1, 0, options_.spread, options_.seed},
                   {agents_.first() + i, agents_.total()}, point, unused);
      host(static_cast<std::size_t>(i)) = point[0];
    }
    Kokkos::deep_copy(game_.points, host);
  }

  const Layout& layout() const override { return layout_; }

  void initial(std::uint64_t seed, std::string_view agents, const Matrix& z) override {
    normal_start(agents_, layout_, options_.start, seed, agents, z);
  }

  void field(const Exec& exec, const Matrix& z, const Sample& sample, const Matrix& f,
             const Ready& ready) override {
    dirac_field(exec, game_, z, f);
    add_oracle_noise(exec, agents_, layout_, {options_.noise, options_.noise}, sample, f);
    if (sample.stream == Stream::train) dirac_values(exec, game_, z, values_);
    fence(exec, "parley::dirac::field");
    all_ready(ready, agents_, layout_);
  }

  void losses(std::span<double> x, std::span<double> y) override { zero_sum_losses(values_, x, y); }

  std::vector<Measure> measures() override {
    return {measure_of_mean("distance_to_solution", "||zbar||: the equilibrium is 0", layout_,
                            [](std::span<const double> z) { return std::hypot(z[0], z[1]); })};
  }

 private:
  DiracOptions options_;
  const Agents& agents_;
  Layout layout_;
  DiracGame game_;
  Doubles values_;
};

/// The linear loss gives F = [[0, 1], [-1, gamma]] z + const on every agent; the logistic one is
/// not Lipschitz.
GamePlan plan_dirac(const DiracOptions& o) {
  GamePlan plan;
  plan.layout = dirac_layout();
  plan.flops_per_call = 20;
  plan.bytes = 2 * static_cast<std::int64_t>(sizeof(double));
  if (o.loss != "linear") return plan;
  plan.constants = [gamma = o.penalty] {
    const double norm = (gamma + std::sqrt(gamma * gamma + 4)) / 2;
    return GameConstants{norm, norm, 0, gamma == 0};
  };
  return plan;
}

}  // namespace

GameRow dirac_gan_row() {
  return {
      make_kind<DiracOptions>("dirac-gan", "g(psi theta) + g(-psi c): two numbers, equilibrium 0",
                              "Mescheder et al., ICML 2018"),
      false,
      [](const Deck& deck, const DataShape*, std::int64_t) {
        return plan_dirac(deck.game.as<DiracOptions>());
      },
      [](const GameContext& context) -> std::unique_ptr<Game> {
        return std::make_unique<DiracGan>(context);
      }};
}

}  // namespace parley
