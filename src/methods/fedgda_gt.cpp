// SPDX-License-Identifier: BSD-3-Clause
// fedgda-gt: local descent-ascent with the gradient's drift corrected (Sun & Wei, NeurIPS 2022,
// Algorithm 2): exact on different data at a constant step.
//   z_m = P(z_m - eta (F_m(z_m) - F_m(zbar) + F(zbar)));  every H: z_m = zbar = mean_j z_j
// The first step of a round is taken at zbar itself, so that its field serves as F_m(zbar). With
// minibatches the correction is that of the round's first sample.
#include "methods/local.hpp"

namespace parley {

namespace {

struct FedgdaGtOptions {
  StepOptions common;
  AveragingOptions averaging;
};

void describe(Fields& fields, FedgdaGtOptions& o) {
  describe(fields, o.common);
  describe_moments(fields, o.averaging);
}

class FedgdaGt : public LocalMethod {
 public:
  FedgdaGt(const MethodContext& context, const FedgdaGtOptions& options)
      : LocalMethod(context, options.common, options.averaging),
        correction_(state_rows("correction")),
        g_(scratch_rows("g")),
        mean_(scratch_rows("mean")),
        to_mean_(open_mean("field")) {
    state_scalar("rounds", rounds_);
  }

 protected:
  /// The first round, too, starts at one point.
  void begin() override {
    if (!context_.equal_start) average(*iterates_channel(), 0, z_);
  }

  void local_step(std::int64_t k) override {
    field(z_, g_);
    if (begins_round(k)) {
      to_mean_.mix(++rounds_, g_, mean_);
      move(correction_, {{one, mean_}, {-1 * one, g_}});
    }
    move(z_, {{one, z_}, {-1 * eta_, g_}, {-1 * eta_, correction_}});
  }

 private:
  Matrix correction_, g_, mean_;
  Channel& to_mean_;
  std::int64_t rounds_ = 0;
};

MethodPlan plan_of(const FedgdaGtOptions& o) {
  MethodPlan plan{.oracle_calls = 1, .state_rows = 5, .steps = o.common};
  plan.stable_bilinear = forward_bilinear;
  plan.stable_symmetric = forward_symmetric;
  add_averaging(plan, o.averaging, 2);
  return plan;
}

}  // namespace

MethodRow fedgda_gt_row() {
  return method_row<FedgdaGt, FedgdaGtOptions, plan_of>("fedgda-gt",
                                                        "local descent-ascent with corrected drift",
                                                        "Sun & Wei, NeurIPS 2022, Algorithm 2");
}

}  // namespace parley
