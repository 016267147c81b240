// SPDX-License-Identifier: BSD-3-Clause
// decentralized-extra-step: extragradient with a mix after both half steps (Beznosikov, Samokhin,
// Gasnikov, arXiv 2010.13112, decentralized Extra Step Method). Exact as W^t nears the mean.
//   H_k = P(W^t (Z_k - eta G(Z_k; xi)));  Z_{k+1} = P(W^t (Z_k - eta G(H_k; xi')))
#include "methods/base.hpp"

namespace parley {

namespace {

class DecentralizedExtraStep : public MethodBase {
 public:
  DecentralizedExtraStep(const MethodContext& context, const StepOptions& options)
      : MethodBase(context, options),
        z_(state_rows("z")),
        half_(scratch_rows("half")),
        g_(scratch_rows("g")),
        moved_(scratch_rows("moved")),
        gossip_(open_iterates("z")) {}

  void update(std::int64_t k) override {
    step_along(z_, 2 * k - 1, half_);
    step_along(half_, 2 * k, z_);
  }

  const Matrix& iterates() const override { return z_; }
  const Matrix& to_average() const override { return half_; }

 private:
  /// out = P(W^t (Z - eta G(at))), mix number n.
  void step_along(const Matrix& at, std::int64_t n, const Matrix& out) {
    field(at, g_);
    move(moved_, {{one, z_}, {-1 * eta_, g_}});
    gossip_.mix(n, moved_, out);
    prox(out);
  }

  Matrix z_, half_, g_, moved_;
  Channel& gossip_;
};

MethodPlan plan_of(const StepOptions& o) {
  return {.oracle_calls = 2,
          .gossip_vectors = 2,
          .state_rows = 4,
          .steps = o,
          .stable_bilinear = extra_step_stable,
          .stable_symmetric = extra_step_stable};
}

}  // namespace

MethodRow decentralized_extra_step_row() {
  return method_row<DecentralizedExtraStep, StepOptions, plan_of>(
      "decentralized-extra-step", "extragradient with a mix after both half steps",
      "Beznosikov et al., arXiv 2010.13112");
}

}  // namespace parley
