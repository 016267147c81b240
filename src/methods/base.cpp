// SPDX-License-Identifier: BSD-3-Clause
// MethodBase.
#include "methods/base.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "solver/rows.hpp"

namespace parley {

void describe(Fields& fields, AdamOptions& o) {
  fields.group("the keys of Adam's moments", [&o](Fields& f) {
    const auto decay = [](std::string_view sentence) {
      return About{.sentence = sentence, .min = 0, .max = 1, .max_excluded = true};
    };
    f.key("beta1", o.beta1, decay("Decay of the first moment."));
    f.key("beta2", o.beta2, decay("Decay of the second moment."));
    f.key("epsilon", o.epsilon,
          {.sentence = "Added to the root of the second moment.", .min = 0, .min_excluded = true});
  });
}

void describe(Fields& fields, AdamMethodOptions& o) {
  describe(fields, o.common);
  describe(fields, o.adam);
}

namespace {

StepSizes with_sizes(StepSizes sizes, const std::optional<Pair>& given) {
  if (given) {
    sizes.x = given->x;
    sizes.y = given->y;
  }
  return sizes;
}

}  // namespace

MethodBase::MethodBase(const MethodContext& context, const StepOptions& options)
    : context_(context),
      sampler_(context.seed, options.batch),
      schedule_(with_sizes(options.step, context.step_size), context.iterations),
      clip_(options.clip) {
  eta_ = schedule_.at(1);
  state_.scalar("draw", sampler_.draw());
  state_.scalar("oracle_calls", oracle_.calls);
  state_.scalar("full_calls", oracle_.full);
  state_.scalar("samples", oracle_.samples);
}

void MethodBase::start() {
  if (weighted_ != nullptr) copy(answer_, iterates());
  if (context_.equal_start) {
    for (Channel* channel : iterates_channels_) channel->start_at(iterates());
  }
  begin();
}

void MethodBase::step(std::int64_t k) {
  eta_ = schedule_.at(k);
  update(k);
  if (weighted_ != nullptr) divide_rows(context_.exec, iterates(), weighted_->weights(), answer_);
}

const Matrix& MethodBase::z() const {
  return weighted_ != nullptr ? answer_ : iterates();
}

Matrix MethodBase::state_rows(const std::string& name) {
  const Matrix rows = scratch_rows(name);
  list_rows(state_, name, rows, layout());
  return rows;
}

Matrix MethodBase::scratch_rows(const std::string& name) const {
  return make_matrix("parley::methods::" + name, context_.agents.count(), layout().width());
}

Channel& MethodBase::keep(std::unique_ptr<Channel> channel, const std::string& name) {
  channels_.push_back(std::move(channel));
  channel_names_.push_back(name);
  return *channels_.back();
}

Channel& MethodBase::open_iterates(const std::string& name) {
  Channel& channel = keep(context_.mixer.open_iterates(name), name);
  iterates_channels_.push_back(&channel);
  if (context_.mixer.properties().doubly_stochastic) return channel;
  ensure(weighted_ == nullptr, "MethodBase: one channel for iterates under push-sum");
  weighted_ = &channel;
  ratio_ = scratch_rows("ratio");
  answer_ = state_rows("answer");
  return channel;
}

Channel& MethodBase::open_gossip(const std::string& name, const std::vector<Segment>& segments) {
  return keep(context_.mixer.open(name, segments), name);
}

Channel& MethodBase::open_gossip_of_x(const std::string& name) {
  const auto& blocks = layout().blocks();
  const auto of_x = std::count_if(blocks.begin(), blocks.end(),
                                  [](const Block& block) { return block.player == Player::x; });
  return open_gossip(name, {{0, of_x}});
}

Channel& MethodBase::open_mean(const std::string& name) {
  return keep(context_.mixer.open_mean(name), name);
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

Sample MethodBase::fresh(std::int64_t batch) {
  Sample sample = sampler_.next();
  sample.batch = batch;
  return sample;
}

void MethodBase::prox(const Matrix& z, const Pair& eta) {
  if (weighted_ == nullptr) return context_.game.prox(context_.exec, z, eta);
  divide_rows(context_.exec, z, weighted_->weights(), ratio_);
  context_.game.prox(context_.exec, ratio_, eta);
  multiply_rows(context_.exec, ratio_, weighted_->weights(), z);
}

void MethodBase::field(const Matrix& z, const Sample& sample, const Matrix& g) {
  const Matrix* at = &z;
  if (weighted_ != nullptr) {
    divide_rows(context_.exec, z, weighted_->weights(), ratio_);
    at = &ratio_;
  }
  context_.game.field(context_.exec, *at, sample, g, not_watched);
  if (clip_.x > 0 || clip_.y > 0) {
    clip_rows(context_.exec, layout().y_begin(), {clip_.x, clip_.y}, g);
  }
  ++oracle_.calls;
  if (sample.batch == 0) ++oracle_.full;
  oracle_.samples += sample.batch;
}

}  // namespace parley
