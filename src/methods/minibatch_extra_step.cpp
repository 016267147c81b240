// SPDX-License-Identifier: BSD-3-Clause
// minibatch-extra-step: centralized extragradient of the mean field, two means per iteration
// (Beznosikov et al., arXiv 2010.13112; Juditsky et al., Stochastic Systems 2011). Converges for
// gamma <= 1/(4L).
//   z^{k+1/2} = P(z^k - gamma mean_m F_m(z^k; xi));  z^{k+1} = P(z^k - gamma mean_m
//   F_m(z^{k+1/2}; xi'))
#include "methods/replicas.hpp"

namespace parley {

namespace {

class MinibatchExtraStep : public ReplicaMethod {
 public:
  MinibatchExtraStep(const MethodContext& context, const StepOptions& options)
      : ReplicaMethod(context, options), half_(scratch_rows("half")), g_(scratch_rows("g")) {}

  const Matrix& to_average() const override { return half_; }

 protected:
  void update(std::int64_t) override {
    mean_field(z_, g_);
    move(half_, {{one, z_}, {-1 * eta_, g_}});
    prox(half_);
    mean_field(half_, g_);
    move(z_, {{one, z_}, {-1 * eta_, g_}});
    prox(z_);
  }

 private:
  Matrix half_, g_;
};

MethodPlan plan_of(const StepOptions& o) {
  return MethodPlan{.oracle_calls = 2,
                    .mean_vectors = 2,
                    .state_rows = 4,
                    .steps = o,
                    .stable_bilinear = extra_step_stable,
                    .stable_symmetric = extra_step_stable};
}

}  // namespace

MethodRow minibatch_extra_step_row() {
  return method_row<MinibatchExtraStep, StepOptions, plan_of>(
      "minibatch-extra-step", "centralized extragradient", "Beznosikov et al., arXiv 2010.13112");
}

}  // namespace parley
