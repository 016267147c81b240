// SPDX-License-Identifier: BSD-3-Clause
// The plain mixer: hands out channels that share one communicator.
#include "comm/mixer.hpp"

#include "comm/gossip_channel.hpp"
#include "comm/ordered_mean.hpp"
#include "core/check.hpp"

namespace parley {

namespace {

class PlainMixer final : public Mixer {
 public:
  explicit PlainMixer(const MixerContext& context) : context_(context), comm_(context.comm) {
    ensure(context.mixing.agents() == context.agents.total(), "make_mixer: one row of W per agent");
    ensure(context.layout.dim() > 0, "make_mixer: rows have at least one parameter");
  }

  MixerProperties properties() const override {
    MixerProperties out;
    out.symmetric = context_.mixing.symmetric();
    return out;
  }

  using Mixer::open;
  std::unique_ptr<Channel> open(std::string_view name,
                                const std::vector<Segment>& segments) override {
    return std::make_unique<GossipChannel>(context_, comm_, std::string(name), segments);
  }

  std::unique_ptr<MeanChannel> open_mean(std::string_view name) override {
    return std::make_unique<OrderedMean>(context_, comm_, std::string(name));
  }

  std::int64_t rounds() const override { return context_.rounds; }

 private:
  MixerContext context_;
  LinkComm comm_;
};

}  // namespace

std::unique_ptr<Mixer> make_mixer(const MixerContext& context) {
  return std::make_unique<PlainMixer>(context);
}

}  // namespace parley
