// SPDX-License-Identifier: BSD-3-Clause
// ReplicaMethod and TurnMethod.
#include "methods/replicas.hpp"

#include <string_view>

namespace parley {

ReplicaMethod::ReplicaMethod(const MethodContext& context, const StepOptions& steps)
    : MethodBase(context, steps),
      z_(state_rows("z")),
      own_(scratch_rows("own")),
      to_mean_(open_mean("field")) {
  state_scalar("means", means_);
}

void ReplicaMethod::begin() {
  if (context_.equal_start) return;
  copy(z_, own_);
  mean(own_, z_);
}

void ReplicaMethod::mean_field(const Matrix& z, const Matrix& g) {
  if (context_.agents.total() == 1) return field(z, g);
  field(z, own_);
  mean(own_, g);
}

void ReplicaMethod::mean(const Matrix& in, const Matrix& out) {
  to_mean_.mix(++means_, in, out);
}

void describe(Fields& fields, TurnOptions& o) {
  static constexpr std::string_view orders[] = {"simultaneous", "alternating"};
  fields.one_of("updates", o.updates, orders,
                {.sentence = "simultaneous: both players move by one field; alternating: y moves "
                             "n_critic times by fresh fields, then x by another."});
  fields.only_when(o.updates == "alternating", "updates = \"alternating\"", [&o](Fields& inner) {
    inner.key("n_critic", o.n_critic, {.sentence = "Steps of y to one of x.", .min = 1});
  });
}

MethodPlan plan_turns(const TurnOptions& o) {
  const double calls = o.updates == "alternating" ? static_cast<double>(o.n_critic) + 1 : 1;
  MethodPlan plan;
  plan.oracle_calls = plan.mean_vectors = calls;
  return plan;
}

void TurnMethod::update(std::int64_t) {
  if (turns_.updates == "simultaneous") return turn(one);
  for (std::int64_t i = 0; i < turns_.n_critic; ++i) turn(only_y);
  turn(only_x);
}

/// The proximal step of a player that stays is a projection of where it is already.
void TurnMethod::turn(const Pair& who) {
  const Pair eta{who.x * eta_.x, who.y * eta_.y};
  play(who, eta);
  context_.game.prox(context_.exec, z_, eta);
}

}  // namespace parley
