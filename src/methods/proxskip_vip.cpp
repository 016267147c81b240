// SPDX-License-Identifier: BSD-3-Clause
// proxskip-vip: local descent-ascent with control variates, averaged when a shared coin says so
// (Zhang et al., arXiv 2306.05100, ProxSkip-VIP-FL): exact on different data at a constant step.
//   zh_m = z_m - gamma (F_m(z_m) - h_m);  with probability p, one coin for all agents:
//   z_m = mean_j(zh_j - (gamma/p) h_j), else z_m = zh_m;  h_m = h_m + (p/gamma) (z_m - zh_m)
// h_0 = 0; sum_m h_m = 0 from the first averaging on. The skipped proximal step is the averaging
// itself: the method takes no other and refuses games with constraints or regularisers.
#include "core/sample.hpp"
#include "kernels/philox.hpp"
#include "methods/base.hpp"

namespace parley {

namespace {

struct ProxskipOptions {
  StepOptions common;
  double probability = 0.1;
};

void describe(Fields& fields, ProxskipOptions& o) {
  describe(fields, o.common);
  fields.key("probability", o.probability,
             {.sentence = "p: chance that an iteration ends with an averaging.",
              .min = 0,
              .max = 1,
              .min_excluded = true});
}

/// p / gamma; 0 for a player that does not move and so has no control variate.
Pair ratio(double p, const Pair& gamma) {
  return {gamma.x > 0 ? p / gamma.x : 0, gamma.y > 0 ? p / gamma.y : 0};
}

class ProxskipVip : public MethodBase {
 public:
  ProxskipVip(const MethodContext& context, const ProxskipOptions& options)
      : MethodBase(context, options.common),
        p_(options.probability),
        z_(state_rows("z")),
        h_(state_rows("h")),
        g_(scratch_rows("g")),
        moved_(scratch_rows("moved")),
        shifted_(scratch_rows("shifted")),
        to_mean_(open_mean("z")) {
    state_scalar("averagings", averagings_);
  }

  void update(std::int64_t k) override {
    field(z_, g_);
    move(moved_, {{one, z_}, {-1 * eta_, g_}, {eta_, h_}});
    if (coin(k)) {
      move(shifted_, {{one, moved_}, {(-1 / p_) * eta_, h_}});
      to_mean_.mix(++averagings_, shifted_, z_);
      const Pair back = ratio(p_, eta_);
      move(h_, {{one, h_}, {back, z_}, {-1 * back, moved_}});
    } else {
      copy(moved_, z_);
    }
  }

  const Matrix& iterates() const override { return z_; }

 private:
  /// The same on all agents and ranks: a function of the seed and the iteration.
  bool coin(std::int64_t k) const {
    const Philox draw{context_.seed, Purpose::coin, 0, static_cast<std::uint64_t>(k)};
    return draw.uniform(0) < p_;
  }

  double p_;
  Matrix z_, h_, g_, moved_, shifted_;
  Channel& to_mean_;
  std::int64_t averagings_ = 0;
};

MethodPlan plan_of(const ProxskipOptions& o) {
  MethodPlan plan{.oracle_calls = 1,
                  .mean_vectors = o.probability,
                  .state_rows = 5,
                  .steps = o.common,
                  .stable_bilinear = forward_bilinear};
  plan.proximal = false;
  return plan;
}

}  // namespace

MethodRow proxskip_vip_row() {
  return method_row<ProxskipVip, ProxskipOptions, plan_of>(
      "proxskip-vip", "local descent-ascent with control variates, averaged by coin",
      "Zhang et al., arXiv 2306.05100, ProxSkip-VIP-FL");
}

}  // namespace parley
