// SPDX-License-Identifier: BSD-3-Clause
// What the families of graphs share: their rows in the registry and small helpers on neighbour
// lists. For the sources of comm/host alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/host/graph.hpp"
#include "kernels/philox.hpp"

namespace parley {

/// Per agent the agents that it reads.
using Neighbours = std::vector<std::vector<std::int64_t>>;

struct PlainGraphOptions {};
void describe(Fields& fields, PlainGraphOptions& options);

/// Lists without neighbours.
Neighbours no_neighbours(std::int64_t n);
/// Puts `j` into the list of `i` and `i` into that of `j`.
void join(Neighbours& in, std::int64_t i, std::int64_t j);
/// Sorts and drops repetitions and i itself: with one or two agents along a direction both ways
/// round lead to the same neighbour, which counts once. Directed when some list is not returned.
Graph graph_from(Neighbours in);
/// True when agent 0 reaches all and all reach agent 0.
bool connected(const Neighbours& in);

/// Which random choice of a graph a Philox sequence is for: the agent of its key, so that no two
/// share numbers.
enum class GraphDraw : std::int64_t { edges = 0, rewiring = 1, swaps = 2, matching = 3, order = 4 };
inline Philox graph_random(std::int64_t seed, GraphDraw what, std::uint64_t draw) {
  return {static_cast<std::uint64_t>(seed), Purpose::graph, static_cast<std::int64_t>(what), draw};
}

// One row per kind, by family.
GraphRow ring_row();
GraphRow path_row();
GraphRow grid_row();
GraphRow torus_row();
GraphRow ladder_row();
GraphRow hypercube_row();
GraphRow complete_row();
GraphRow star_row();
GraphRow binary_tree_row();
GraphRow exponential_row();
GraphRow random_regular_row();
GraphRow erdos_renyi_row();
GraphRow watts_strogatz_row();
GraphRow file_row();
GraphRow files_row();
GraphRow one_peer_exponential_row();
GraphRow random_permutation_row();

}  // namespace parley
