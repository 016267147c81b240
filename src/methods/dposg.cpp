// SPDX-License-Identifier: BSD-3-Clause
// dposg: decentralized parallel optimistic stochastic gradient (Liu et al., NeurIPS 2020, Alg. 2).
//   Z_k = MIX(X_{k-1}, G_{k-1});  G_k = G(Z_k; fresh);  X_k = MIX(X_{k-1}, G_k)
#include "methods/base.hpp"

namespace parley {

namespace {

struct DposgOptions {
  StepOptions common;
  std::string mix_order = "pre";
};

void describe(Fields& fields, DposgOptions& o) {
  static constexpr std::string_view orders[] = {"pre", "post", "post-one"};
  describe(fields, o.common);
  fields.one_of("mix_order", o.mix_order, orders,
                {.sentence = "pre: W^t X - eta G; post: W^t (X - eta G), two mixes an iteration; "
                             "post-one: the fixed point of post with one mix."});
}

/// pre and post, the two-line form.
class Dposg : public MethodBase {
 public:
  Dposg(const MethodContext& context, const DposgOptions& options)
      : MethodBase(context, options.common),
        pre_(options.mix_order == "pre"),
        x_(state_rows("x")),
        z_(state_rows("z")),
        g_(state_rows("g")),
        mixed_(scratch_rows("mixed")),
        to_z_(open_iterates("z")),
        to_x_(pre_ ? to_z_ : open_iterates("x")) {}

  void begin() override {
    copy(z_, x_);
    field(z_, g_);
  }

  void update(std::int64_t k) override {
    if (pre_) {
      to_z_.mix(k, x_, mixed_);
      move(z_, {{one, mixed_}, {-1 * eta_, g_}});
      prox(z_);
      field(z_, g_);
      move(x_, {{one, mixed_}, {-1 * eta_, g_}});
    } else {
      move(mixed_, {{one, x_}, {-1 * eta_, g_}});
      to_z_.mix(2 * k - 1, mixed_, z_);
      prox(z_);
      field(z_, g_);
      move(mixed_, {{one, x_}, {-1 * eta_, g_}});
      to_x_.mix(2 * k, mixed_, x_);
    }
    prox(x_);
  }

  const Matrix& iterates() const override { return z_; }

 private:
  bool pre_;
  Matrix x_, z_, g_, mixed_;
  Channel& to_z_;
  Channel& to_x_;
};

/// Z_{k+1} = W^t (Z_k - 2 eta G_k + eta G_{k-1}), G_{-1} = G_0.
class DposgPostOne : public MethodBase {
 public:
  DposgPostOne(const MethodContext& context, const DposgOptions& options)
      : MethodBase(context, options.common),
        z_(state_rows("z")),
        g_(scratch_rows("g")),
        previous_(state_rows("previous")),
        moved_(scratch_rows("moved")),
        gossip_(open_iterates("z")) {}

  void update(std::int64_t k) override {
    field(z_, g_);
    if (k == 1) copy(g_, previous_);
    move(moved_, {{one, z_}, {-2 * eta_, g_}, {eta_, previous_}});
    copy(g_, previous_);
    gossip_.mix(k, moved_, z_);
    prox(z_);
  }

  const Matrix& iterates() const override { return z_; }

 private:
  Matrix z_, g_, previous_, moved_;
  Channel& gossip_;
};

MethodPlan plan_of(const DposgOptions& o) {
  const bool post = o.mix_order == "post";
  MethodPlan plan{.oracle_calls = 1,
                  .gossip_vectors = post ? 2.0 : 1.0,
                  .state_rows = 4,
                  .steps = o.common,
                  .stable_bilinear = optimistic_bilinear,
                  .stable_symmetric = optimistic_symmetric};
  plan.needs.doubly_stochastic = post;
  return plan;
}

}  // namespace

MethodRow dposg_row() {
  return {make_kind<DposgOptions>("dposg", "decentralized parallel optimistic stochastic gradient",
                                  "Liu et al., NeurIPS 2020, Algorithm 2"),
          [](const Choice& choice) { return plan_of(choice.as<DposgOptions>()); },
          [](const MethodContext& context) -> std::unique_ptr<Method> {
            const auto& options = context.choice.as<DposgOptions>();
            if (options.mix_order == "post-one") {
              return std::make_unique<DposgPostOne>(context, options);
            }
            return std::make_unique<Dposg>(context, options);
          }};
}

}  // namespace parley
