// SPDX-License-Identifier: BSD-3-Clause
// gt-eg: extragradient with gradient tracking (Mukherjee and Chakraborty, IEEE CDC 2020).
//   S_k = W^t S_{k-1} + G(Z_k; xi_k) - G(Z_{k-1}; xi_{k-1})
//   H_k = P(Z_k - eta S_k);  T_k = S_k + G(H_k; xi_k) - G(Z_k; xi_k)
//   Z_{k+1} = P(W^t Z_k - eta T_k)
#include "methods/tracking.hpp"

namespace parley {

namespace {

class GtEg : public TrackingMethod {
 public:
  GtEg(const MethodContext& context, const StepOptions& options)
      : TrackingMethod(context, options), half_(scratch_rows("half")), g_(scratch_rows("g")) {}

  void update(std::int64_t k) override {
    start_tracking(k);
    start_mix(gossip_, k, z_);
    const Sample sample = fresh();
    field(z_, sample, g_);
    finish_tracking(k, g_);
    move(half_, {{one, z_}, {-1 * eta_, s_}});
    prox(half_);
    field(half_, sample, g_);
    move(g_, {{one, s_}, {one, g_}, {-1 * one, previous_}});
    gossip_.end(k, mixed_);
    move(z_, {{one, mixed_}, {-1 * eta_, g_}});
    prox(z_);
  }

  const Matrix& to_average() const override { return half_; }

 private:
  Matrix half_, g_;
};

MethodPlan plan_of(const StepOptions& o) {
  MethodPlan plan{.oracle_calls = 2, .gossip_vectors = 2, .state_rows = 6, .steps = o};
  plan.needs.doubly_stochastic = false;
  plan.stable_bilinear = StableStep{0.2723, 0.6934};
  plan.stable_symmetric = StableStep{1.0 / 3, 1};
  return plan;
}

}  // namespace

MethodRow gt_eg_row() {
  return method_row<GtEg, StepOptions, plan_of>("gt-eg", "extragradient with gradient tracking",
                                                "Mukherjee and Chakraborty, IEEE CDC 2020");
}

}  // namespace parley
