// SPDX-License-Identifier: BSD-3-Clause
// adam: simultaneous Adam of both players on one agent, the serial baseline (Kingma & Ba, ICLR
// 2015, Algorithm 1).   u_{k+1} = u_k - eta d_k
#include "methods/base.hpp"

namespace parley {

namespace {

class AdamMethod : public MethodBase {
 public:
  AdamMethod(const MethodContext& context, const AdamMethodOptions& options)
      : MethodBase(context, options.common),
        adam_{options.adam.beta1, options.adam.beta2, options.adam.epsilon, 0},
        u_(state_rows("u")),
        m_(state_rows("m")),
        v_(state_rows("v")),
        d_(scratch_rows("d")),
        g_(scratch_rows("g")) {
    state_scalar("adam_count", adam_.count);
  }

  void update(std::int64_t) override {
    field(u_, g_);
    ++adam_.count;
    adam_direction(context_.exec, adam_, {g_, m_, v_, d_});
    move(u_, {{one, u_}, {-1 * eta_, d_}});
    prox(u_);
  }

  const Matrix& iterates() const override { return u_; }

 private:
  AdamStep adam_;
  Matrix u_, m_, v_, d_, g_;
};

}  // namespace

MethodRow adam_row() {
  return {
      make_kind<AdamMethodOptions>("adam", "simultaneous Adam on one agent, the serial baseline",
                                   "Kingma & Ba, ICLR 2015, Algorithm 1"),
      [](const Choice& choice) {
        return MethodPlan{.oracle_calls = 1,
                          .state_rows = 5,
                          .one_agent_only = true,
                          .steps = choice.as<AdamMethodOptions>().common};
      },
      [](const MethodContext& context) -> std::unique_ptr<Method> {
        return std::make_unique<AdamMethod>(context, context.choice.as<AdamMethodOptions>());
      }};
}

}  // namespace parley
