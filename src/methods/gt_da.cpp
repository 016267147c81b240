// SPDX-License-Identifier: BSD-3-Clause
// gt-da: gradient tracking in x, ascent of every agent by itself in y (Tsaknakis, Hong, Liu, IEEE
// ICASSP 2020). It solves min_x mean_m max_{y_m} f_m(x, y_m): the shared game only where the
// agents' maximisers agree. The y_m stay with their agents: x alone is sent.
//   D_k = W^t D_{k-1} + grad_x f_m(Z_k) - grad_x f_m(Z_{k-1});  X_{k+1} = P(W^t X_k - eta_x D_k)
//   J times: Y = P(Y + eta_y grad_y f_m(X_{k+1}, Y))
#include "methods/tracking.hpp"

namespace parley {

namespace {

struct GtDaOptions {
  StepOptions common;
  std::int64_t ascents = 1;
};

void describe(Fields& fields, GtDaOptions& o) {
  describe(fields, o.common);
  fields.key("ascents", o.ascents,
             {.sentence = "J: local ascent steps in y after each step in x.", .min = 1});
}

class GtDa : public TrackingMethod {
 public:
  GtDa(const MethodContext& context, const GtDaOptions& options)
      : TrackingMethod(context, options.common, Mixed::x),
        ascents_(options.ascents),
        g_(scratch_rows("g")) {}

  void update(std::int64_t k) override {
    start_tracking(k);
    start_mix(gossip_, k, z_);
    field(z_, g_);
    finish_tracking(k, g_);
    gossip_.end(k, mixed_);
    move(z_, {{one, mixed_}, {{-eta_.x, 0}, s_}});
    prox(z_, {eta_.x, 0});
    for (std::int64_t j = 0; j < ascents_; ++j) {
      field(z_, g_);
      move(z_, {{one, z_}, {{0, -eta_.y}, g_}});
      prox(z_, {0, eta_.y});
    }
  }

 private:
  std::int64_t ascents_;
  Matrix g_;
};

MethodPlan plan_of(const GtDaOptions& o) {
  MethodPlan plan{.oracle_calls = 1 + static_cast<double>(o.ascents),
                  .gossip_vectors = 2,
                  .mixes_x_alone = true,
                  .state_rows = 5,
                  .steps = o.common};
  // Compressed channels take whole rows.
  plan.needs.stateless = true;
  return plan;
}

}  // namespace

MethodRow gt_da_row() {
  return method_row<GtDa, GtDaOptions, plan_of>("gt-da",
                                                "gradient tracking in x, local ascent in y",
                                                "Tsaknakis, Hong, Liu, IEEE ICASSP 2020");
}

}  // namespace parley
