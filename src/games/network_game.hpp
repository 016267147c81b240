// SPDX-License-Identifier: BSD-3-Clause
// What games of networks on samples share: the start of the parameters and an oracle call, agent
// after agent in one workspace. Knows neither losses nor players.
#pragma once

#include "games/game_parts.hpp"
#include "nn/network.hpp"
#include "solver/features.hpp"

namespace parley {

class NetworkGame : public Game {
 public:
  void initial(std::uint64_t seed, std::string_view agents, const Matrix& z) final;
  void field(const Exec& exec, const Matrix& z, const Sample& sample, const Matrix& f,
             const Ready& ready) final;

 protected:
  /// `losses`: numbers that evaluate() writes for an agent.
  NetworkGame(const GameContext& context, std::int64_t losses);

  /// Fills a host row (width) with initial parameters.
  virtual void initialize(const InitialSeed& from, const HostVector& z) const = 0;
  /// Makes room for batches up to `batch`.
  virtual void reserve(std::int64_t batch) = 0;
  /// Draws the batch of a local agent into the workspace.
  virtual void fill_batch(const Exec& exec, std::int64_t local, const Sample& sample,
                          std::int64_t batch) = 0;
  /// The field and the losses of the batch at the row z; `ready` hears of each block.
  virtual void evaluate(const Exec& exec, const Vector& z, std::int64_t batch, const Vector& f,
                        const Doubles& losses, const BlockReady& ready) = 0;

  const Agents& agents_;
  Features features_;
  Doubles losses_;  ///< local_agents x losses, of the latest training call

 private:
  Doubles losses_of(std::int64_t local, const Sample& sample) const;

  std::int64_t per_agent_;
  Doubles unrecorded_;
};

/// What the data of such a game take in a plan: the samples of an oracle call, and the bytes of an
/// agent's rows and of the held-out rows.
struct SamplePlan {
  std::int64_t samples = 0, bytes = 0, shared_bytes = 0;
};
SamplePlan plan_samples(const Deck& deck, const DataShape& data, std::int64_t batch);

}  // namespace parley
