// SPDX-License-Identifier: BSD-3-Clause
// Graphs that are another one in each round by definition: one-peer exponential and random
// permutations. What they are to a spectrum or a picture is the union of their rounds.
#include <algorithm>
#include <utility>

#include "comm/host/mixing.hpp"
#include "comm/host/topologies.hpp"
#include "core/check.hpp"
#include "core/shuffle.hpp"

namespace parley {

namespace {

struct PermutationOptions {
  std::int64_t seed = 1;
};

void describe(Fields& fields, PermutationOptions& options) {
  fields.key("seed", options.seed, {.sentence = "Seed of the permutations.", .min = 0});
}

/// UserError for weights other than the graph's own halves.
void check_weights(const GraphOptions& graph, const std::string& where) {
  if (graph.weights == "metropolis") return;
  fail_user(
      "{}: graph {} averages pairs by halves and would ignore weights = \"{}\"; remove the key",
      where, graph.kind.kind, graph.weights);
}

/// Row i averages 1/2, 1/2 with row from[i]; (I + P) / 2.
Weights half_of(const std::vector<std::int64_t>& from, bool lazy) {
  Weights weights;
  for (std::size_t n = 0; n < from.size(); ++n) {
    const auto i = static_cast<std::int64_t>(n);
    const std::int64_t j = from[n];
    weights.symmetric = weights.symmetric && from[static_cast<std::size_t>(j)] == i;
    if (i == j) {
      weights.rows.push_back({{i}, {1.0}});
    } else {
      weights.rows.push_back({{std::min(i, j), std::max(i, j)}, {0.5, 0.5}});
    }
  }
  if (lazy) make_lazy(weights);
  return weights;
}

/// All hops of a period: agent i reads i - 1, 2, 4, ... mod n.
Graph make_one_peer(const Choice&, std::int64_t n, const std::string&) {
  Neighbours in = no_neighbours(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t hop = 1; hop < n; hop *= 2) {
      in[static_cast<std::size_t>(i)].push_back((i + n - hop) % n);
    }
  }
  return graph_from(std::move(in));
}

Mixing mix_one_peer(const GraphOptions& graph, std::int64_t n, const std::string& where) {
  check_weights(graph, where);
  std::vector<Weights> period;
  for (std::int64_t hop = 1; hop < n || period.empty(); hop *= 2) {
    std::vector<std::int64_t> from;
    for (std::int64_t i = 0; i < n; ++i) from.push_back((i + n - hop % n) % n);
    period.push_back(half_of(from, graph.lazy));
  }
  return Mixing(std::move(period));
}

Graph make_all_pairs(const Choice&, std::int64_t n, const std::string&) {
  Neighbours in = no_neighbours(n);
  for (auto& row : in) {
    for (std::int64_t j = 0; j < n; ++j) row.push_back(j);
  }
  Graph graph = graph_from(std::move(in));
  graph.directed = n > 2;
  return graph;
}

Mixing mix_permutations(const GraphOptions& graph, std::int64_t n, const std::string& where) {
  check_weights(graph, where);
  const std::int64_t seed = graph.kind.as<PermutationOptions>().seed;
  const auto draw = [n, seed, lazy = graph.lazy](std::int64_t round) {
    std::vector<std::int64_t> from;
    for (std::int64_t i = 0; i < n; ++i) from.push_back(i);
    shuffle(from, graph_random(seed, GraphDraw::order, static_cast<std::uint64_t>(round)));
    return half_of(from, lazy);
  };
  return Mixing(draw, n <= 2);
}

}  // namespace

GraphRow one_peer_exponential_row() {
  return {make_kind<PlainGraphOptions>(
              "one-peer-exponential",
              "In round r agent i averages with i - 2^(r mod ceil(log2 M)) (mod M)",
              "Ying et al. 2021, arXiv 2110.13363"),
          make_one_peer, mix_one_peer};
}

GraphRow random_permutation_row() {
  return {make_kind<PermutationOptions>("random-permutation",
                                        "In each round agent i averages with p(i), p random",
                                        "W = (I + P) / 2"),
          make_all_pairs, mix_permutations};
}

}  // namespace parley
