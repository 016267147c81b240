// SPDX-License-Identifier: BSD-3-Clause
// Regression against one shift d of all rows: min_w max_d of the weighted mean of phi((x_i + d)'w,
// y_i) + lambda/2 ||w||^2 - beta/2 ||d||^2, for any loss phi of a margin. What robust-linear and
// robust-nonconvex regression share.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "games/linear_model.hpp"

namespace parley {

/// Keys of the games with a shift.
struct ShiftOptions {
  double lambda = 0, beta = 1, l1 = 0;
  std::optional<double> radius_w, radius_d;
  double start = 0.1;
  std::optional<double> shift_start;
  std::string weighting = "agents";
};
void describe(Fields& fields, ShiftOptions& options);

class ShiftGame : public LinearGame {
 public:
  ShiftGame(const GameContext& context, RowLoss loss, const ShiftOptions& options);

  std::vector<Measure> measures() override;
  void prox(const Exec& exec, const Matrix& z, const Pair& eta) override;

 protected:
  void evaluate(const Exec& exec, RowPass& pass, const Matrix& z, const Matrix& f) override;
  std::vector<double> values(const Exec& exec, RowPass& pass, const Matrix& z) override;
  /// Margins (x_i + d)'w.
  void shifted_products(const Exec& exec, RowPass& pass, const Matrix& z);

  RowLoss loss_;
  ShiftOptions options_;

 private:
  bool targets_;
  Doubles offsets_;  ///< d'w per agent
};

/// Blocks w (x) and d (y) of `features` each.
Layout shift_layout(std::int64_t features);
GamePlan plan_shift(const ShiftOptions& options, const Deck& deck, const DataShape& data,
                    std::int64_t batch);
/// The same of a deck whose game has the keys `Options`.
template <class Options>
GamePlan plan_shift(const Deck& deck, const DataShape* data, std::int64_t batch) {
  return plan_shift(deck.game.as<Options>(), deck, *data, batch);
}

}  // namespace parley
