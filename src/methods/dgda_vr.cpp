// SPDX-License-Identifier: BSD-3-Clause
// dgda-vr: descent-ascent with tracking of variance-reduced fields (Zhang, Mancino-Ball, Aybat, Xu,
// arXiv 2307.09421). D is the tracker S; D_0 = V_0 = the full field, unmixed.
//   Z_k = P(W^t Z_{k-1} - eta D_{k-1})
//   V_k = G(Z_k; all data) every q-th iteration, else V_{k-1} + G(Z_k; xi_k) - G(Z_{k-1}; xi_k)
//   D_k = W^t (D_{k-1} + V_k - V_{k-1})
#include "methods/tracking.hpp"

namespace parley {

namespace {

struct DgdaVrOptions {
  StepOptions common;
  std::int64_t period = 32;
};

void describe(Fields& fields, DgdaVrOptions& o) {
  describe(fields, o.common);
  fields.key(
      "period", o.period,
      {.sentence = "q: iterations between two estimates from the agents' full data.", .min = 1});
}

class DgdaVr : public RecursiveTracking {
 public:
  DgdaVr(const MethodContext& context, const DgdaVrOptions& options)
      : RecursiveTracking(context, options.common), period_(options.period), v_(state_rows("v")) {}

  void begin() override {
    field(z_, fresh(0), v_);
    copy(v_, s_);
    copy(v_, previous_);
  }

  void update(std::int64_t k) override {
    const bool full = k % period_ == 0;
    const Sample sample = full ? fresh(0) : fresh();
    start_mix(gossip_, k, z_);
    if (!full) look_back(sample);
    gossip_.end(k, mixed_);
    move(z_, {{one, mixed_}, {-1 * eta_, s_}});
    prox(z_);
    if (full) {
      field(z_, sample, v_);
    } else {
      look_ahead(sample, one, v_);
    }
    track(k, v_);
  }

 private:
  std::int64_t period_;
  Matrix v_;
};

MethodPlan plan_of(const DgdaVrOptions& o) {
  MethodPlan plan{.oracle_calls = 2 - 1 / static_cast<double>(o.period),
                  .gossip_vectors = 2,
                  .state_rows = 7,
                  .steps = o.common};
  plan.needs.doubly_stochastic = false;
  plan.stable_bilinear = forward_bilinear;
  return plan;
}

}  // namespace

MethodRow dgda_vr_row() {
  return method_row<DgdaVr, DgdaVrOptions, plan_of>(
      "dgda-vr", "descent-ascent with tracking of variance-reduced fields",
      "Zhang et al., arXiv 2307.09421");
}

}  // namespace parley
