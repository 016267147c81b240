// SPDX-License-Identifier: BSD-3-Clause
// Graphs of low diameter: complete, star, binary tree, static exponential.
#include "comm/host/topologies.hpp"

namespace parley {

namespace {

Graph make_complete(const Choice&, std::int64_t n, const std::string&) {
  Neighbours in = no_neighbours(n);
  for (auto& row : in) {
    for (std::int64_t j = 0; j < n; ++j) row.push_back(j);
  }
  return graph_from(std::move(in));
}

Graph make_star(const Choice&, std::int64_t n, const std::string&) {
  Neighbours in = no_neighbours(n);
  for (std::int64_t i = 1; i < n; ++i) join(in, 0, i);
  return graph_from(std::move(in));
}

Graph make_binary_tree(const Choice&, std::int64_t n, const std::string&) {
  Neighbours in = no_neighbours(n);
  for (std::int64_t i = 1; i < n; ++i) join(in, (i - 1) / 2, i);
  return graph_from(std::move(in));
}

/// Agent i reads i + 2^j mod n, j < ceil(log2 n), all weights alike (Ying et al., NeurIPS 2021,
/// arXiv 2110.13363). Circulant, hence doubly stochastic; directed from 4 agents on.
Graph make_exponential(const Choice&, std::int64_t n, const std::string&) {
  Neighbours in = no_neighbours(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t hop = 1; hop < n; hop *= 2) {
      in[static_cast<std::size_t>(i)].push_back((i + hop) % n);
    }
  }
  Graph graph = graph_from(std::move(in));
  for (const auto& row : graph.in) {
    const double weight = 1.0 / (static_cast<double>(row.size()) + 1.0);
    graph.given.emplace_back(row.size(), weight);
    graph.given_self.push_back(weight);
  }
  return graph;
}

}  // namespace

GraphRow complete_row() {
  return {make_kind<PlainGraphOptions>("complete", "Every agent reads every other",
                                       "W = J with metropolis weights"),
          make_complete};
}

GraphRow star_row() {
  return {make_kind<PlainGraphOptions>("star", "Agent 0 reads all others, they read agent 0",
                                       "the worst case of degree"),
          make_star};
}

GraphRow binary_tree_row() {
  return {make_kind<PlainGraphOptions>("binary-tree", "Agent i > 0 is joined to (i - 1) / 2",
                                       "complete binary tree"),
          make_binary_tree};
}

GraphRow exponential_row() {
  return {make_kind<PlainGraphOptions>("exponential",
                                       "Agent i reads i + 1, 2, 4, ... (mod M); its own weights",
                                       "Ying et al. 2021, arXiv 2110.13363"),
          make_exponential};
}

}  // namespace parley
