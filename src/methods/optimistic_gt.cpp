// SPDX-License-Identifier: BSD-3-Clause
// optimistic-gt: the optimistic step (Popov, Math. Notes 28, 1980) with the gradient tracking of
// DIGing (Nedic, Olshevsky, Shi, arXiv 1607.03218) on the extrapolated field.
//   q_k = 2 G(Z_k) - G(Z_{k-1}), G(Z_{-1}) := G(Z_0)
//   S_{k+1} = W^t (S_k + q_k - q_{k-1});  Z_{k+1} = P(W^t (Z_k - eta S_{k+1}))
#include "methods/tracking.hpp"

namespace parley {

namespace {

class OptimisticGt : public TrackingMethod {
 public:
  OptimisticGt(const MethodContext& context, const StepOptions& options)
      : TrackingMethod(context, options),
        g_(scratch_rows("g")),
        last_(state_rows("last")),
        q_(scratch_rows("q")) {}

  void update(std::int64_t k) override {
    field(z_, g_);
    if (k == 1) copy(g_, last_);
    move(q_, {{2 * one, g_}, {-1 * one, last_}});
    copy(g_, last_);
    track(k, q_);
    move(mixed_, {{one, z_}, {-1 * eta_, s_}});
    gossip_.mix(k, mixed_, z_);
    prox(z_);
  }

 private:
  Matrix g_, last_, q_;
};

MethodPlan plan_of(const StepOptions& o) {
  MethodPlan plan{.oracle_calls = 1, .gossip_vectors = 2, .state_rows = 7, .steps = o};
  plan.needs.doubly_stochastic = false;
  plan.stable_bilinear = optimistic_bilinear;
  plan.stable_symmetric = optimistic_symmetric;
  return plan;
}

}  // namespace

MethodRow optimistic_gt_row() {
  return method_row<OptimisticGt, StepOptions, plan_of>(
      "optimistic-gt", "optimistic gradient with gradient tracking",
      "Popov 1980; Nedic, Olshevsky, Shi, arXiv 1607.03218");
}

}  // namespace parley
