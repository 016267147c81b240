// SPDX-License-Identifier: BSD-3-Clause
// Schedules on the edges of an undirected graph: in each round a matching of it, whose pairs
// average. Pure data.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "comm/host/mixing.hpp"

namespace parley {

/// Edges without a common agent: pairs (i, j), i < j.
using Matching = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// A proper edge colouring: the edges of each colour, every edge of the undirected graph once. As
/// many colours as the largest degree where the graph is bipartite (Koenig 1916), at most one more
/// elsewhere (Misra and Gries 1992).
std::vector<Matching> color_edges(const Graph& graph);

/// The edges of the undirected graph taken in an order drawn from (seed, round), each one that
/// meets none before it: a maximal matching.
Matching random_matching(const Graph& graph, std::int64_t seed, std::int64_t round);

/// Pairs average 1/2, 1/2; other agents keep their rows. `lazy`: (I + W)/2.
Weights pair_weights(std::int64_t agents, const Matching& matching, bool lazy);

/// One colour class per round, in turn.
Mixing round_robin(const Graph& graph, bool lazy);
/// random_matching() of each round.
Mixing random_matchings(const Graph& graph, std::int64_t seed, bool lazy);

}  // namespace parley
