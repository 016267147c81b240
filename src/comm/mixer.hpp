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

#include "comm/host/weights.hpp"
#include "core/agents.hpp"
#include "core/health.hpp"
#include "core/layout.hpp"
#include "core/state.hpp"
#include "kernels/types.hpp"

namespace parley {

/// What a mixer promises; a method declares which of them it requires.
struct MixerProperties {
  bool linear = true;
  bool symmetric = true;
  bool doubly_stochastic = true;
  bool stateless = true;
  bool keeps_mean = true;
};

/// Counters of one rank: bytes handed to MPI for sending, neighbour rounds, messages.
struct Traffic {
  std::int64_t bytes = 0;
  std::int64_t rounds = 0;
  std::int64_t messages = 0;
};

/// A contiguous range of layout blocks [first, last): the unit that begin() may send early.
struct Segment {
  std::int64_t first_block = 0;
  std::int64_t last_block = 0;
};

/// Mixes one quantity: local_agents x layout.width() rows. One exchange is under way at a time:
/// begin for every segment once, then end.
class Channel {
 public:
  virtual ~Channel() = default;
  /// Starts mix k of `in` for one segment; `in` must stay unchanged until end(). Never waits. A row
  /// that holds a non-finite number is reported to Health and sent with the flag set.
  virtual void begin(std::int64_t k, const Matrix& in, std::int64_t segment) = 0;
  /// Finishes mix k into `out` (may not alias `in`). Rows whose sum would include a flagged row are
  /// copied from `in` instead.
  virtual void end(std::int64_t k, const Matrix& out) = 0;
  virtual std::int64_t segments() const = 0;
  virtual StateList state() = 0;
  virtual const Traffic& traffic() const = 0;

  /// begin for all segments, then end.
  void mix(std::int64_t k, const Matrix& in, const Matrix& out) {
    for (std::int64_t s = 0; s < segments(); ++s) begin(k, in, s);
    end(k, out);
  }
};

/// Opens channels. Every rank opens the same channels in the same order.
class Mixer {
 public:
  virtual ~Mixer() = default;
  virtual MixerProperties properties() const = 0;
  /// out = W^t in, t = rounds().
  virtual std::unique_ptr<Channel> open(std::string_view name,
                                        const std::vector<Segment>& segments) = 0;
  std::unique_ptr<Channel> open(std::string_view name) { return open(name, {}); }
  /// out = J in: the mean over all agents on every row, summed in agent order on any number of
  /// ranks, for centralized methods and for records.
  virtual std::unique_ptr<Channel> open_mean(std::string_view name) = 0;
  virtual std::int64_t rounds() const = 0;
};

/// What a mixer is built from; the references outlive it.
struct MixerContext {
  MPI_Comm comm;
  const Agents& agents;
  const Layout& layout;
  const Weights& weights;
  std::int64_t rounds = 1;
  Health& health;
};

/// The plain mixer: W^t by persistent point-to-point messages between ranks, in-rank neighbours by
/// kernel.
std::unique_ptr<Mixer> make_mixer(const MixerContext& context);

/// What one agent sends per mix of a row of `bytes` bytes: for `parley check`, without MPI.
struct MixPlan {
  double bytes_per_agent = 0;     ///< mean over agents, agents on other ranks or not
  double bytes_between_ranks = 0;  ///< total over ranks for a number of ranks
};
MixPlan plan_gossip(const Weights& weights, std::int64_t rounds, std::int64_t bytes, int ranks);
MixPlan plan_mean(std::int64_t agents, std::int64_t bytes, int ranks);

}  // namespace parley
