// SPDX-License-Identifier: BSD-3-Clause
// robust-nonconvex-regression: f = mean 2 log(1 + r_i^2/2) - beta/2 ||d||^2, r_i = y_i - (x_i +
// d)'w: nonconvex in w, and a robust loss in r.
#include "games/shift_game.hpp"

namespace parley {

GameRow robust_nonconvex_row();

namespace {

struct RobustNonconvexOptions : ShiftOptions {};

class RobustNonconvex final : public ShiftGame {
 public:
  explicit RobustNonconvex(const GameContext& context)
      : ShiftGame(context, RowLoss::log_quadratic, context.deck.game.as<RobustNonconvexOptions>()) {
  }

  std::vector<Measure> measures() override {
    auto list = ShiftGame::measures();
    list.push_back({"objective", "", "mean log(1 + r^2/2) at the mean", Measure::At::mean,
                    Measure::Reduce::mean, false,
                    [this](const Exec& exec, const Matrix& z, std::span<double> out) {
                      RowPass& pass = model_.all();
                      shifted_products(exec, pass, z);
                      const auto all = weighted_losses(exec, loss_, pass);
                      for (std::size_t m = 0; m < out.size(); ++m) out[m] = 0.5 * all[m];
                    }});
    return list;
  }
};

}  // namespace

GameRow robust_nonconvex_row() {
  return {make_kind<RobustNonconvexOptions>("robust-nonconvex-regression",
                                            "a saturating loss against one shift of all rows",
                                            "public code gmancino/DGDA-VR, robust regression"),
          true, plan_shift<RobustNonconvexOptions>,
          [](const GameContext& context) -> std::unique_ptr<Game> {
            return std::make_unique<RobustNonconvex>(context);
          }};
}

}  // namespace parley
