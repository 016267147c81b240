// SPDX-License-Identifier: BSD-3-Clause
// dm-hsgd: hybrid stochastic gradients with tracking (Xian, Huang, Zhang, Huang, NeurIPS 2021,
// Algorithm 1). V is the tracker S; S_0 = g_{-1} = 0, g_0 from a first batch of its own.
//   S_k = W^t (S_{k-1} + g_{k-1} - g_{k-2});  Z_k = P(W^t (Z_{k-1} - eta S_k))
//   g_k = G(Z_k; xi_k) + (1 - beta) (g_{k-1} - G(Z_{k-1}; xi_k))
// The paper constrains y alone; here both players' sets and regularisers count.
#include "methods/tracking.hpp"

namespace parley {

namespace {

struct DmHsgdOptions {
  StepOptions common;
  Pair beta{0.01, 0.1};
  std::int64_t first_batch = 0;
};

void describe(Fields& fields, DmHsgdOptions& o) {
  describe(fields, o.common);
  fields.table("beta", {.sentence = "Weight of the fresh field in the estimate of both players."},
               [&o](Fields& f) {
                 f.key("x", o.beta.x, {.sentence = "Weight for x.", .min = 0, .max = 1});
                 f.key("y", o.beta.y, {.sentence = "Weight for y.", .min = 0, .max = 1});
               });
  fields.key(
      "first_batch", o.first_batch,
      {.sentence = "Samples per agent of the first estimate; 0: the agent's full data.", .min = 0});
}

class DmHsgd : public RecursiveTracking {
 public:
  DmHsgd(const MethodContext& context, const DmHsgdOptions& options)
      : RecursiveTracking(context, options.common),
        keep_{1 - options.beta.x, 1 - options.beta.y},
        first_batch_(options.first_batch),
        g_(state_rows("g")) {}

  void begin() override { field(z_, fresh(first_batch_), g_); }

  void update(std::int64_t k) override {
    track(k, g_);
    const Sample sample = fresh();
    look_back(sample);
    move(mixed_, {{one, z_}, {-1 * eta_, s_}});
    gossip_.mix(k, mixed_, z_);
    prox(z_);
    look_ahead(sample, keep_, g_);
  }

 private:
  Pair keep_;
  std::int64_t first_batch_;
  Matrix g_;
};

MethodPlan plan_of(const DmHsgdOptions& o) {
  MethodPlan plan{.oracle_calls = 2, .gossip_vectors = 2, .state_rows = 7, .steps = o.common};
  plan.needs.doubly_stochastic = false;
  plan.batches = {{"first_batch", o.first_batch}};
  plan.stable_bilinear = forward_bilinear;
  plan.stable_symmetric = forward_symmetric;
  return plan;
}

}  // namespace

MethodRow dm_hsgd_row() {
  return method_row<DmHsgd, DmHsgdOptions, plan_of>("dm-hsgd",
                                                    "hybrid stochastic gradients with tracking",
                                                    "Xian et al., NeurIPS 2021, Algorithm 1");
}

}  // namespace parley
