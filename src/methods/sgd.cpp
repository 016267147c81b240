// SPDX-License-Identifier: BSD-3-Clause
// sgd: stochastic descent-ascent, the players in turn or both at once; serial on one agent, by the
// mean of the agents' fields on several (Goodfellow et al., NeurIPS 2014, Algorithm 1).
//   n_critic times: y = P(y + eta grad_y f(x, y; fresh));  x = P(x - eta grad_x f(x, y; fresh))
#include "methods/replicas.hpp"

namespace parley {

namespace {

struct SgdOptions {
  StepOptions common;
  TurnOptions turns{.updates = "alternating"};
};

void describe(Fields& fields, SgdOptions& o) {
  describe(fields, o.common);
  describe(fields, o.turns);
}

class Sgd : public TurnMethod {
 public:
  Sgd(const MethodContext& context, const SgdOptions& options)
      : TurnMethod(context, options.common, options.turns), g_(scratch_rows("g")) {}

 protected:
  void play(const Pair&, const Pair& eta) override {
    mean_field(z_, g_);
    move(z_, {{one, z_}, {-1 * eta, g_}});
  }

 private:
  Matrix g_;
};

MethodPlan plan_of(const SgdOptions& o) {
  MethodPlan plan = plan_turns(o.turns);
  plan.state_rows = 3;
  plan.steps = o.common;
  if (o.turns.updates == "simultaneous") plan.stable_bilinear = forward_bilinear;
  plan.stable_symmetric = forward_symmetric;
  return plan;
}

}  // namespace

MethodRow sgd_row() {
  return method_row<Sgd, SgdOptions, plan_of>(
      "sgd", "descent-ascent in turns or at once, serial or centralized",
      "Goodfellow et al., NeurIPS 2014, Algorithm 1");
}

}  // namespace parley
