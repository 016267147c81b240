// SPDX-License-Identifier: BSD-3-Clause
// The topologies and the check that every agent can be reached. No MPI, no Kokkos.
#include "comm/host/graph.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "comm/host/edge_file.hpp"
#include "core/check.hpp"

namespace parley {

namespace {

using Neighbours = std::vector<std::vector<std::int64_t>>;

struct PlainOptions {};
void describe(Fields&, PlainOptions&) {}

struct TorusOptions {
  std::optional<std::int64_t> rows, columns;
};

void describe(Fields& fields, TorusOptions& options) {
  About about{"Rows of the torus; absent: the divisor of run.agents that makes it most square."};
  about.min = 1;
  fields.key("rows", options.rows, about);
  about.sentence = "Columns of the torus; absent: run.agents / rows.";
  fields.key("columns", options.columns, about);
}

struct FileOptions {
  std::string file;
};

void describe(Fields& fields, FileOptions& options) {
  About about{"Edge list: lines `i j` or `i j weight`, agents from 0, # starts a comment."};
  about.required = true;
  fields.key("file", options.file, about);
}

/// Sorts and drops repetitions and i itself: with one or two agents along a direction both ways
/// round lead to the same neighbour, which counts once.
Graph from_neighbours(Neighbours in, bool directed) {
  Graph graph;
  graph.agents = static_cast<std::int64_t>(in.size());
  graph.directed = directed;
  for (std::size_t i = 0; i < in.size(); ++i) {
    auto& row = in[i];
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    row.erase(std::remove(row.begin(), row.end(), static_cast<std::int64_t>(i)), row.end());
  }
  graph.in = std::move(in);
  return graph;
}

Neighbours empty_rows(std::int64_t n) {
  return Neighbours(static_cast<std::size_t>(n));
}

Graph make_ring(const Choice&, std::int64_t n, const std::string&) {
  Neighbours in = empty_rows(n);
  for (std::int64_t i = 0; i < n; ++i) {
    in[static_cast<std::size_t>(i)] = {(i + n - 1) % n, (i + 1) % n};
  }
  return from_neighbours(std::move(in), false);
}

std::int64_t most_square_rows(std::int64_t n) {
  std::int64_t rows = 1;
  for (std::int64_t r = 1; r * r <= n; ++r) {
    if (n % r == 0) rows = r;
  }
  return rows;
}

Graph make_torus(const Choice& choice, std::int64_t n, const std::string& where) {
  const auto& options = choice.as<TorusOptions>();
  const std::int64_t rows =
      options.rows.value_or(options.columns ? n / *options.columns : most_square_rows(n));
  const std::int64_t columns = options.columns.value_or(rows > 0 ? n / rows : 0);
  if (rows * columns != n) {
    fail_user(
        "{}: a torus of {} x {} agents does not hold the {} agents of run.agents; rows x "
        "columns must equal them",
        where, rows, columns, n);
  }
  Neighbours in = empty_rows(n);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      in[static_cast<std::size_t>(r * columns + c)] = {
          r * columns + (c + 1) % columns, r * columns + (c + columns - 1) % columns,
          (r + 1) % rows * columns + c, (r + rows - 1) % rows * columns + c};
    }
  }
  return from_neighbours(std::move(in), false);
}

Graph make_complete(const Choice&, std::int64_t n, const std::string&) {
  Neighbours in = empty_rows(n);
  for (auto& row : in) {
    for (std::int64_t j = 0; j < n; ++j) row.push_back(j);
  }
  return from_neighbours(std::move(in), false);
}

Graph make_star(const Choice&, std::int64_t n, const std::string&) {
  Neighbours in = empty_rows(n);
  for (std::int64_t i = 1; i < n; ++i) {
    in[0].push_back(i);
    in[static_cast<std::size_t>(i)].push_back(0);
  }
  return from_neighbours(std::move(in), false);
}

/// Agent i reads i + 2^j mod n, j < ceil(log2 n), all weights alike (Ying et al., NeurIPS 2021,
/// arXiv 2110.13363). Circulant, hence doubly stochastic; directed from 4 agents on.
Graph make_exponential(const Choice&, std::int64_t n, const std::string&) {
  Neighbours in = empty_rows(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t hop = 1; hop < n; hop *= 2) {
      in[static_cast<std::size_t>(i)].push_back((i + hop) % n);
    }
  }
  Graph graph = from_neighbours(std::move(in), n >= 4);
  for (const auto& row : graph.in) {
    const double weight = 1.0 / (static_cast<double>(row.size()) + 1.0);
    graph.given.emplace_back(row.size(), weight);
    graph.given_self.push_back(weight);
  }
  return graph;
}

Graph make_from_file(const Choice& choice, std::int64_t n, const std::string& where) {
  return read_edge_file(choice.as<FileOptions>().file, n, where);
}

constexpr std::array graph_rows = {
    GraphRow{make_kind<PlainOptions>("ring", "Each agent reads the one before and the one after",
                                     "Liu et al. 2020, section 5"),
             make_ring},
    GraphRow{make_kind<TorusOptions>("torus", "A grid whose rows and columns close; 4 neighbours",
                                     "product of two rings"),
             make_torus},
    GraphRow{make_kind<PlainOptions>("complete", "Every agent reads every other",
                                     "W = J with metropolis weights"),
             make_complete},
    GraphRow{make_kind<PlainOptions>("star", "Agent 0 reads all others, they read agent 0",
                                     "the worst case of degree"),
             make_star},
    GraphRow{make_kind<PlainOptions>("exponential",
                                     "Agent i reads i + 1, 2, 4, ... (mod M); its own weights",
                                     "Ying et al. 2021, arXiv 2110.13363"),
             make_exponential},
    GraphRow{make_kind<FileOptions>("file",
                                    "Undirected edges, with or without weights, from a "
                                    "text file",
                                    "the user's own"),
             make_from_file}};

constexpr auto kinds = [] {
  std::array<Kind, graph_rows.size()> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = graph_rows[i].kind;
  return out;
}();

/// Agents that `start` reaches along the given lists.
std::vector<bool> reached_from_zero(const Neighbours& next) {
  std::vector<bool> seen(next.size(), false);
  std::vector<std::int64_t> open = {0};
  seen[0] = true;
  while (!open.empty()) {
    const std::int64_t i = open.back();
    open.pop_back();
    for (const std::int64_t j : next[static_cast<std::size_t>(i)]) {
      if (seen[static_cast<std::size_t>(j)]) continue;
      seen[static_cast<std::size_t>(j)] = true;
      open.push_back(j);
    }
  }
  return seen;
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
void check_connected(const Graph& graph, const std::string& where) {
  for (const Neighbours& next : {graph.in, reversed(graph.in)}) {
    const std::vector<bool> seen = reached_from_zero(next);
    const auto lost = std::find(seen.begin(), seen.end(), false);
    if (lost == seen.end()) continue;
    fail_user(
        "{}: the graph is not connected: no path joins agents 0 and {} ({} of {} agents are "
        "reached from agent 0), so they would never agree; add edges between the parts",
        where, lost - seen.begin(), std::count(seen.begin(), seen.end(), true), seen.size());
  }
}

}  // namespace

std::span<const GraphRow> graph_registry() {
  return graph_rows;
}

std::span<const Kind> graph_kinds() {
  return kinds;
}

Graph make_graph(const Choice& choice, std::int64_t n, const std::string& where) {
  ensure(n >= 1, "make_graph: at least one agent");
  const auto row = std::find_if(graph_rows.begin(), graph_rows.end(), [&](const GraphRow& other) {
    return other.kind.name == choice.kind;
  });
  ensure(row != graph_rows.end(), "make_graph: the kind comes from graph_kinds()");
  Graph graph = row->make(choice, n, where);
  check_connected(graph, where);
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

}  // namespace parley
