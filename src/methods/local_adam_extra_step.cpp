// SPDX-License-Identifier: BSD-3-Clause
// local-adam-extra-step: ExtraAdam on every agent, parameters averaged every H (the GAN runs of
// Beznosikov et al., arXiv 2010.13112; local rule: Gidel et al., ICLR 2019). On different data it
// has a bias: the mean of locally normalised directions is not zero at the solution.
//   half_m = P(u_m - eta d_m(F_m(u_m; xi)));  u_m = P(u_m - eta d_m(F_m(half_m; xi')))
//   every H: u_m = mean_j u_j, and the moments likewise where the deck says so
#include "methods/local.hpp"
#include "methods/moments.hpp"

namespace parley {

namespace {

struct LocalAdamOptions {
  StepOptions common;
  AdamOptions adam;
  AveragingOptions averaging;
  bool average_moments = false;
};

void describe(Fields& fields, LocalAdamOptions& o) {
  describe(fields, o.common);
  describe(fields, o.adam);
  describe(fields, o.averaging);
  fields.only_when(o.averaging.average == "mean", "average = \"mean\"", [&o](Fields& inner) {
    inner.key("average_moments", o.average_moments,
              {.sentence = "Whether both moments are averaged with the parameters."});
  });
}

class LocalAdamExtraStep : public LocalMethod {
 public:
  LocalAdamExtraStep(const MethodContext& context, const LocalAdamOptions& options)
      : LocalMethod(context, options.common, options.averaging),
        g_(scratch_rows("g")),
        half_(scratch_rows("half")),
        moments_(options.adam, state_rows("m"), state_rows("v"), scratch_rows("d")) {
    state_scalar("adam_count_x", moments_.count_x());
    state_scalar("adam_count_y", moments_.count_y());
    if (!options.average_moments) return;
    mean_m_ = &open_mean("m");
    mean_v_ = &open_mean("v");
  }

  const Matrix& to_average() const override { return half_; }

 protected:
  void local_step(std::int64_t) override {
    field(z_, g_);
    move(half_, {{one, z_}, {-1 * eta_, moments_.direction(context_.exec, g_)}});
    prox(half_);
    field(half_, g_);
    move(z_, {{one, z_}, {-1 * eta_, moments_.direction(context_.exec, g_)}});
  }

  void averaged(std::int64_t n) override {
    if (mean_m_ == nullptr) return;
    average(*mean_m_, n, moments_.m());
    average(*mean_v_, n, moments_.v());
  }

 private:
  Matrix g_, half_;
  Moments moments_;
  Channel* mean_m_ = nullptr;
  Channel* mean_v_ = nullptr;
};

MethodPlan plan_of(const LocalAdamOptions& o) {
  MethodPlan plan{.oracle_calls = 2, .state_rows = 7, .steps = o.common};
  add_averaging(plan, o.averaging, o.average_moments ? 3 : 1);
  return plan;
}

}  // namespace

MethodRow local_adam_extra_step_row() {
  return method_row<LocalAdamExtraStep, LocalAdamOptions, plan_of>(
      "local-adam-extra-step", "local Adam with extrapolation, averaging every H",
      "Beznosikov et al., arXiv 2010.13112");
}

}  // namespace parley
