// SPDX-License-Identifier: BSD-3-Clause
// auc: the saddle form of the squared pairwise ranking loss of a linear scorer h = x'w (Ying, Wen
// and Lyu 2016). x = (w, a, b), y = alpha; the share p of positive rows is that of all agents
// together, since an agent's own share would move the solution. With the classes' means m and
// variances V of h, the best a, b, alpha leave p (1-p) (V+ + V- + (1 - (m+ - m-))^2 - 1).
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "games/linear_model.hpp"
#include "kernels/auc.hpp"

namespace parley {

GameRow auc_row();

namespace {

struct AucOptions {
  double lambda = 0;
  double start = 0.1;
};

void describe(Fields& f, AucOptions& o) {
  f.key("lambda", o.lambda, {.sentence = "Weight of ||w||^2 / 2.", .min = 0});
  f.key("start", o.start,
        {.sentence = "Standard deviation of the numbers of w at the start.", .min = 0});
}

Layout layout_of(std::int64_t features) {
  Layout layout(row_alignment);
  layout.add("w", Player::x, {features});
  layout.add("a", Player::x, {1});
  layout.add("b", Player::x, {1});
  layout.add("alpha", Player::y, {1});
  return layout;
}

/// One scored row.
struct Score {
  double score;
  bool positive;
};

/// Share of pairs of a positive and a negative row that the scores rank rightly, ties half; NaN
/// when a class is empty or a score not finite.
double area_under_curve(std::vector<Score> scores) {
  for (const Score& s : scores) {
    if (!std::isfinite(s.score)) return std::numeric_limits<double>::quiet_NaN();
  }
  std::sort(scores.begin(), scores.end(),
            [](const Score& a, const Score& b) { return a.score < b.score; });
  double right = 0, negatives = 0, positives = 0;
  for (std::size_t i = 0; i < scores.size();) {
    double up = 0, down = 0;
    const double score = scores[i].score;
    for (; i < scores.size() && scores[i].score == score; ++i) ++(scores[i].positive ? up : down);
    right += up * (negatives + 0.5 * down);
    negatives += down;
    positives += up;
  }
  return right / (positives * negatives);
}

class Auc final : public LinearGame {
 public:
  explicit Auc(const GameContext& context)
      : LinearGame(context, layout_of(context.data->shape.features),
                   LinearModel(context, Answer::sign, Weighting::rows),
                   {context.deck.game.as<AucOptions>().start, {}}),
        lambda_(context.deck.game.as<AucOptions>().lambda) {
    const auto& rows = context.data->label_rows;
    if (rows[0] == 0 || rows[1] == 0) {
      fail_user("{}: every training row has label {}: game auc needs both classes",
                context.deck.where("data.kind"), rows[0] == 0 ? 1 : 0);
    }
    const double p = static_cast<double>(rows[1]) / static_cast<double>(rows[0] + rows[1]);
    places_ = {p, column("a"), column("b"), column("alpha")};
  }

  std::vector<Measure> measures() override {
    std::vector<Measure> list{value_measure()};
    if (model_.has_held_out()) list.push_back(auc_measure());
    list.push_back(pairwise_measure());
    return list;
  }

 protected:
  void evaluate(const Exec& exec, RowPass& pass, const Matrix& z, const Matrix& f) override {
    products(exec, pass, z);
    auc_field(exec, pass.margins, places_, z, pass.weights, pass.slopes, f);
    row_sums(exec, pass.batch(), pass.slopes, f, column("w"));
    if (lambda_ > 0) {
      add_columns(exec, z, column("w"), lambda_, {}, f, column("w"), model_.features());
    }
  }

  std::vector<double> values(const Exec& exec, RowPass& pass, const Matrix& z) override {
    products(exec, pass, z);
    auc_values(exec, pass.margins, places_, z, pass.slopes);
    auto all = weighted_sums(exec, pass);
    const auto squares = dots(exec, z, "w", "w");
    for (std::size_t m = 0; m < all.size(); ++m) all[m] += 0.5 * lambda_ * squares[m];
    return all;
  }

 private:
  static constexpr std::size_t moment_parts = 7;

  /// The pairwise loss, and f at the best a, b, alpha, which follows from it. An agent contributes
  /// number, sum and sum of squares of either class's scores, and ||w||^2.
  Measure pairwise_measure() {
    return {"pairwise_loss",
            "",
            "mean (1 - (h+ - h-))^2 over pairs, at wbar",
            Measure::At::mean,
            Measure::Reduce::sum,
            false,
            [this](const Exec& exec, const Matrix& z, std::span<double> out) {
              contribute_moments(exec, z, out);
            },
            moment_parts,
            pairwise_loss,
            {{"primal", "", "min over a, b and max over alpha of f at wbar",
              [this](std::span<const double> all) {
                return places_.p * (1 - places_.p) * (pairwise_loss(all) - 1) +
                       0.5 * lambda_ * all[6];
              }}}};
  }

  void contribute_moments(const Exec& exec, const Matrix& z, std::span<double> out) {
    RowPass& pass = model_.all();
    products(exec, pass, z);
    const Doubles six("parley::auc::moments", 6 * z.extent(0));
    class_moments(exec, pass.margins, six);
    const auto own = to_host(exec, six), squares = dots(exec, z, "w", "w");
    for (std::size_t m = 0; m < squares.size(); ++m) {
      std::copy_n(own.data() + 6 * m, 6, out.data() + moment_parts * m);
      out[moment_parts * m + 6] = squares[m];
    }
  }

  static double pairwise_loss(std::span<const double> all) {
    double sum[6] = {};
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i % moment_parts < 6) sum[i % moment_parts] += all[i];
    }
    const double up = sum[1] / sum[0], down = sum[4] / sum[3];
    const double spread = sum[2] / sum[0] - up * up + sum[5] / sum[3] - down * down;
    return spread + (1 - (up - down)) * (1 - (up - down));
  }

  /// An agent contributes the number of its held-out rows, then their scores and answers in turn.
  Measure auc_measure() {
    const std::int64_t parts = 1 + 2 * model_.largest_held_out();
    return {"auc",
            "1",
            "area under the ROC curve of the held-out rows at the mean",
            Measure::At::mean,
            Measure::Reduce::sum,
            false,
            [this, parts](const Exec& exec, const Matrix& z, std::span<double> out) {
              contribute_scores(exec, z, out, static_cast<std::size_t>(parts));
            },
            parts,
            [parts](std::span<const double> all) {
              std::vector<Score> scores;
              for (std::size_t i = 0; i < all.size(); i += static_cast<std::size_t>(parts)) {
                for (std::size_t j = 0; j < static_cast<std::size_t>(all[i]); ++j) {
                  scores.push_back({all[i + 1 + 2 * j], all[i + 2 + 2 * j] > 0});
                }
              }
              return area_under_curve(std::move(scores));
            }};
  }

  void contribute_scores(const Exec& exec, const Matrix& z, std::span<double> out,
                         std::size_t parts) {
    std::fill(out.begin(), out.end(), 0.0);
    RowPass& pass = model_.held_out();
    products(exec, pass, z);
    const auto scores = to_host(exec, pass.margins.products);
    const auto answers = to_host(exec, pass.margins.answers);
    std::int64_t row = model_.first_held_out();
    for (std::int64_t m = 0; m < agents_.count(); ++m) {
      double* const to = out.data() + static_cast<std::size_t>(m) * parts;
      const std::int64_t rows = model_.held_out_rows(m);
      to[0] = static_cast<double>(rows);
      for (std::int64_t i = 0; i < rows; ++i, ++row) {
        to[1 + 2 * i] = scores[static_cast<std::size_t>(m * pass.batch().width + i)];
        to[2 + 2 * i] = answers[static_cast<std::size_t>(row)];
      }
    }
  }

  double lambda_;
  AucPlaces places_;
};

GamePlan plan_auc(const Deck& deck, const DataShape* data, std::int64_t batch) {
  expect_answers(deck, *data, Answer::sign);
  return linear_plan(deck, *data, batch, layout_of(data->features));
}

}  // namespace

GameRow auc_row() {
  return {make_kind<AucOptions>("auc", "area under the ROC curve of a linear scorer",
                                "Ying, Wen and Lyu, NeurIPS 2016, theorem 1"),
          true, plan_auc, [](const GameContext& context) -> std::unique_ptr<Game> {
            return std::make_unique<Auc>(context);
          }};
}

}  // namespace parley
