// SPDX-License-Identifier: BSD-3-Clause
// dro-logistic: min_w max_{y in simplex} sum_i y_i l_i(w) - ||y - 1/n||^2/2 + lambda sum_j a w_j^2
// / (1 + a w_j^2), l_i the logistic loss of training row i of n. y is shared: every agent holds all
// n entries, and f_m = M sum over its own rows of y_i l_i + the rest, so that f is the agents'
// mean. The best y is the projection of l + 1/n onto the simplex.
#include <algorithm>
#include <cmath>
#include <functional>

#include "games/linear_model.hpp"
#include "kernels/project.hpp"

namespace parley {

GameRow dro_logistic_row();

namespace {

struct DroOptions {
  double lambda = 0.001, a = 10;
  double start = 0.1;
};

void describe(Fields& f, DroOptions& o) {
  f.key("lambda", o.lambda, {.sentence = "Weight of the regulariser of w.", .min = 0});
  f.key("a", o.a, {.sentence = "a of a w^2 / (1 + a w^2).", .min = 0});
  f.key("start", o.start,
        {.sentence = "Standard deviation of the numbers of w at the start.", .min = 0});
}

Layout layout_of(std::int64_t rows, std::int64_t features) {
  Layout layout(row_alignment);
  layout.add("w", Player::x, {features});
  layout.add("y", Player::y, {rows});
  return layout;
}

/// max over y in the simplex of y'l - ||y - 1/n||^2/2, n = l.size(), by sorting l + 1/n.
double best_response_value(std::vector<double> l) {
  const double share = 1 / static_cast<double>(l.size());
  std::sort(l.begin(), l.end(), std::greater<>());
  double sum = 0, t = 0;
  for (std::size_t i = 0; i < l.size(); ++i) {
    sum += l[i] + share;
    const double candidate = (sum - 1) / static_cast<double>(i + 1);
    if (l[i] + share > candidate) t = candidate;
  }
  double value = 0;
  for (const double loss : l) {
    const double y = std::max(loss + share - t, 0.0);
    value += y * loss - 0.5 * (y - share) * (y - share);
  }
  return value;
}

class DroLogistic final : public LinearGame {
 public:
  explicit DroLogistic(const GameContext& context)
      : LinearGame(context, layout_of(context.data->shape.train_rows, context.data->shape.features),
                   LinearModel(context, Answer::sign, Weighting::sums),
                   {context.deck.game.as<DroOptions>().start,
                    {{"y", 1 / static_cast<double>(context.data->shape.train_rows)}}}),
        lambda_(context.deck.game.as<DroOptions>().lambda),
        a_(context.deck.game.as<DroOptions>().a) {}

  std::vector<Measure> measures() override {
    std::vector<Measure> list{value_measure()};
    add_held_out(list, false);
    list.push_back(primal_measure());
    return list;
  }

  void prox(const Exec& exec, const Matrix& z, const Pair&) override {
    project_simplex(exec, z, columns("y"), 1);
  }

 protected:
  /// F_w = sum over draws of weight y_i grad l_i + grad R(w); F_y = y - 1/n - sum of weight l_i
  /// e_i.
  void evaluate(const Exec& exec, RowPass& pass, const Matrix& z, const Matrix& f) override {
    products(exec, pass, z);
    row_losses(exec, RowLoss::logistic, pass.margins, pass.slopes);
    player_field(exec, pass.batch(), row_weights(), share(), z, pass.weights, pass.slopes, f);
    row_slopes(exec, RowLoss::logistic, pass.margins, pass.weights, pass.slopes, pass.sums);
    scale_by_player(exec, pass.batch(), row_weights(), z, pass.slopes);
    row_sums(exec, pass.batch(), pass.slopes, f, column("w"));
    add_saturating(exec, {lambda_, a_}, z, column("w"), model_.features(), f);
  }

  std::vector<double> values(const Exec& exec, RowPass& pass, const Matrix& z) override {
    products(exec, pass, z);
    row_losses(exec, RowLoss::logistic, pass.margins, pass.slopes);
    scale_by_player(exec, pass.batch(), row_weights(), z, pass.slopes);
    auto all = weighted_sums(exec, pass);
    const auto penalties = regulariser(exec, z);
    squares_about(exec, z, column("y"), model_.rows(), share(), pass.sums);
    const auto squares = to_host(exec, pass.sums);
    for (std::size_t m = 0; m < all.size(); ++m) all[m] += penalties[m] - 0.5 * squares[m];
    return all;
  }

 private:
  double share() const { return 1 / static_cast<double>(model_.rows()); }
  RowPlayer row_weights() const { return {model_.numbers(), column("y"), model_.rows()}; }

  std::vector<double> regulariser(const Exec& exec, const Matrix& z) {
    const Doubles out("parley::dro::regulariser", z.extent(0));
    saturating_values(exec, {lambda_, a_}, z, column("w"), model_.features(), out);
    return to_host(exec, out);
  }

  /// What an agent contributes at the mean: f_m, R(w), the number of its losses, the losses.
  enum Part : std::size_t { value, penalty, count, first_loss };

  void contribute(const Exec& exec, const Matrix& z, std::span<double> out) {
    std::fill(out.begin(), out.end(), 0.0);
    RowPass& pass = model_.all();
    const auto own = values(exec, pass, z), penalties = regulariser(exec, z);
    row_losses(exec, RowLoss::logistic, pass.margins, pass.slopes);
    const auto losses = to_host(exec, pass.slopes);
    const std::size_t stride = out.size() / std::max<std::size_t>(own.size(), 1);
    for (std::size_t m = 0; m < own.size(); ++m) {
      double* const to = out.data() + m * stride;
      const std::int64_t rows = model_.first_hand_rows(static_cast<std::int64_t>(m));
      to[value] = own[m];
      to[penalty] = penalties[m];
      to[count] = static_cast<double>(rows);
      const auto from = losses.begin() + static_cast<std::ptrdiff_t>(m) * pass.batch().width;
      std::copy_n(from, rows, to + first_loss);
    }
  }

  double combine(std::span<const double> all, std::size_t stride, bool gap) const {
    std::vector<double> losses;
    double mean = 0;
    const double agents = static_cast<double>(agents_.total());
    for (std::size_t i = 0; i < all.size(); i += stride) {
      mean += all[i + value] / agents;
      for (std::size_t j = 0; j < static_cast<std::size_t>(all[i + count]); ++j) {
        losses.push_back(all[i + first_loss + j]);
      }
    }
    const double primal = best_response_value(std::move(losses)) + all[penalty];
    return gap ? primal - mean : primal;
  }

  Measure primal_measure() {
    const std::int64_t parts = static_cast<std::int64_t>(first_loss) + model_.largest_part();
    const auto combined = [this, parts](bool gap) {
      return [this, parts, gap](std::span<const double> all) {
        return combine(all, static_cast<std::size_t>(parts), gap);
      };
    };
    return {"primal",
            "",
            "max_y f(wbar, y)",
            Measure::At::mean,
            Measure::Reduce::sum,
            false,
            [this](const Exec& exec, const Matrix& z, std::span<double> out) {
              contribute(exec, z, out);
            },
            parts,
            combined(false),
            {{"inner_gap", "", "max_y f(wbar, y) - f(zbar)", combined(true)}}};
  }

  double lambda_, a_;
};

GamePlan plan_dro(const Deck& deck, const DataShape* data, std::int64_t batch) {
  expect_answers(deck, *data, Answer::sign);
  GamePlan plan = linear_plan(deck, *data, batch, layout_of(data->train_rows, data->features));
  plan.proximal = true;
  return plan;
}

}  // namespace

GameRow dro_logistic_row() {
  return {make_kind<DroOptions>("dro-logistic",
                                "logistic regression against the worst weights of its rows",
                                "Yan et al., NeurIPS 2019, distributionally robust optimization"),
          true, plan_dro, [](const GameContext& context) -> std::unique_ptr<Game> {
            return std::make_unique<DroLogistic>(context);
          }};
}

}  // namespace parley
