// SPDX-License-Identifier: BSD-3-Clause
// robust-logistic: min_w max_{||d_i|| <= r} mean log(1 + exp(-y_i (x_i + d_i)'w)) + lambda/2
// ||w||^2. The best d_i lowers every margin y_i t_i by r ||w||_* (the dual norm). Either the
// players d_i are explicit, N x features numbers that every agent holds, or the best ones are put
// in, and only w is left.
#include <array>

#include "games/linear_model.hpp"
#include "kernels/project.hpp"

namespace parley {

GameRow robust_logistic_row();

namespace {

constexpr std::array<std::string_view, 2> norms{"l2", "linf"};
constexpr std::array<std::string_view, 2> players{"best", "explicit"};

struct RobustLogisticOptions {
  double lambda = 0.01, radius = 0.1;
  std::string norm = "l2";
  std::string perturbation = "best";
  double start = 0.1;
  std::string weighting = "agents";
};

void describe(Fields& f, RobustLogisticOptions& o) {
  f.key("lambda", o.lambda, {.sentence = "Weight of ||w||^2 / 2.", .min = 0});
  f.key("radius", o.radius, {.sentence = "Largest norm r of a row's perturbation.", .min = 0});
  f.one_of("norm", o.norm, norms, {.sentence = "Norm of the perturbations."});
  f.one_of("perturbation", o.perturbation, players,
           {.sentence = "best: the maximum over the perturbations in closed form, no player y; "
                        "explicit: y holds one perturbation for every training row, on every "
                        "agent."});
  f.key("start", o.start,
        {.sentence = "Standard deviation of the numbers of w at the start.", .min = 0});
  describe_weighting(f, o.weighting);
}

Layout layout_of(const RobustLogisticOptions& o, std::int64_t rows, std::int64_t features) {
  Layout layout(row_alignment);
  layout.add("w", Player::x, {features});
  if (o.perturbation == "explicit") layout.add("d", Player::y, {rows, features});
  return layout;
}

class RobustLogistic final : public LinearGame {
 public:
  explicit RobustLogistic(const GameContext& context)
      : RobustLogistic(context, context.deck.game.as<RobustLogisticOptions>()) {}

  std::vector<Measure> measures() override {
    std::vector<Measure> list{value_measure()};
    add_held_out(list, false);
    list.push_back(at_best("primal", "max over all perturbations of f at wbar", false));
    if (explicit_) list.push_back(at_best("inner_gap", "primal - f(zbar)", true));
    return list;
  }

  void prox(const Exec& exec, const Matrix& z, const Pair&) override {
    if (!explicit_) return;
    const Columns d = columns("d");
    if (options_.norm == "linf") return project_box(exec, z, d, -options_.radius, options_.radius);
    for (std::int64_t m = 0; m < agents_.count(); ++m) {
      const Matrix all(z.data() + m * columns_of(z) + d.begin, model_.rows(), model_.features());
      project_ball(exec, all, {0, model_.features()}, options_.radius);
    }
  }

 protected:
  void evaluate(const Exec& exec, RowPass& pass, const Matrix& z, const Matrix& f) override {
    const std::int64_t w = column("w"), n = model_.features();
    margins(exec, pass, z, !explicit_);
    row_slopes(exec, RowLoss::logistic, pass.margins, pass.weights, pass.slopes, pass.sums);
    row_sums(exec, pass.batch(), pass.slopes, f, w);
    if (explicit_) {
      perturbed_field(exec, pass.batch(), perturbations(), z, w, pass.slopes, f);
    } else {
      add_length_slopes(exec, dual_norm(), z, w, n, -options_.radius, pass.sums, f);
    }
    add_columns(exec, z, w, options_.lambda, {}, f, w, n);
  }

  std::vector<double> values(const Exec& exec, RowPass& pass, const Matrix& z) override {
    return values(exec, pass, z, !explicit_);
  }

 private:
  RobustLogistic(const GameContext& context, const RobustLogisticOptions& options)
      : LinearGame(context,
                   layout_of(options, context.data->shape.train_rows, context.data->shape.features),
                   LinearModel(context, Answer::sign, weighting_of(options.weighting)),
                   {options.start, {}}),
        options_(options),
        explicit_(options.perturbation == "explicit"),
        lengths_("parley::logistic::lengths", static_cast<std::size_t>(context.agents.count())) {}

  Norm dual_norm() const { return options_.norm == "l2" ? Norm::l2 : Norm::l1; }
  RowPlayer perturbations() const { return {model_.numbers(), column("d"), model_.rows()}; }

  /// (x_i + d_i)'w with the best d_i or those of z.
  void margins(const Exec& exec, RowPass& pass, const Matrix& z, bool best) {
    products(exec, pass, z);
    pass.margins.offsets = best ? lengths_ : Doubles();
    pass.margins.against = best;
    if (best) {
      row_lengths(exec, dual_norm(), z, column("w"), model_.features(), options_.radius, lengths_);
    } else {
      add_perturbed(exec, pass.batch(), perturbations(), z, column("w"), pass.margins.products);
    }
  }

  std::vector<double> values(const Exec& exec, RowPass& pass, const Matrix& z, bool best) {
    margins(exec, pass, z, best);
    auto all = weighted_losses(exec, RowLoss::logistic, pass);
    const auto w = dots(exec, z, "w", "w");
    for (std::size_t m = 0; m < all.size(); ++m) all[m] += 0.5 * options_.lambda * w[m];
    return all;
  }

  Measure at_best(const char* name, const char* meaning, bool gap) {
    return {name,
            "",
            meaning,
            Measure::At::mean,
            Measure::Reduce::mean,
            false,
            [this, gap](const Exec& exec, const Matrix& z, std::span<double> out) {
              const auto best = values(exec, model_.all(), z, true);
              std::copy(best.begin(), best.end(), out.begin());
              if (!gap) return;
              const auto own = values(exec, model_.all(), z, false);
              for (std::size_t m = 0; m < out.size(); ++m) out[m] -= own[m];
            }};
  }

  RobustLogisticOptions options_;
  bool explicit_;
  Doubles lengths_;  ///< r ||w||_* per agent
};

GamePlan plan_logistic(const Deck& deck, const DataShape* data, std::int64_t batch) {
  expect_answers(deck, *data, Answer::sign);
  const auto& options = deck.game.as<RobustLogisticOptions>();
  GamePlan plan =
      linear_plan(deck, *data, batch, layout_of(options, data->train_rows, data->features));
  plan.proximal = options.perturbation == "explicit";
  return plan;
}

}  // namespace

GameRow robust_logistic_row() {
  return {make_kind<RobustLogisticOptions>("robust-logistic",
                                           "logistic regression against perturbed rows",
                                           "inner maximum: Cauchy-Schwarz, margin by margin"),
          true, plan_logistic, [](const GameContext& context) -> std::unique_ptr<Game> {
            return std::make_unique<RobustLogistic>(context);
          }};
}

}  // namespace parley
