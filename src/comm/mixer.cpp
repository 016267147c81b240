// SPDX-License-Identifier: BSD-3-Clause
// Hands out channels that share one communicator, and says what they promise.
#include "comm/mixer.hpp"

#include "comm/choco_channel.hpp"
#include "comm/gossip_channel.hpp"
#include "comm/host/acceleration.hpp"
#include "comm/ordered_mean.hpp"
#include "core/check.hpp"

namespace parley {

namespace {

class GossipMixer final : public Mixer {
 public:
  explicit GossipMixer(const MixerContext& context) : context_(context), comm_(context.comm) {
    ensure(context.mixing.agents() == context.agents.total(), "make_mixer: one row of W per agent");
    ensure(context.layout.dim() > 0, "make_mixer: rows have at least one parameter");
    ensure(!mixer_refusal(context.options, context.mixing), "make_mixer: what make_plan refuses");
  }

  MixerProperties properties() const override {
    return mixer_properties(context_.options, context_.mixing);
  }

  using Mixer::open;
  std::unique_ptr<Channel> open(std::string_view name,
                                const std::vector<Segment>& segments) override {
    return open_channel(name, segments, false);
  }
  std::unique_ptr<Channel> open_iterates(std::string_view name) override {
    return open_channel(name, {}, !context_.mixing.doubly_stochastic());
  }

  std::unique_ptr<MeanChannel> open_mean(std::string_view name) override {
    return std::make_unique<OrderedMean>(context_, comm_, std::string(name));
  }

  std::int64_t rounds() const override { return context_.rounds; }

 private:
  std::unique_ptr<Channel> open_channel(std::string_view name, const std::vector<Segment>& segments,
                                        bool carries_weights) {
    const MixerOptions& options = context_.options;
    const std::int64_t number = opened_++;
    if (options.compression.kind != "none") {
      ensure(segments.empty(), "Mixer: compressed channels have one segment");
      return std::make_unique<ChocoChannel>(context_, comm_, std::string(name), number);
    }
    GossipForm form;
    form.factors = round_factors(options.acceleration, options.rho, context_.rounds);
    form.carries_weights = carries_weights;
    return std::make_unique<GossipChannel>(context_, comm_, std::string(name), segments, form);
  }

  MixerContext context_;
  LinkComm comm_;
  std::int64_t opened_ = 0;  ///< channels but means
};

}  // namespace

std::unique_ptr<Mixer> make_mixer(const MixerContext& context) {
  return std::make_unique<GossipMixer>(context);
}

}  // namespace parley
