// SPDX-License-Identifier: BSD-3-Clause
// cp-osg: centralized parallel optimistic stochastic gradient (Liu et al., NeurIPS 2020, Alg. 1):
// the agents are replicas that move by the mean of their gradients.
//   z_k = x_{k-1} - eta g_{k-1};  g_k = mean_m F_m(z_k; fresh);  x_k = x_{k-1} - eta g_k
#include "methods/base.hpp"

namespace parley {

namespace {

class CpOsg : public MethodBase {
 public:
  CpOsg(const MethodContext& context, const StepOptions& options)
      : MethodBase(context, options),
        x_(state_rows("x")),
        z_(state_rows("z")),
        mean_(state_rows("mean")),
        g_(scratch_rows("g")),
        to_mean_(open_mean("g")) {}

  void begin() override {
    copy(z_, x_);
    field(z_, g_);
    to_mean_.mix(0, g_, mean_);
  }

  void update(std::int64_t k) override {
    move(z_, {{one, x_}, {-1 * eta_, mean_}});
    prox(z_);
    field(z_, g_);
    to_mean_.mix(k, g_, mean_);
    move(x_, {{one, x_}, {-1 * eta_, mean_}});
    prox(x_);
  }

  const Matrix& iterates() const override { return z_; }

 private:
  Matrix x_, z_, mean_, g_;
  Channel& to_mean_;
};

}  // namespace

MethodRow cp_osg_row() {
  return {make_kind<StepOptions>("cp-osg", "centralized parallel optimistic stochastic gradient",
                                 "Liu et al., NeurIPS 2020, Algorithm 1"),
          [](const Choice& choice) {
            return MethodPlan{.oracle_calls = 1,
                              .mean_vectors = 1,
                              .state_rows = 4,
                              .steps = choice.as<StepOptions>(),
                              .stable_bilinear = optimistic_bilinear,
                              .stable_symmetric = optimistic_symmetric};
          },
          [](const MethodContext& context) -> std::unique_ptr<Method> {
            return std::make_unique<CpOsg>(context, context.choice.as<StepOptions>());
          }};
}

}  // namespace parley
