// SPDX-License-Identifier: BSD-3-Clause
// cp-osg: centralized parallel optimistic stochastic gradient (Liu et al., NeurIPS 2020, Alg. 1):
// the agents are replicas that move by the mean of their gradients.
//   z_k = x_{k-1} - eta g_{k-1};  g_k = mean_m F_m(z_k; fresh);  x_k = x_{k-1} - eta g_k
#include "methods/replicas.hpp"

namespace parley {

namespace {

class CpOsg : public ReplicaMethod {
 public:
  CpOsg(const MethodContext& context, const StepOptions& options)
      : ReplicaMethod(context, options), x_(state_rows("x")), g_(state_rows("g")) {}

 protected:
  void begin() override {
    ReplicaMethod::begin();
    copy(z_, x_);
    mean_field(z_, g_);
  }

  void update(std::int64_t) override {
    move(z_, {{one, x_}, {-1 * eta_, g_}});
    prox(z_);
    mean_field(z_, g_);
    move(x_, {{one, x_}, {-1 * eta_, g_}});
    prox(x_);
  }

 private:
  Matrix x_, g_;
};

MethodPlan plan_of(const StepOptions& o) {
  return MethodPlan{.oracle_calls = 1,
                    .mean_vectors = 1,
                    .state_rows = 4,
                    .steps = o,
                    .stable_bilinear = optimistic_bilinear,
                    .stable_symmetric = optimistic_symmetric};
}

}  // namespace

MethodRow cp_osg_row() {
  return method_row<CpOsg, StepOptions, plan_of>(
      "cp-osg", "centralized parallel optimistic stochastic gradient",
      "Liu et al., NeurIPS 2020, Algorithm 1");
}

}  // namespace parley
