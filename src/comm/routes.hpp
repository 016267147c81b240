// SPDX-License-Identifier: BSD-3-Clause
// Which rows travel between which ranks, from the weights and the agents' places alone. Pure
// arithmetic: no MPI, so that a plan can be made for any number of ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/host/weights.hpp"
#include "core/agents.hpp"

namespace parley {

/// The row of one agent to or from one rank.
struct Route {
  std::int64_t agent = 0;
  int rank = 0;
};

/// What one rank exchanges in a round: each row goes once to each rank that has readers of it.
struct Routes {
  std::vector<Route> sends;     ///< own agents, ascending; ranks ascending within an agent
  std::vector<Route> receives;  ///< other ranks' agents, ascending
};

Routes make_routes(const Weights& weights, const Agents& agents);

/// Rank's part [begin, end) of `units` in equal contiguous parts, the first ones longer by one.
struct Slice {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t size() const { return end - begin; }
};

/// The part of a packed row of `dim` numbers that `rank` sums in a mean over agents; parts begin at
/// multiples of `alignment` numbers and may be empty.
Slice slice_of(std::int64_t dim, std::int64_t alignment, int rank, int ranks);

}  // namespace parley
