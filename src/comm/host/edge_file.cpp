// SPDX-License-Identifier: BSD-3-Clause
// The edge list parser.
#include "comm/host/edge_file.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <utility>

#include "comm/host/text_lines.hpp"
#include "core/check.hpp"

namespace parley {

namespace {

struct Edge {
  std::int64_t i = 0, j = 0;
  std::optional<double> weight;
};

/// An edge's ends as a key: `j reads i`, either way round where edges have no direction.
using Ends = std::pair<std::int64_t, std::int64_t>;
using Edges = std::map<Ends, Edge>;

Ends ends_of(std::int64_t i, std::int64_t j, bool directed) {
  return directed ? Ends(i, j) : Ends(std::minmax(i, j));
}

std::int64_t agent_of(const std::string& word, std::int64_t n, const std::string& place) {
  const auto agent = number_of<std::int64_t>(word);
  if (!agent) fail_user("{}: \"{}\" is not an agent; write `i j` or `i j weight`", place, word);
  if (*agent < 0 || *agent >= n) {
    fail_user("{}: agent {} is out of range; run.agents = {} allows 0 to {}", place, *agent, n,
              n - 1);
  }
  return *agent;
}

/// One line; nothing when it is blank or a comment.
std::optional<Edge> parse_line(const std::string& line, std::int64_t n, const std::string& place) {
  const std::vector<std::string> words = words_of(line);
  if (words.empty()) return std::nullopt;
  if (words.size() < 2 || words.size() > 3) {
    fail_user("{}: {} words; an edge is `i j` or `i j weight`", place, words.size());
  }
  Edge edge{agent_of(words[0], n, place), agent_of(words[1], n, place), std::nullopt};
  if (edge.i == edge.j) {
    fail_user(
        "{}: agent {} with itself is not an edge; its own weight is 1 less the sum of its "
        "edges",
        place, edge.i);
  }
  if (words.size() == 3) {
    edge.weight = number_of<double>(words[2]);
    if (!edge.weight || !(*edge.weight > 0 && *edge.weight <= 1)) {
      fail_user("{}: \"{}\" is not a weight above 0 and at most 1", place, words[2]);
    }
  }
  return edge;
}

/// Fills graph.given from the edges' weights.
void give_weights(Graph& graph, const Edges& edges, const std::string& file) {
  for (std::int64_t i = 0; i < graph.agents; ++i) {
    std::vector<double> row;
    double sum = 0;
    for (const std::int64_t j : graph.in[static_cast<std::size_t>(i)]) {
      row.push_back(edges.at(ends_of(j, i, graph.directed)).weight.value());
      sum += row.back();
    }
    if (sum > 1 + 1e-12) {
      fail_user("{}: the weights of agent {}'s edges sum to {}; they may not exceed 1", file, i,
                sum);
    }
    graph.given.push_back(std::move(row));
    graph.given_self.push_back(std::max(0.0, 1 - sum));
  }
}

}  // namespace

Graph read_edge_file(const std::string& file, std::int64_t n, bool directed,
                     const std::string& where) {
  std::ifstream stream(file);
  if (!stream) fail_user("{}: cannot open the edge list \"{}\"", where, file);
  Edges edges;
  std::map<Ends, int> lines;
  int count = 0;
  for (std::string line; std::getline(stream, line);) {
    const std::string place = fmt::format("{}:{}", file, ++count);
    const auto edge = parse_line(line, n, place);
    if (!edge) continue;
    const Ends key = ends_of(edge->i, edge->j, directed);
    if (!edges.empty() && edges.begin()->second.weight.has_value() != edge->weight.has_value()) {
      fail_user("{}: either every edge has a weight or none has", place);
    }
    if (!edges.emplace(key, *edge).second) {
      fail_user("{}: edge {} {} was given before, in line {}; edges are {}given once", place,
                edge->i, edge->j, lines.at(key), directed ? "" : "undirected and ");
    }
    lines.emplace(key, count);
  }
  if (stream.bad()) fail_user("{}: cannot read the edge list \"{}\" to its end", where, file);

  Graph graph;
  graph.agents = n;
  graph.directed = directed;
  graph.in.resize(static_cast<std::size_t>(n));
  for (const auto& [ends, edge] : edges) {
    graph.in[static_cast<std::size_t>(ends.second)].push_back(ends.first);
    if (!directed) graph.in[static_cast<std::size_t>(ends.first)].push_back(ends.second);
  }
  for (auto& row : graph.in) std::sort(row.begin(), row.end());
  if (!edges.empty() && edges.begin()->second.weight) give_weights(graph, edges, file);
  return graph;
}

}  // namespace parley
