// SPDX-License-Identifier: BSD-3-Clause
// The shared keys of the methods, and MethodBase.
#include "methods/base.hpp"

#include "solver/rows.hpp"

namespace parley {

void describe(Fields& fields, StepOptions& o) {
  fields.table("step", {.sentence = "Step sizes of the two players."}, [&o](Fields& f) {
    f.key("x", o.x, {.sentence = "Step size of x (a GAN's generator).", .min = 0});
    f.key("y", o.y, {.sentence = "Step size of y (a GAN's discriminator).", .min = 0});
  });
  fields.key(
      "batch", o.batch,
      {.sentence = "Samples per agent and oracle call; 0: the agent's full data.", .min = 0});
  fields.key("ema", o.ema,
             {.sentence = "Decay of the exponential moving average of the iterates, per iteration; "
                          "0: none is kept.",
              .min = 0,
              .max = 1,
              .max_excluded = true});
}

void describe(Fields& fields, AdamOptions& o) {
  fields.key("beta1", o.beta1,
             {.sentence = "Decay of the first moment.", .min = 0, .max = 1, .max_excluded = true});
  fields.key("beta2", o.beta2,
             {.sentence = "Decay of the second moment.", .min = 0, .max = 1, .max_excluded = true});
  fields.key(
      "epsilon", o.epsilon,
      {.sentence = "Added to the root of the second moment.", .min = 0, .min_excluded = true});
}

void describe(Fields& fields, AdamMethodOptions& o) {
  describe(fields, o.common);
  describe(fields, o.adam);
}

MethodBase::MethodBase(const MethodContext& context, const StepOptions& steps)
    : context_(context), eta_{steps.x, steps.y}, sampler_(context.seed, steps.batch) {
  state_.scalar("draw", sampler_.draw());
  state_.scalar("oracle_calls", oracle_calls_);
}

Matrix MethodBase::state_rows(const std::string& name) {
  const Matrix rows = scratch_rows(name);
  list_rows(state_, name, rows, layout());
  return rows;
}

Matrix MethodBase::scratch_rows(const std::string& name) const {
  return make_matrix("parley::methods::" + name, context_.agents.count(), layout().width());
}

Channel& MethodBase::open_gossip(const std::string& name) {
  channels_.push_back(context_.mixer.open(name));
  channel_names_.push_back(name);
  return *channels_.back();
}

Channel& MethodBase::open_mean(const std::string& name) {
  channels_.push_back(context_.mixer.open_mean(name));
  channel_names_.push_back(name);
  return *channels_.back();
}

StateList MethodBase::state() {
  StateList all = state_;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    all.append("channel_" + channel_names_[i], channels_[i]->state());
  }
  return all;
}

Traffic MethodBase::traffic() const {
  Traffic sum;
  for (const auto& channel : channels_) {
    sum.bytes += channel->traffic().bytes;
    sum.rounds += channel->traffic().rounds;
    sum.messages += channel->traffic().messages;
  }
  return sum;
}

void MethodBase::field(const Matrix& z, const Matrix& g) {
  context_.game.field(context_.exec, z, sampler_.next(), g, not_watched);
  ++oracle_calls_;
}

}  // namespace parley
