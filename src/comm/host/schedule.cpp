// SPDX-License-Identifier: BSD-3-Clause
// Edge colouring and matchings.
#include "comm/host/schedule.hpp"

#include <algorithm>

#include "comm/host/topologies.hpp"
#include "core/check.hpp"
#include "core/shuffle.hpp"

namespace parley {

namespace {

constexpr std::int64_t none = -1;

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// True when the agents fall into two sides without edges inside a side.
bool is_bipartite(const Graph& graph) {
  std::vector<std::int64_t> side(graph.in.size(), none);
  for (std::int64_t start = 0; start < graph.agents; ++start) {
    if (side[at(start)] != none) continue;
    side[at(start)] = 0;
    std::vector<std::int64_t> open = {start};
    while (!open.empty()) {
      const std::int64_t i = open.back();
      open.pop_back();
      for (const std::int64_t j : graph.in[at(i)]) {
        if (side[at(j)] == side[at(i)]) return false;
        if (side[at(j)] != none) continue;
        side[at(j)] = 1 - side[at(i)];
        open.push_back(j);
      }
    }
  }
  return true;
}

/// A partial edge colouring: per agent and colour the neighbour whose edge has it.
class Colouring {
 public:
  explicit Colouring(const Graph& graph) : bipartite_(is_bipartite(graph)) {
    std::size_t degree = 0;
    for (const auto& row : graph.in) degree = std::max(degree, row.size());
    colors_ = static_cast<std::int64_t>(degree) + (bipartite_ ? 0 : 1);
    peer_.assign(graph.in.size(), std::vector<std::int64_t>(at(colors_), none));
  }

  std::int64_t colors() const { return colors_; }
  /// Colours one more edge.
  void add(std::int64_t u, std::int64_t v) {
    bipartite_ ? add_between_sides(u, v) : add_by_fan(u, v);
  }

  std::int64_t peer(std::int64_t u, std::int64_t color) const { return peer_[at(u)][at(color)]; }

 private:
  bool is_free(std::int64_t u, std::int64_t color) const { return peer(u, color) == none; }
  std::int64_t free_color(std::int64_t u) const {
    const auto& row = peer_[at(u)];
    return std::find(row.begin(), row.end(), none) - row.begin();
  }
  std::int64_t color_of(std::int64_t u, std::int64_t v) const {
    const auto& row = peer_[at(u)];
    const auto found = std::find(row.begin(), row.end(), v);
    return found == row.end() ? none : found - row.begin();
  }
  void paint(std::int64_t u, std::int64_t v, std::int64_t color) {
    peer_[at(u)][at(color)] = v;
    peer_[at(v)][at(color)] = u;
  }
  void clear(std::int64_t u, std::int64_t v) {
    const std::int64_t color = color_of(u, v);
    if (color == none) return;
    peer_[at(u)][at(color)] = none;
    peer_[at(v)][at(color)] = none;
  }

  /// The longest fan: neighbours of u, v first, the colour of each one's edge free on the one
  /// before.
  std::vector<std::int64_t> fan(std::int64_t u, std::int64_t v) const {
    std::vector<std::int64_t> out = {v};
    for (bool grown = true; grown;) {
      grown = false;
      for (std::int64_t color = 0; color < colors_ && !grown; ++color) {
        const std::int64_t w = peer(u, color);
        if (w == none || !is_free(out.back(), color)) continue;
        if (std::find(out.begin(), out.end(), w) != out.end()) continue;
        out.push_back(w);
        grown = true;
      }
    }
    return out;
  }

  /// Exchanges two colours along the path from u that begins with the second; u lacks the first.
  void invert_path(std::int64_t u, std::int64_t first, std::int64_t second) {
    std::vector<std::int64_t> path = {u};
    std::int64_t color = second;
    for (std::int64_t w = peer(u, color); w != none; w = peer(path.back(), color)) {
      path.push_back(w);
      color = color == second ? first : second;
    }
    for (std::size_t n = 1; n < path.size(); ++n) clear(path[n - 1], path[n]);
    color = first;
    for (std::size_t n = 1; n < path.size(); ++n) {
      paint(path[n - 1], path[n], color);
      color = color == second ? first : second;
    }
  }

  /// Koenig 1916: the path from v never comes to u, which would close an odd cycle.
  void add_between_sides(std::int64_t u, std::int64_t v) {
    const std::int64_t c = free_color(u);
    invert_path(v, free_color(v), c);
    paint(u, v, c);
  }

  /// Misra and Gries 1992.
  void add_by_fan(std::int64_t u, std::int64_t v) {
    std::vector<std::int64_t> leaves = fan(u, v);
    const std::int64_t c = free_color(u), d = free_color(leaves.back());
    invert_path(u, c, d);
    // The inverted path may have cut the fan short: up to the first leaf that lacks d it is one.
    std::size_t last = 0;
    while (!is_free(leaves[last], d)) {
      ensure(last + 1 < leaves.size(), "Colouring: a fan ends in a leaf without the colour");
      ++last;
    }
    for (std::size_t n = 0; n < last; ++n) {
      const std::int64_t color = color_of(u, leaves[n + 1]);
      clear(u, leaves[n + 1]);
      paint(u, leaves[n], color);
    }
    paint(u, leaves[last], d);
  }

  bool bipartite_;
  std::int64_t colors_ = 1;
  std::vector<std::vector<std::int64_t>> peer_;
};

Matching edges_of(const Graph& graph) {
  ensure(!graph.directed, "schedule: matchings are of undirected graphs");
  Matching edges;
  for (std::int64_t i = 0; i < graph.agents; ++i) {
    for (const std::int64_t j : graph.in[at(i)]) {
      if (i < j) edges.emplace_back(i, j);
    }
  }
  return edges;
}

}  // namespace

std::vector<Matching> color_edges(const Graph& graph) {
  Colouring colouring(graph);
  for (const auto& [i, j] : edges_of(graph)) colouring.add(i, j);
  std::vector<Matching> classes;
  for (std::int64_t color = 0; color < colouring.colors(); ++color) {
    Matching edges;
    for (std::int64_t i = 0; i < graph.agents; ++i) {
      if (i < colouring.peer(i, color)) edges.emplace_back(i, colouring.peer(i, color));
    }
    if (!edges.empty()) classes.push_back(std::move(edges));
  }
  return classes;
}

Matching random_matching(const Graph& graph, std::int64_t seed, std::int64_t round) {
  const Matching edges = edges_of(graph);
  std::vector<std::int64_t> order;
  for (std::size_t e = 0; e < edges.size(); ++e) order.push_back(static_cast<std::int64_t>(e));
  shuffle(order, graph_random(seed, GraphDraw::matching, static_cast<std::uint64_t>(round)));
  std::vector<bool> taken(graph.in.size(), false);
  Matching matching;
  for (const std::int64_t e : order) {
    const auto [i, j] = edges[at(e)];
    if (taken[at(i)] || taken[at(j)]) continue;
    taken[at(i)] = taken[at(j)] = true;
    matching.emplace_back(i, j);
  }
  return matching;
}

Weights pair_weights(std::int64_t agents, const Matching& matching, bool lazy) {
  Weights weights;
  for (std::int64_t i = 0; i < agents; ++i) weights.rows.push_back({{i}, {1.0}});
  for (const auto& [i, j] : matching) {
    weights.rows[at(i)] = weights.rows[at(j)] = {{i, j}, {0.5, 0.5}};
  }
  if (lazy) make_lazy(weights);
  return weights;
}

Mixing round_robin(const Graph& graph, bool lazy) {
  std::vector<Weights> period;
  for (const Matching& matching : color_edges(graph)) {
    period.push_back(pair_weights(graph.agents, matching, lazy));
  }
  if (period.empty()) period.push_back(pair_weights(graph.agents, {}, lazy));
  return Mixing(std::move(period));
}

Mixing random_matchings(const Graph& graph, std::int64_t seed, bool lazy) {
  return Mixing(
      [graph, seed, lazy](std::int64_t round) {
        return pair_weights(graph.agents, random_matching(graph, seed, round), lazy);
      },
      true);
}

}  // namespace parley
