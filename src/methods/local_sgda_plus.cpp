// SPDX-License-Identifier: BSD-3-Clause
// local-sgda+: local descent-ascent whose y ascends at a frozen x, refreshed from the average every
// few averagings (Deng & Mahdavi, AISTATS 2021, Algorithm 2).
//   x_m = x_m - eta grad_x f_m(x_m, y_m; xi);  y_m = y_m + eta grad_y f_m(s, y_m; xi)
//   every H: z_m = mean_j z_j;  every S averagings: s = x_m.  At the start s = x_m.
#include "methods/local.hpp"

namespace parley {

namespace {

struct LocalSgdaPlusOptions {
  StepOptions common;
  AveragingOptions averaging;
  std::int64_t refresh = 1;
};

void describe(Fields& fields, LocalSgdaPlusOptions& o) {
  describe(fields, o.common);
  describe_moments(fields, o.averaging);
  fields.key("refresh", o.refresh,
             {.sentence = "S: averagings from one refresh of the frozen x to the next.", .min = 1});
}

class LocalSgdaPlus : public LocalMethod {
 public:
  LocalSgdaPlus(const MethodContext& context, const LocalSgdaPlusOptions& options)
      : LocalMethod(context, options.common, options.averaging),
        refresh_(options.refresh),
        frozen_(state_rows("frozen")),
        at_(scratch_rows("at")),
        g_(scratch_rows("g")),
        frozen_g_(scratch_rows("frozen_g")) {}

 protected:
  void begin() override { copy(z_, frozen_); }

  void local_step(std::int64_t) override {
    const Sample sample = fresh();
    field(z_, sample, g_);
    move(at_, {{only_x, frozen_}, {only_y, z_}});
    field(at_, sample, frozen_g_);
    move(z_, {{one, z_}, {{-eta_.x, 0}, g_}, {{0, -eta_.y}, frozen_g_}});
  }

  void averaged(std::int64_t n) override {
    if (n % refresh_ == 0) copy(z_, frozen_);
  }

 private:
  std::int64_t refresh_;
  Matrix frozen_, at_, g_, frozen_g_;
};

MethodPlan plan_of(const LocalSgdaPlusOptions& o) {
  MethodPlan plan{.oracle_calls = 2, .state_rows = 6, .steps = o.common};
  plan.stable_bilinear = forward_bilinear;
  plan.stable_symmetric = forward_symmetric;
  add_averaging(plan, o.averaging);
  return plan;
}

}  // namespace

MethodRow local_sgda_plus_row() {
  return method_row<LocalSgdaPlus, LocalSgdaPlusOptions, plan_of>(
      "local-sgda+", "local descent-ascent with y's gradient at a frozen x",
      "Deng & Mahdavi, AISTATS 2021, Algorithm 2");
}

}  // namespace parley
