// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of every round of a graph, which may differ from round to round: the rows of W
// that it sums and the rows that travel for them. No MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "comm/host/mixing.hpp"
#include "comm/routes.hpp"

namespace parley {

/// What one rank sums and exchanges in one round.
struct RoundPlan {
  std::vector<WeightRow> rows;  ///< of W, per own agent
  Routes routes;
  std::vector<std::int64_t> sent_agents;     ///< own agents that other ranks read, ascending
  std::vector<std::size_t> buffer_of_route;  ///< index into sent_agents per send route
  std::size_t terms = 0;                     ///< entries of rows, less the diagonal
};

RoundPlan make_round_plan(const Weights& weights, const Agents& agents);

/// The plans by round: made once for a fixed W and for each round of a period, anew for each random
/// round, so that memory does not grow with the number of different rounds. The references of the
/// constructor outlive it.
class Rounds {
 public:
  Rounds(const Mixing& mixing, const Agents& agents);

  /// False: at() gives the same plan for every round.
  bool vary() const { return mixing_.varies(); }
  /// The plan of round r = 0, 1, 2, ...; valid until the next call.
  const RoundPlan& at(std::int64_t round);

 private:
  const Mixing& mixing_;
  const Agents& agents_;
  std::vector<std::optional<RoundPlan>> plans_;  ///< per round of the period; one where random
};

}  // namespace parley
