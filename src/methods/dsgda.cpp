// SPDX-License-Identifier: BSD-3-Clause
// dsgda: decentralized stochastic gradient descent-ascent, the step of D-PSGD (Lian et al., arXiv
// 1705.09056, Algorithm 1) along the field of a game.
//   pre: Z_{k+1} = P(W^t Z_k - eta G(Z_k))     post: Z_{k+1} = P(W^t (Z_k - eta G(Z_k)))
#include "methods/base.hpp"

namespace parley {

namespace {

struct DsgdaOptions {
  StepOptions common;
  std::string mix_order = "pre";
};

void describe(Fields& fields, DsgdaOptions& o) {
  static constexpr std::string_view orders[] = {"pre", "post"};
  describe(fields, o.common);
  fields.one_of("mix_order", o.mix_order, orders,
                {.sentence = "pre: W^t Z - eta G, the exchange runs beside the gradient; post: "
                             "W^t (Z - eta G), a larger step range."});
}

class Dsgda : public MethodBase {
 public:
  Dsgda(const MethodContext& context, const DsgdaOptions& options)
      : MethodBase(context, options.common),
        pre_(options.mix_order == "pre"),
        z_(state_rows("z")),
        g_(scratch_rows("g")),
        mixed_(scratch_rows("mixed")),
        gossip_(open_iterates("z")) {}

  void update(std::int64_t k) override {
    if (pre_) {
      start_mix(gossip_, k, z_);
      field(z_, g_);
      gossip_.end(k, mixed_);
      move(z_, {{one, mixed_}, {-1 * eta_, g_}});
    } else {
      field(z_, g_);
      move(mixed_, {{one, z_}, {-1 * eta_, g_}});
      gossip_.mix(k, mixed_, z_);
    }
    prox(z_);
  }

  const Matrix& iterates() const override { return z_; }

 private:
  bool pre_;
  Matrix z_, g_, mixed_;
  Channel& gossip_;
};

MethodPlan plan_of(const DsgdaOptions& o) {
  MethodPlan plan{.oracle_calls = 1, .gossip_vectors = 1, .state_rows = 3, .steps = o.common};
  plan.needs.doubly_stochastic = false;
  // Real modes: |lambda - eta L| < 1 for pre, |1 - eta L| < 1 for post.
  plan.stable_bilinear = forward_bilinear;
  plan.stable_symmetric = o.mix_order == "pre" ? StableStep{2.0 / 3, 4.0 / 3} : forward_symmetric;
  return plan;
}

}  // namespace

MethodRow dsgda_row() {
  return method_row<Dsgda, DsgdaOptions, plan_of>(
      "dsgda", "decentralized stochastic gradient descent-ascent",
      "Lian et al., arXiv 1705.09056, Algorithm 1, along the field");
}

}  // namespace parley
