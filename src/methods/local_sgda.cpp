// SPDX-License-Identifier: BSD-3-Clause
// local-sgda: local descent-ascent steps, all agents averaged every H (Deng & Mahdavi, AISTATS
// 2021, Algorithm 1).
//   z_m = P(z_m - eta F_m(z_m; xi));  every H: z_m = mean_j z_j
#include "methods/local.hpp"

namespace parley {

namespace {

struct LocalSgdaOptions {
  StepOptions common;
  AveragingOptions averaging;
};

void describe(Fields& fields, LocalSgdaOptions& o) {
  describe(fields, o.common);
  describe(fields, o.averaging);
}

class LocalSgda : public LocalMethod {
 public:
  LocalSgda(const MethodContext& context, const LocalSgdaOptions& options)
      : LocalMethod(context, options.common, options.averaging), g_(scratch_rows("g")) {}

 protected:
  void local_step(std::int64_t) override {
    field(z_, g_);
    move(z_, {{one, z_}, {-1 * eta_, g_}});
  }

 private:
  Matrix g_;
};

MethodPlan plan_of(const LocalSgdaOptions& o) {
  MethodPlan plan{.oracle_calls = 1, .state_rows = 3, .steps = o.common};
  plan.needs.doubly_stochastic = false;
  plan.stable_bilinear = forward_bilinear;
  plan.stable_symmetric = forward_symmetric;
  add_averaging(plan, o.averaging);
  return plan;
}

}  // namespace

MethodRow local_sgda_row() {
  return method_row<LocalSgda, LocalSgdaOptions, plan_of>(
      "local-sgda", "local descent-ascent with averaging every H",
      "Deng & Mahdavi, AISTATS 2021, Algorithm 1");
}

}  // namespace parley
