// SPDX-License-Identifier: BSD-3-Clause
// Mixing of one named quantity over agents, as methods and records see it. Must not know how
// messages travel.
#pragma once

#include <cstdint>

#include "core/state.hpp"
#include "kernels/types.hpp"

namespace parley {

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
/// begin for every segment once, in any order, then end. The caller numbers its mixes k = 1, 2,
/// ...: mix k takes rounds (k - 1) t to k t - 1 of a graph that varies with time. Quantities that
/// mix beside each other share a number; channels that take turns within an iteration take odd and
/// even ones, so that every round of the graph gets its turn.
class Channel {
 public:
  virtual ~Channel() = default;
  /// Starts mix k of `in` for one segment; `in` must stay unchanged until end(). Waits for nobody
  /// on undirected graphs (on a directed one, where nothing holds a rank back from running ahead of
  /// its readers, for the messages of two rounds before). A row that holds a non-finite number is
  /// reported to Health and sent with the flag set.
  virtual void begin(std::int64_t k, const Matrix& in, std::int64_t segment) = 0;
  /// Finishes mix k into `out` (may not alias `in`). Rows whose sum would include a flagged row are
  /// copied from `in` instead. RunError when a peer sends another mix or stays silent.
  virtual void end(std::int64_t k, const Matrix& out) = 0;
  virtual std::int64_t segments() const = 0;
  /// Told once, before the first mix, where all agents start at the same `rows`: a compressed
  /// channel's memory then begins there instead of at zero.
  virtual void start_at(const Matrix& /*rows*/) {}
  /// Push-sum's weight of every local agent after the latest mix, by which iterates (not trackers)
  /// are divided before a field is evaluated; no elements where rows need no such division.
  virtual Vector weights() const { return {}; }
  virtual StateList state() = 0;
  virtual const Traffic& traffic() const = 0;

  /// begin for all segments, then end.
  void mix(std::int64_t k, const Matrix& in, const Matrix& out) {
    for (std::int64_t s = 0; s < segments(); ++s) begin(k, in, s);
    end(k, out);
  }
};

}  // namespace parley
