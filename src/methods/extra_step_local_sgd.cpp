// SPDX-License-Identifier: BSD-3-Clause
// extra-step-local-sgd: local extragradient steps, all agents averaged every H (Beznosikov et al.,
// arXiv 2010.13112, Algorithm 2; with gossip: arXiv 2106.08315).
//   z^{k+1/2} = P(z^k - gamma F_m(z^k; xi));  z^{k+1} = P(z^k - gamma F_m(z^{k+1/2}; xi'))
#include "methods/base.hpp"

namespace parley {

namespace {

struct ExtraStepOptions {
  StepOptions common;
  std::int64_t local_steps = 1;
  std::string average = "mean";
};

void describe(Fields& fields, ExtraStepOptions& o) {
  static constexpr std::string_view averages[] = {"mean", "gossip"};
  describe(fields, o.common);
  fields.key("local_steps", o.local_steps,
             {.sentence = "H: iterations between two averagings.", .min = 1});
  fields.one_of("average", o.average, averages,
                {.sentence = "mean: all agents take the mean; gossip: one mix W^t instead."});
}

class ExtraStepLocalSgd : public MethodBase {
 public:
  ExtraStepLocalSgd(const MethodContext& context, const ExtraStepOptions& options)
      : MethodBase(context, options.common),
        local_steps_(options.local_steps),
        z_(state_rows("z")),
        half_(scratch_rows("half")),
        g_(scratch_rows("g")),
        average_(options.average == "mean" ? open_mean("z") : open_iterates("z")) {}

  void update(std::int64_t k) override {
    field(z_, g_);
    move(half_, {{one, z_}, {-1 * eta_, g_}});
    prox(half_);
    field(half_, g_);
    move(z_, {{one, z_}, {-1 * eta_, g_}});
    prox(z_);
    if (k % local_steps_ != 0) return;
    average_.mix(k / local_steps_, z_, half_);
    copy(half_, z_);
  }

  const Matrix& iterates() const override { return z_; }

 private:
  std::int64_t local_steps_;
  Matrix z_, half_, g_;
  Channel& average_;
};

MethodPlan plan_of(const ExtraStepOptions& o) {
  const double share = 1.0 / static_cast<double>(o.local_steps);
  return {.oracle_calls = 2,
          .gossip_vectors = o.average == "gossip" ? share : 0,
          .mean_vectors = o.average == "mean" ? share : 0,
          .state_rows = 3,
          .steps = o.common,
          .stable_bilinear = stable_up_to(1),
          .stable_symmetric = stable_up_to(1)};
}

}  // namespace

MethodRow extra_step_local_sgd_row() {
  return {make_kind<ExtraStepOptions>("extra-step-local-sgd",
                                      "local extragradient steps with averaging every H",
                                      "Beznosikov et al., arXiv 2010.13112, Algorithm 2"),
          [](const Choice& choice) { return plan_of(choice.as<ExtraStepOptions>()); },
          [](const MethodContext& context) -> std::unique_ptr<Method> {
            return std::make_unique<ExtraStepLocalSgd>(context,
                                                       context.choice.as<ExtraStepOptions>());
          }};
}

}  // namespace parley
