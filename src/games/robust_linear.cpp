// SPDX-License-Identifier: BSD-3-Clause
// robust-linear-regression: f = mean ((x_i + d)'w - y_i)^2 / 2 + lambda/2 ||w||^2 - beta/2 ||d||^2.
// With r = Xw - y and s = ||w||^2 < beta the best shift is d*(w) = mean(r) w / (beta - s), and
// max_d f = mean(r^2)/2 + mean(r)^2 s / (2 (beta - s)) + lambda s / 2.
#include <limits>

#include "games/shift_game.hpp"

namespace parley {

GameRow robust_linear_row();

namespace {

struct RobustLinearOptions : ShiftOptions {
  RobustLinearOptions() {
    lambda = 0.1;
    beta = 10;
  }
};

class RobustLinear final : public ShiftGame {
 public:
  explicit RobustLinear(const GameContext& context)
      : ShiftGame(context, RowLoss::squared, context.deck.game.as<RobustLinearOptions>()) {}

  std::vector<Measure> measures() override {
    auto list = ShiftGame::measures();
    if (options_.radius_d) return list;  // the best shift is another one then
    list.push_back({"primal",
                    "",
                    "max_d f(wbar, d), infinite from ||w||^2 = beta on",
                    Measure::At::mean,
                    Measure::Reduce::sum,
                    false,
                    [this](const Exec& exec, const Matrix& z, std::span<double> out) {
                      contribute(exec, z, out);
                    },
                    part_count,
                    [this](std::span<const double> all) { return combine(all, false); },
                    {{"inner_gap", "", "max_d f(wbar, d) - f(zbar)",
                      [this](std::span<const double> all) { return combine(all, true); }}}});
    return list;
  }

 private:
  /// What an agent contributes at the mean: weighted means of r and r^2, and products of w and d.
  enum Part : std::size_t { mean_r, mean_r2, ww, dd, wd, part_count };

  void contribute(const Exec& exec, const Matrix& z, std::span<double> out) {
    RowPass& pass = model_.all();
    products(exec, pass, z);
    pass.margins.offsets = Doubles();
    const auto halves = weighted_losses(exec, RowLoss::squared, pass);
    row_slopes(exec, RowLoss::squared, pass.margins, pass.weights, pass.slopes, pass.sums);
    const auto means = to_host(exec, pass.sums);
    const auto w = dots(exec, z, "w", "w"), d = dots(exec, z, "d", "d"),
               c = dots(exec, z, "w", "d");
    for (std::size_t m = 0; m < means.size(); ++m) {
      double* const own = out.data() + m * part_count;
      own[mean_r] = means[m];
      own[mean_r2] = 2 * halves[m];
      own[ww] = w[m];
      own[dd] = d[m];
      own[wd] = c[m];
    }
  }

  /// The closed forms of the header, from means over agents.
  double combine(std::span<const double> all, bool gap) const {
    double mean[part_count] = {};
    for (std::size_t i = 0; i < all.size(); ++i) mean[i % part_count] += all[i];
    for (double& value : mean) value *= static_cast<double>(part_count) / double(all.size());
    const double left = options_.beta - mean[ww];
    if (!(left > 0)) return std::numeric_limits<double>::infinity();
    const double shift = mean[mean_r] * mean[mean_r] * mean[ww] / (2 * left);
    if (!gap) return 0.5 * mean[mean_r2] + shift + 0.5 * options_.lambda * mean[ww];
    return shift - mean[mean_r] * mean[wd] - 0.5 * mean[wd] * mean[wd] +
           0.5 * options_.beta * mean[dd];
  }
};

}  // namespace

GameRow robust_linear_row() {
  return {make_kind<RobustLinearOptions>(
              "robust-linear-regression", "least squares against one shift of all rows",
              "Beznosikov et al., arXiv 2010.13112, experiments; one shift for all rows"),
          true, plan_shift<RobustLinearOptions>,
          [](const GameContext& context) -> std::unique_ptr<Game> {
            return std::make_unique<RobustLinear>(context);
          }};
}

}  // namespace parley
