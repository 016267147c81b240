// SPDX-License-Identifier: BSD-3-Clause
// The registry of topologies, the check that every agent can be reached, and what the lists of
// neighbours tell. No MPI, no Kokkos.
#include "comm/host/graph.hpp"

#include <algorithm>
#include <array>

#include "comm/host/topologies.hpp"
#include "core/check.hpp"

namespace parley {

namespace {

constexpr std::int64_t unreached = -1;

/// Steps from `start` to each agent along the given lists, or unreached.
std::vector<std::int64_t> distances(const Neighbours& next, std::int64_t start) {
  std::vector<std::int64_t> steps(next.size(), unreached);
  std::vector<std::int64_t> queue = {start};
  steps[static_cast<std::size_t>(start)] = 0;
  for (std::size_t done = 0; done < queue.size(); ++done) {
    const auto i = static_cast<std::size_t>(queue[done]);
    for (const std::int64_t j : next[i]) {
      if (steps[static_cast<std::size_t>(j)] != unreached) continue;
      steps[static_cast<std::size_t>(j)] = steps[i] + 1;
      queue.push_back(j);
    }
  }
  return steps;
}

Neighbours reversed(const Neighbours& in) {
  Neighbours out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    for (const std::int64_t j : in[i]) {
      out[static_cast<std::size_t>(j)].push_back(static_cast<std::int64_t>(i));
    }
  }
  return out;
}

/// Strongly connected: agent 0 reaches all, and all reach agent 0.
void check_connected(const Graph& graph, bool varies, const std::string& where) {
  for (const Neighbours& next : {graph.in, reversed(graph.in)}) {
    const std::vector<std::int64_t> steps = distances(next, 0);
    const auto lost = std::find(steps.begin(), steps.end(), unreached);
    if (lost == steps.end()) continue;
    fail_user(
        "{}: the {} not connected: no path joins agents 0 and {} ({} of {} agents are reached from "
        "agent 0), so they would never agree; add edges between the parts",
        where, varies ? "graphs of all rounds together are" : "graph is", lost - steps.begin(),
        std::count_if(steps.begin(), steps.end(), [](auto each) { return each != unreached; }),
        steps.size());
  }
}

}  // namespace

void describe(Fields&, PlainGraphOptions&) {}

Neighbours no_neighbours(std::int64_t n) {
  return Neighbours(static_cast<std::size_t>(n));
}

void join(Neighbours& in, std::int64_t i, std::int64_t j) {
  in[static_cast<std::size_t>(i)].push_back(j);
  in[static_cast<std::size_t>(j)].push_back(i);
}

Graph graph_from(Neighbours in) {
  Graph graph;
  graph.agents = static_cast<std::int64_t>(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    auto& row = in[i];
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    row.erase(std::remove(row.begin(), row.end(), static_cast<std::int64_t>(i)), row.end());
  }
  graph.directed = reversed(in) != in;
  graph.in = std::move(in);
  return graph;
}

bool connected(const Neighbours& in) {
  const auto reaches_all = [](const Neighbours& next) {
    const auto steps = distances(next, 0);
    return std::find(steps.begin(), steps.end(), unreached) == steps.end();
  };
  return reaches_all(in) && reaches_all(reversed(in));
}

std::span<const GraphRow> graph_registry() {
  static const std::array rows{ring_row(),
                               path_row(),
                               grid_row(),
                               torus_row(),
                               ladder_row(),
                               hypercube_row(),
                               complete_row(),
                               star_row(),
                               binary_tree_row(),
                               exponential_row(),
                               random_regular_row(),
                               erdos_renyi_row(),
                               watts_strogatz_row(),
                               file_row(),
                               files_row(),
                               one_peer_exponential_row(),
                               random_permutation_row()};
  return rows;
}

std::span<const Kind> graph_kinds() {
  static const std::vector<Kind> kinds = [] {
    std::vector<Kind> out;
    for (const GraphRow& row : graph_registry()) out.push_back(row.kind);
    return out;
  }();
  return kinds;
}

const GraphRow& find_graph(std::string_view kind) {
  const auto rows = graph_registry();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const GraphRow& other) { return other.kind.name == kind; });
  ensure(row != rows.end(), "find_graph: the kind comes from graph_kinds()");
  return *row;
}

Graph make_graph(const Choice& choice, std::int64_t n, const std::string& where) {
  ensure(n >= 1, "make_graph: at least one agent");
  const GraphRow& row = find_graph(choice.kind);
  Graph graph = row.make(choice, n, where);
  check_connected(graph, row.vary != nullptr, where);
  return graph;
}

std::vector<std::int64_t> edge_list(const Graph& graph) {
  std::vector<std::int64_t> edges;
  for (std::int64_t i = 0; i < graph.agents; ++i) {
    for (const std::int64_t j : graph.in[static_cast<std::size_t>(i)]) {
      if (graph.directed) {
        edges.insert(edges.end(), {j, i});
      } else if (i < j) {
        edges.insert(edges.end(), {i, j});
      }
    }
  }
  return edges;
}

std::int64_t diameter(const Graph& graph) {
  std::int64_t longest = 0;
  for (std::int64_t i = 0; i < graph.agents; ++i) {
    const auto steps = distances(graph.in, i);
    longest = std::max(longest, *std::max_element(steps.begin(), steps.end()));
  }
  return longest;
}

}  // namespace parley
