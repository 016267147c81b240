// SPDX-License-Identifier: BSD-3-Clause
// W^t by messages between neighbouring ranks: each round sends rows where they are read, then sums.
// Must not know what the rows mean.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "comm/link.hpp"
#include "comm/message.hpp"
#include "comm/mixer.hpp"
#include "comm/rounds.hpp"
#include "kernels/mix.hpp"

namespace parley {

/// How rows travel where they do not travel as they are.
class Wire {
 public:
  virtual ~Wire() = default;
  /// Numbers of one row's message.
  virtual std::int64_t numbers() const = 0;
  /// Fills the message of own row `local` of the mix that is beginning.
  virtual void write(std::int64_t local, Real* message) = 0;
  /// The packed row (dim numbers) of another rank's agent from its message of mix k.
  virtual void read(std::int64_t k, std::int64_t agent, const Real* message, Real* row) = 0;
};

/// What a channel does beyond W^t on rows as they are.
struct GossipForm {
  std::vector<double> factors;   ///< of round_factors(): empty, or one per round
  bool carries_weights = false;  ///< push-sum's iterates: mixes a weight per agent with the rows
  Wire* wire = nullptr;          ///< outlives the channel; one segment
};

/// Sums go in ascending order of agents whatever their ranks, so that bits do not depend on the
/// number of ranks. Two sets of buffers and requests take turns, one per round: a neighbour may be
/// one round ahead, its message then waits in the other set. On a fixed graph the messages of both
/// sets are laid once and receives wait for their senders. Where the graph varies, each round lays
/// those that its W needs, in buffers that rounds share: a message that comes early waits in MPI.
class GossipChannel final : public Channel {
 public:
  GossipChannel(const MixerContext& context, LinkComm& comm, std::string name,
                std::vector<Segment> segments, GossipForm form = {});

  void begin(std::int64_t k, const Matrix& in, std::int64_t segment) override;
  void end(std::int64_t k, const Matrix& out) override;
  std::int64_t segments() const override { return static_cast<std::int64_t>(parts_.size()); }
  Vector weights() const override { return form_.carries_weights ? weights_view_ : Vector(); }
  StateList state() override;
  const Traffic& traffic() const override { return traffic_; }
  /// True when the latest mix copied own row `local` because of a bad one.
  bool copied(std::int64_t local) const { return bad_[static_cast<std::size_t>(local)] >= 0; }

 private:
  /// A segment: its packed columns and their chunks.
  struct Part {
    std::int64_t begin = 0, end = 0;
    Chunks chunks;
    bool begun = false;
  };
  /// What one round in two uses.
  struct Set {
    Routes routes;                        ///< of the messages laid last
    std::vector<MessageBuffer> outgoing;  ///< per row that others read and segment, or more
    std::vector<MessageBuffer> incoming;  ///< per ghost row and segment, or more
    Link sends, receives;
  };

  void make_parts(std::vector<Segment> segments);
  void lay_messages();
  void open_round(std::int64_t round);
  void start_receives();
  int parity() const { return static_cast<int>(round_count_ % 2); }
  Set& set() { return sets_[static_cast<std::size_t>(parity())]; }
  Watch watch(Direction direction) const;

  void send_segment(const Matrix& rows, std::int64_t round, std::size_t segment);
  bool write_message(std::int64_t local, const Real* row, const Part& part, Real* message);
  void report_bad(const Real* row, std::int64_t agent, const Part& part);
  void receive(std::int64_t round);
  void check_header(const MessageHeader& header, const Route& route, std::int64_t round,
                    std::size_t segment) const;
  void spread_flags();
  void spread_weights();
  void show_weights();
  Matrix target(const Matrix& out, std::int64_t round) const;
  void sum_rows(const Matrix& in, const Matrix& out, const Matrix& previous, std::int64_t round);
  void fill_terms(const Matrix& in, std::size_t segment);
  void count_traffic();

  const Agents& agents_;
  const Layout& layout_;
  std::int64_t rounds_;
  Health& health_;
  double stall_seconds_;
  std::string name_;
  GossipForm form_;
  bool doubly_stochastic_;
  Exec exec_;

  Rounds plans_;
  const RoundPlan* plan_;  ///< of the round under way
  int first_tag_ = 0;
  std::vector<Part> parts_;
  bool whole_ = true;            ///< the parts cover all columns
  std::vector<Matrix> scratch_;  ///< rows between rounds; accelerated: of the last two rounds
  Matrix expanded_;              ///< per ghost row what its message says, where a wire is used
  MixRows rows_;
  HostMirror<MixRows> rows_on_host_;
  MixTerms terms_;
  HostMirror<MixTerms> terms_on_host_;
  std::array<Set, 2> sets_;

  std::int64_t iteration_ = -1;
  std::int64_t round_count_ = 0;         ///< since construction; only its parity matters
  Matrix in_;                            ///< the rows being mixed, between begin and end
  std::vector<std::int64_t> bad_;        ///< per own row: the bad agent in it, or -1
  std::vector<std::int64_t> ghost_bad_;  ///< the same per ghost row
  std::vector<double> mass_;             ///< push-sum's weight per own row
  std::vector<double> ghost_mass_;       ///< the same per ghost row
  Vector weights_view_;                  ///< mass_ for kernels
  Traffic traffic_;
};

}  // namespace parley
