// SPDX-License-Identifier: BSD-3-Clause
// Mixing of named quantities over agents: what a method needs to know of communication. All MPI
// messages of the iteration live behind this interface.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "comm/channel.hpp"
#include "comm/host/mixing.hpp"
#include "comm/mean_channel.hpp"
#include "comm/mixer_options.hpp"
#include "core/agents.hpp"
#include "core/health.hpp"
#include "core/layout.hpp"
#include "kernels/types.hpp"

namespace parley {

/// Opens channels. Every rank opens the same channels in the same order. Channels go before their
/// mixer does.
class Mixer {
 public:
  virtual ~Mixer() = default;
  virtual MixerProperties properties() const = 0;
  /// out = W^t in, t = rounds(), or the polynomial of W, or the compressed form that the options
  /// say. Segments cover the blocks in order; where they end early, the columns behind them are
  /// neither sent nor mixed: out has those of in. Compressed channels have one segment of all.
  virtual std::unique_ptr<Channel> open(std::string_view name,
                                        const std::vector<Segment>& segments) = 0;
  std::unique_ptr<Channel> open(std::string_view name) { return open(name, {}); }
  /// The same for iterates; under push-sum this one alone has weights() and moves them on.
  virtual std::unique_ptr<Channel> open_iterates(std::string_view name) = 0;
  /// out = J in: the mean over all agents on every row, summed in agent order on any number of
  /// ranks, for centralized methods and for records.
  virtual std::unique_ptr<MeanChannel> open_mean(std::string_view name) = 0;
  virtual std::int64_t rounds() const = 0;
};

/// What a mixer is built from; the references outlive it.
struct MixerContext {
  MPI_Comm comm;
  const Agents& agents;
  const Layout& layout;
  const Mixing& mixing;
  std::int64_t rounds = 1;
  Health& health;
  double stall_seconds = 300;  ///< RunError when no message moves for so long
  MixerOptions options = {};
};

/// A mixer by persistent point-to-point messages between ranks, in-rank neighbours by kernel.
/// Collective.
std::unique_ptr<Mixer> make_mixer(const MixerContext& context);

/// What one mix of rows of `bytes` bytes (layout.dim() numbers) sends, headers included, for
/// channels of one segment; each further segment adds one header per message. For `parley check`:
/// no messages, any number of ranks.
struct MixPlan {
  double bytes_per_agent = 0;      ///< mean over agents, were each on a rank of its own
  double bytes_between_ranks = 0;  ///< total over ranks; what the counters show
};
MixPlan plan_gossip(const Weights& weights, std::int64_t rounds, std::int64_t bytes, int ranks);
/// The same of a graph that varies: the mean over its period, over the first 64 rounds of a random
/// one.
MixPlan plan_gossip(const Mixing& mixing, std::int64_t rounds, std::int64_t bytes, int ranks);
MixPlan plan_mean(std::int64_t agents, std::int64_t bytes, int ranks);

}  // namespace parley
