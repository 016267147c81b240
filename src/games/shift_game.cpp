// SPDX-License-Identifier: BSD-3-Clause
// Field and values of the games with a shift.
#include "games/shift_game.hpp"

#include "kernels/project.hpp"

namespace parley {

void describe(Fields& f, ShiftOptions& o) {
  f.key("lambda", o.lambda, {.sentence = "Weight of ||w||^2 / 2.", .min = 0});
  f.key("beta", o.beta, {.sentence = "Weight of -||d||^2 / 2.", .min = 0});
  f.key("l1", o.l1,
        {.sentence = "Weight of ||w||_1, a proximal step and no part of f; 0: none.", .min = 0});
  f.key("radius_w", o.radius_w,
        {.sentence = "w stays in the ball of this radius; absent: anywhere.",
         .min = 0,
         .min_excluded = true});
  f.key("radius_d", o.radius_d,
        {.sentence = "d stays in the ball of this radius; absent: anywhere.",
         .min = 0,
         .min_excluded = true});
  f.key("start", o.start,
        {.sentence = "Standard deviation of the numbers of w at the start.", .min = 0});
  f.key("shift_start", o.shift_start,
        {.sentence = "Every number of d at the start; absent: 1 / features."});
  describe_weighting(f, o.weighting);
}

Layout shift_layout(std::int64_t features) {
  Layout layout(row_alignment);
  layout.add("w", Player::x, {features});
  layout.add("d", Player::y, {features});
  return layout;
}

GamePlan plan_shift(const ShiftOptions& options, const Deck& deck, const DataShape& data,
                    std::int64_t batch) {
  expect_answers(deck, data, Answer::number);
  GamePlan plan = linear_plan(deck, data, batch, shift_layout(data.features));
  plan.proximal = options.l1 > 0 || options.radius_w || options.radius_d;
  return plan;
}

ShiftGame::ShiftGame(const GameContext& context, RowLoss loss, const ShiftOptions& options)
    : LinearGame(context, shift_layout(context.data->shape.features),
                 LinearModel(context, Answer::number, weighting_of(options.weighting)),
                 {options.start,
                  {{"d", options.shift_start.value_or(
                             1.0 / static_cast<double>(context.data->shape.features))}}}),
      loss_(loss),
      options_(options),
      targets_(context.data->shape.targets),
      offsets_("parley::shift::offsets", static_cast<std::size_t>(context.agents.count())) {}

void ShiftGame::shifted_products(const Exec& exec, RowPass& pass, const Matrix& z) {
  products(exec, pass, z);
  row_dots(exec, z, column("w"), column("d"), model_.features(), offsets_);
  pass.margins.offsets = offsets_;
}

/// With t = (X + 1 d')w, c_i = weight phi'(t_i, y_i) and a = sum c_i:
/// F_w = X'c + a d + lambda w, F_d = -(a w - beta d).
void ShiftGame::evaluate(const Exec& exec, RowPass& pass, const Matrix& z, const Matrix& f) {
  const std::int64_t w = column("w"), d = column("d"), n = model_.features();
  shifted_products(exec, pass, z);
  row_slopes(exec, loss_, pass.margins, pass.weights, pass.slopes, pass.sums);
  row_sums(exec, pass.batch(), pass.slopes, f, w);
  add_columns(exec, z, d, 1, pass.sums, f, w, n);
  if (options_.lambda > 0) add_columns(exec, z, w, options_.lambda, {}, f, w, n);
  set_columns(exec, z, w, -1, pass.sums, f, d, n);
  add_columns(exec, z, d, options_.beta, {}, f, d, n);
}

std::vector<double> ShiftGame::values(const Exec& exec, RowPass& pass, const Matrix& z) {
  shifted_products(exec, pass, z);
  auto all = weighted_losses(exec, loss_, pass);
  const auto w = dots(exec, z, "w", "w"), d = dots(exec, z, "d", "d");
  for (std::size_t m = 0; m < all.size(); ++m) {
    all[m] += 0.5 * options_.lambda * w[m] - 0.5 * options_.beta * d[m];
  }
  return all;
}

std::vector<Measure> ShiftGame::measures() {
  std::vector<Measure> list{value_measure()};
  add_held_out(list, targets_);
  return list;
}

void ShiftGame::prox(const Exec& exec, const Matrix& z, const Pair& eta) {
  if (options_.l1 > 0) soft_threshold(exec, z, columns("w"), eta.x * options_.l1);
  if (options_.radius_w) project_ball(exec, z, columns("w"), *options_.radius_w);
  if (options_.radius_d) project_ball(exec, z, columns("d"), *options_.radius_d);
}

}  // namespace parley
