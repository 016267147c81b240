// SPDX-License-Identifier: BSD-3-Clause
// Who talks to whom, as pure data, and the registry of topologies. No MPI, no Kokkos.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deck/fields.hpp"

namespace parley {

/// A graph on agents 0..n-1. in[i] lists the agents that i reads from, ascending, without i and
/// without repetition (a ring of two has one neighbour). Undirected graphs list both directions.
struct Graph {
  std::int64_t agents = 1;
  bool directed = false;
  std::vector<std::vector<std::int64_t>> in;
  /// Weights that come with the topology (static exponential, file with weights): w[i] pairs with
  /// in[i] plus the self weight; empty when the deck's `weights` rule decides.
  std::vector<std::vector<double>> given;
  std::vector<double> given_self;
};

struct GraphOptions;
class Mixing;

/// A topology of the registry.
struct GraphRow {
  Kind kind;
  /// Builds the graph on n agents; UserError (with `where` in front) when the options do not fit n,
  /// the file is broken, or the graph is not connected.
  Graph (*make)(const Choice& choice, std::int64_t n, const std::string& where);
  /// For a kind that is another graph in each round: its matrices, whose union make() gives. Null
  /// for kinds that are one graph.
  Mixing (*vary)(const GraphOptions& options, std::int64_t n, const std::string& where) = nullptr;
};

/// In the order of families: lattices, trees and hubs, random, from files, varying with time.
std::span<const GraphRow> graph_registry();
std::span<const Kind> graph_kinds();
const GraphRow& find_graph(std::string_view kind);

/// Calls the row's make and checks connectivity (strong, for directed graphs; of the union of all
/// rounds, for those that vary).
Graph make_graph(const Choice& choice, std::int64_t n, const std::string& where);

/// The edges for files, row after row of E x 2: i < j once per undirected edge; (from, to) per
/// directed one, where `to` reads `from`.
std::vector<std::int64_t> edge_list(const Graph& graph);

/// Rounds after which every agent can have heard of every other: the longest of all shortest paths.
std::int64_t diameter(const Graph& graph);

}  // namespace parley
