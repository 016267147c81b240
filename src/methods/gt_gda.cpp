// SPDX-License-Identifier: BSD-3-Clause
// gt-gda: gradient descent-ascent with gradient tracking (Qureshi and Khan, arXiv 2202.05812).
//   S_{k+1} = W^t (S_k + G(Z_k) - G(Z_{k-1}));  Z_{k+1} = P(W^t (Z_k - eta S_{k+1}))
#include "methods/tracking.hpp"

namespace parley {

namespace {

class GtGda : public TrackingMethod {
 public:
  GtGda(const MethodContext& context, const StepOptions& options)
      : TrackingMethod(context, options), g_(scratch_rows("g")) {}

  void update(std::int64_t k) override {
    field(z_, g_);
    track(k, g_);
    move(mixed_, {{one, z_}, {-1 * eta_, s_}});
    gossip_.mix(k, mixed_, z_);
    prox(z_);
  }

 private:
  Matrix g_;
};

MethodPlan plan_of(const StepOptions& o) {
  MethodPlan plan{.oracle_calls = 1, .gossip_vectors = 2, .state_rows = 5, .steps = o};
  plan.needs.doubly_stochastic = false;
  plan.stable_bilinear = forward_bilinear;
  plan.stable_symmetric = forward_symmetric;
  return plan;
}

}  // namespace

MethodRow gt_gda_row() {
  return method_row<GtGda, StepOptions, plan_of>("gt-gda",
                                                 "gradient descent-ascent with gradient tracking",
                                                 "Qureshi and Khan, arXiv 2202.05812");
}

}  // namespace parley
