// SPDX-License-Identifier: BSD-3-Clause
// dp-oadam: decentralized parallel optimistic Adam (Liu et al., NeurIPS 2020, section 4); both
// players move at once, moments and d_{k-1} stay local unless mix_moments says otherwise.
//   overlap: u_{k+1} = W^t u_k - 2 eta d_k + eta d_{k-1}     post: u_{k+1} = W^t (u_k - 2 eta d_k +
//   eta d_{k-1})
#include "methods/base.hpp"

namespace parley {

namespace {

struct DpOadamOptions {
  StepOptions common;
  AdamOptions adam;
  std::string order = "overlap";
  std::string mix_moments = "none";
};

void describe(Fields& fields, DpOadamOptions& o) {
  static constexpr std::string_view orders[] = {"overlap", "post"};
  static constexpr std::string_view moments[] = {"none", "v", "m,v"};
  describe(fields, o.common);
  describe(fields, o.adam);
  fields.one_of("order", o.order, orders,
                {.sentence = "overlap: W^t u - 2 eta d + eta d', the exchange runs beside the "
                             "gradient; post: W^t (u - 2 eta d + eta d'), a larger step range."});
  fields.one_of("mix_moments", o.mix_moments, moments,
                {.sentence = "Moments that are mixed with the neighbours' before each update; "
                             "lowers the bias on different data for one or two more vectors."});
}

class DpOadam : public MethodBase {
 public:
  DpOadam(const MethodContext& context, const DpOadamOptions& options)
      : MethodBase(context, options.common),
        adam_{options.adam.beta1, options.adam.beta2, options.adam.epsilon, 0},
        overlap_(options.order == "overlap"),
        u_(state_rows("u")),
        m_(state_rows("m")),
        v_(state_rows("v")),
        d_(state_rows("d")),
        g_(scratch_rows("g")),
        mixed_(scratch_rows("mixed")),
        gossip_(open_iterates("u")) {
    state_scalar("adam_count", adam_.count);
    if (options.mix_moments != "none") mix_v_ = &open_gossip("v");
    if (options.mix_moments == "m,v") mix_m_ = &open_gossip("m");
    if (mix_v_ != nullptr) mixed_v_ = scratch_rows("mixed_v");
    if (mix_m_ != nullptr) mixed_m_ = scratch_rows("mixed_m");
  }

  void update(std::int64_t k) override {
    if (overlap_) start_mix(gossip_, k, u_);
    if (mix_v_ != nullptr) start_mix(*mix_v_, k, v_);
    if (mix_m_ != nullptr) start_mix(*mix_m_, k, m_);
    field(u_, g_);
    if (mix_v_ != nullptr) finish(*mix_v_, k, mixed_v_, v_);
    if (mix_m_ != nullptr) finish(*mix_m_, k, mixed_m_, m_);
    ++adam_.count;
    if (overlap_) {
      gossip_.end(k, mixed_);
      optimistic_adam(context_.exec, layout().y_begin(), adam_, eta_, {g_, m_, v_, d_, mixed_, u_});
    } else {
      optimistic_adam(context_.exec, layout().y_begin(), adam_, eta_, {g_, m_, v_, d_, u_, mixed_});
      gossip_.mix(k, mixed_, u_);
    }
    prox(u_);
  }

  const Matrix& iterates() const override { return u_; }

 private:
  void finish(Channel& channel, std::int64_t k, const Matrix& mixed, const Matrix& rows) {
    channel.end(k, mixed);
    copy(mixed, rows);
  }

  AdamStep adam_;
  bool overlap_;
  Matrix u_, m_, v_, d_, g_, mixed_, mixed_v_, mixed_m_;
  Channel& gossip_;
  Channel* mix_v_ = nullptr;
  Channel* mix_m_ = nullptr;
};

MethodPlan plan_of(const DpOadamOptions& o) {
  const std::int64_t moments = o.mix_moments == "none" ? 0 : o.mix_moments == "v" ? 1 : 2;
  MethodPlan plan{.oracle_calls = 1,
                  .gossip_vectors = 1.0 + static_cast<double>(moments),
                  .state_rows = 6 + moments,
                  .steps = o.common};
  // Mixed second moments stay positive, or their roots do not exist.
  plan.needs.convex = moments > 0;
  plan.needs.doubly_stochastic = moments > 0;
  return plan;
}

MethodRow row_of(std::string_view name, std::string_view summary,
                 MethodPlan (*plan)(const Choice& choice)) {
  return {make_kind<DpOadamOptions>(name, summary, "Liu et al., NeurIPS 2020, section 4"), plan,
          [](const MethodContext& context) -> std::unique_ptr<Method> {
            return std::make_unique<DpOadam>(context, context.choice.as<DpOadamOptions>());
          }};
}

}  // namespace

MethodRow dp_oadam_row() {
  return row_of("dp-oadam", "decentralized parallel optimistic Adam",
                [](const Choice& choice) { return plan_of(choice.as<DpOadamOptions>()); });
}

MethodRow rand_dp_oadam_row() {
  return row_of("rand-dp-oadam", "dp-oadam on a graph drawn anew each round",
                [](const Choice& choice) {
                  MethodPlan plan = plan_of(choice.as<DpOadamOptions>());
                  plan.random_graph = true;
                  return plan;
                });
}

}  // namespace parley
