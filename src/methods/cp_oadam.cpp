// SPDX-License-Identifier: BSD-3-Clause
// cp-oadam: centralized parallel optimistic Adam (Liu et al., NeurIPS 2020, section 4): optimistic
// Adam of the mean gradient on identical replicas.
//   u_{k+1} = u_k - 2 eta d_k + eta d_{k-1}, d_0 = 0
#include "methods/replicas.hpp"

namespace parley {

namespace {

class CpOadam : public ReplicaMethod {
 public:
  CpOadam(const MethodContext& context, const AdamMethodOptions& options)
      : ReplicaMethod(context, options.common),
        adam_{options.adam.beta1, options.adam.beta2, options.adam.epsilon, 0},
        m_(state_rows("m")),
        v_(state_rows("v")),
        d_(state_rows("d")),
        g_(scratch_rows("g")) {
    state_scalar("adam_count", adam_.count);
  }

 protected:
  void update(std::int64_t) override {
    mean_field(z_, g_);
    ++adam_.count;
    optimistic_adam(context_.exec, layout().y_begin(), adam_, eta_, {g_, m_, v_, d_, z_, z_});
    prox(z_);
  }

 private:
  AdamStep adam_;
  Matrix m_, v_, d_, g_;
};

MethodPlan plan_of(const AdamMethodOptions& o) {
  return MethodPlan{.oracle_calls = 1, .mean_vectors = 1, .state_rows = 6, .steps = o.common};
}

}  // namespace

MethodRow cp_oadam_row() {
  return method_row<CpOadam, AdamMethodOptions, plan_of>(
      "cp-oadam", "centralized parallel optimistic Adam", "Liu et al., NeurIPS 2020, section 4");
}

}  // namespace parley
