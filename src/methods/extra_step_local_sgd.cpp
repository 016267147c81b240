// SPDX-License-Identifier: BSD-3-Clause
// extra-step-local-sgd: local extragradient steps, all agents averaged every H (Beznosikov et al.,
// arXiv 2010.13112, Algorithm 2; with gossip: arXiv 2106.08315).
//   z_m^{k+1/2} = P(z_m^k - gamma F_m(z_m^k; xi));  z_m^{k+1} = P(z_m^k - gamma F_m(z_m^{k+1/2};
//   xi'));  every H: z_m = mean_j z_j
#include "methods/local.hpp"

namespace parley {

namespace {

struct ExtraStepOptions {
  StepOptions common;
  AveragingOptions averaging;
};

void describe(Fields& fields, ExtraStepOptions& o) {
  describe(fields, o.common);
  describe(fields, o.averaging);
}

class ExtraStepLocalSgd : public LocalMethod {
 public:
  ExtraStepLocalSgd(const MethodContext& context, const ExtraStepOptions& options)
      : LocalMethod(context, options.common, options.averaging),
        half_(scratch_rows("half")),
        g_(scratch_rows("g")) {}

  const Matrix& to_average() const override { return half_; }

 protected:
  void local_step(std::int64_t) override {
    field(z_, g_);
    move(half_, {{one, z_}, {-1 * eta_, g_}});
    prox(half_);
    field(half_, g_);
    move(z_, {{one, z_}, {-1 * eta_, g_}});
  }

 private:
  Matrix half_, g_;
};

MethodPlan plan_of(const ExtraStepOptions& o) {
  MethodPlan plan{.oracle_calls = 2,
                  .state_rows = 4,
                  .steps = o.common,
                  .stable_bilinear = extra_step_stable,
                  .stable_symmetric = extra_step_stable};
  add_averaging(plan, o.averaging);
  return plan;
}

}  // namespace

MethodRow extra_step_local_sgd_row() {
  return method_row<ExtraStepLocalSgd, ExtraStepOptions, plan_of>(
      "extra-step-local-sgd", "local extragradient steps with averaging every H",
      "Beznosikov et al., arXiv 2010.13112, Algorithm 2");
}

}  // namespace parley
