// SPDX-License-Identifier: BSD-3-Clause
// Mixing with compressed differences (CHOCO: Koloskova, Stich, Jaggi, ICML 2019, arXiv 1902.00340).
// Must not know what the rows mean, nor how a rule shortens them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comm/compressor.hpp"
#include "comm/gossip_channel.hpp"

namespace parley {

/// One round on the rows x, of which a mix makes rounds() and returns the last x:
///     q_i = Q(x_i - xhat_i);  xhat_j += q_j;  x_i += g_c sum_j W_ij (xhat_j - xhat_i).
/// Q = identity and g_c = 1 make it the round x = W x. The two orders of the field are those of the
/// methods: one that mixes its iterates and then steps (dsgda and dposg with mix_order "pre") has
/// the mix-first order, whose messages hide behind the gradient; one that mixes what it has stepped
/// ("post") has the send-first order.
///
/// Every agent holds two rows of memory, a part of restarts: xhat_i, and the pull sum_j W_ij
/// (xhat_j - xhat_i), updated by sum_j W_ij (q_j - q_i). It takes the place of the xhat_j of all
/// neighbours, and as it holds differences its rounding shrinks with them. This needs one W for all
/// rounds. Both begin at zero, or xhat_i at the rows of a start that all agents share.
class ChocoChannel final : public Channel, private Wire {
 public:
  /// `number` tells the channels of a mixer apart, so that they draw differently.
  ChocoChannel(const MixerContext& context, LinkComm& comm, std::string name, std::int64_t number);

  void begin(std::int64_t k, const Matrix& in, std::int64_t segment) override;
  void end(std::int64_t k, const Matrix& out) override;
  std::int64_t segments() const override { return 1; }
  void start_at(const Matrix& rows) override;
  StateList state() override;
  const Traffic& traffic() const override { return gossip_->traffic(); }

 private:
  std::int64_t numbers() const override { return columns_of(messages_); }
  void write(std::int64_t local, Real* message) override;
  void read(std::int64_t k, std::int64_t agent, const Real* message, Real* row) override;

  void send(std::int64_t k, std::int64_t round);
  void receive(std::int64_t k);
  Philox random(std::int64_t agent) const;

  const Agents& agents_;
  const Layout& layout_;
  Health& health_;
  std::string name_;
  std::int64_t rounds_;
  std::uint64_t seed_;
  std::int64_t number_;
  Exec exec_;

  Layout flat_;  ///< the row as one block: neither rules nor memory see padding between blocks
  std::unique_ptr<Compressor> rule_;
  double step_;
  Chunks chunks_;
  Matrix x_, memory_, pull_;          ///< packed rows
  Matrix difference_, sent_, mixed_;  ///< packed rows: x - xhat, q, W q
  Matrix messages_;                   ///< of the local agents
  std::unique_ptr<GossipChannel> gossip_;

  Matrix in_;                 ///< the rows being mixed, between begin and end
  std::int64_t round_ = 0;    ///< the one under way, counted over all mixes
  std::vector<bool> bad_;     ///< per own row: not finite in this mix
  std::vector<bool> copied_;  ///< per own row: a bad row is in it, or among those that it reads
};

}  // namespace parley
