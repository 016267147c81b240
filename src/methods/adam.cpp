// SPDX-License-Identifier: BSD-3-Clause
// adam: Adam of both players (Kingma & Ba, ICLR 2015, Algorithm 1), at once or in turns; serial on
// one agent, by the mean of the agents' fields on several.
//   at once: u = P(u - eta d);  in turns: n_critic times y = P(y - eta d_y);  x = P(x - eta d_x)
#include "methods/moments.hpp"
#include "methods/replicas.hpp"

namespace parley {

namespace {

struct SerialAdamOptions {
  StepOptions common;
  AdamOptions adam;
  TurnOptions turns;
};

void describe(Fields& fields, SerialAdamOptions& o) {
  describe(fields, o.common);
  describe(fields, o.adam);
  describe(fields, o.turns);
}

class AdamMethod : public TurnMethod {
 public:
  AdamMethod(const MethodContext& context, const SerialAdamOptions& options)
      : TurnMethod(context, options.common, options.turns),
        g_(scratch_rows("g")),
        moments_(options.adam, state_rows("m"), state_rows("v"), scratch_rows("d")) {
    state_scalar("adam_count_x", moments_.count_x());
    state_scalar("adam_count_y", moments_.count_y());
  }

 protected:
  void play(const Pair& who, const Pair& eta) override {
    mean_field(z_, g_);
    move(z_, {{one, z_}, {-1 * eta, direction(who)}});
  }

 private:
  const Matrix& direction(const Pair& who) {
    if (who.x == who.y) return moments_.direction(context_.exec, g_);
    const Player player = who.x > 0 ? Player::x : Player::y;
    return moments_.direction(context_.exec, g_, player, layout().y_begin());
  }

  Matrix g_;
  Moments moments_;
};

MethodPlan plan_of(const SerialAdamOptions& o) {
  MethodPlan plan = plan_turns(o.turns);
  plan.state_rows = 6;
  plan.steps = o.common;
  return plan;
}

}  // namespace

MethodRow adam_row() {
  return method_row<AdamMethod, SerialAdamOptions, plan_of>(
      "adam", "Adam at once or in turns, serial or centralized",
      "Kingma & Ba, ICLR 2015, Algorithm 1");
}

}  // namespace parley
