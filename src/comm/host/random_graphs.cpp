// SPDX-License-Identifier: BSD-3-Clause
// Random graphs as functions of a seed, the same on all ranks and machines: random regular,
// Erdos-Renyi, Watts-Strogatz. All of them are connected, and none loops without a bound.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "comm/host/topologies.hpp"
#include "core/check.hpp"
#include "core/shuffle.hpp"

namespace parley {

namespace {

constexpr std::uint64_t most_attempts = 100;

void describe_seed(Fields& fields, std::int64_t& seed) {
  fields.key("seed", seed, {.sentence = "Seed of the random graph.", .min = 0});
}

struct RegularOptions {
  std::int64_t degree = 3;
  std::int64_t seed = 1;
};

void describe(Fields& fields, RegularOptions& options) {
  fields.key("degree", options.degree,
             {.sentence = "Neighbours of each agent; degree x run.agents is even.", .min = 1});
  describe_seed(fields, options.seed);
}

struct ErdosRenyiOptions {
  double p = 0.5;
  std::int64_t seed = 1;
};

void describe(Fields& fields, ErdosRenyiOptions& options) {
  fields.key("p", options.p,
             {.sentence = "Probability of each edge.", .min = 0, .max = 1, .min_excluded = true});
  describe_seed(fields, options.seed);
}

struct WattsStrogatzOptions {
  std::int64_t k = 4;
  double p = 0.1;
  std::int64_t seed = 1;
};

void describe(Fields& fields, WattsStrogatzOptions& options) {
  fields.key(
      "k", options.k,
      {.sentence = "Nearest neighbours on the ring that an agent starts with; even.", .min = 2});
  fields.key("p", options.p,
             {.sentence = "Probability that an edge is moved elsewhere.", .min = 0, .max = 1});
  describe_seed(fields, options.seed);
}

using Sets = std::vector<std::set<std::int64_t>>;
using Edge = std::array<std::int64_t, 2>;

std::set<std::int64_t>& of(Sets& sets, std::int64_t i) {
  return sets[static_cast<std::size_t>(i)];
}

void link(Sets& sets, std::int64_t i, std::int64_t j) {
  of(sets, i).insert(j);
  of(sets, j).insert(i);
}

void unlink(Sets& sets, std::int64_t i, std::int64_t j) {
  of(sets, i).erase(j);
  of(sets, j).erase(i);
}

Neighbours lists(const Sets& sets) {
  Neighbours in;
  for (const auto& set : sets) in.emplace_back(set.begin(), set.end());
  return in;
}

/// The agents of a ring in random order.
Neighbours random_ring(std::int64_t n, std::int64_t seed) {
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i < n; ++i) order.push_back(i);
  shuffle(order, graph_random(seed, GraphDraw::swaps, 0));
  Neighbours in = no_neighbours(n);
  for (std::size_t i = 0; i < order.size(); ++i) join(in, order[i], order[(i + 1) % order.size()]);
  return in;
}

/// Exchanges the ends of two edges where that gives two other edges.
void swap_ends(Sets& sets, Edge& one, Edge& two, bool crosswise) {
  const auto [a, b] = one;
  const auto [c, d] = crosswise ? Edge{two[1], two[0]} : two;
  if (a == c || a == d || b == c || b == d) return;
  if (of(sets, a).contains(d) || of(sets, c).contains(b)) return;
  unlink(sets, a, b);
  unlink(sets, c, d);
  link(sets, a, d);
  link(sets, c, b);
  one = {a, d};
  two = {c, b};
}

/// From a circulant graph of the degree by random swaps of edge ends (Taylor 1981: they reach every
/// graph of the degrees). After each pass of swaps a graph that fell apart is given up for the last
/// connected one. Degree 2, where swaps nearly always cut, is a random ring: there is no other.
Graph make_random_regular(const Choice& choice, std::int64_t n, const std::string& where) {
  const auto& options = choice.as<RegularOptions>();
  const std::int64_t degree = options.degree;
  if (degree >= n || degree * n % 2 != 0 || (degree == 1 && n != 2)) {
    fail_user(
        "{}: no connected graph on run.agents = {} agents has graph.degree = {}; the degree must "
        "be at least 2 (1 for two agents), below the agents, and degree x agents even",
        where, n, degree);
  }
  if (degree == 2) return graph_from(random_ring(n, options.seed));
  Sets sets(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t hop = 1; hop <= degree / 2; ++hop) link(sets, i, (i + hop) % n);
    if (degree % 2 != 0) link(sets, i, (i + n / 2) % n);
  }
  std::vector<Edge> edges;
  for (std::int64_t i = 0; i < n; ++i) {
    for (const std::int64_t j : of(sets, i)) {
      if (i < j) edges.push_back({i, j});
    }
  }
  const auto count = static_cast<std::int64_t>(edges.size());
  constexpr std::uint64_t passes = 10;
  for (std::uint64_t pass = 0; pass < passes; ++pass) {
    const Philox random = graph_random(options.seed, GraphDraw::swaps, pass);
    const auto sets_before = sets;
    const auto edges_before = edges;
    for (std::uint64_t s = 0; s < 2 * edges.size(); ++s) {
      const auto one = static_cast<std::size_t>(random.below(3 * s, count));
      const auto two = static_cast<std::size_t>(random.below(3 * s + 1, count));
      swap_ends(sets, edges[one], edges[two], random.below(3 * s + 2, 2) == 1);
    }
    if (connected(lists(sets))) continue;
    sets = sets_before;
    edges = edges_before;
  }
  return graph_from(lists(sets));
}

Graph make_erdos_renyi(const Choice& choice, std::int64_t n, const std::string& where) {
  const auto& options = choice.as<ErdosRenyiOptions>();
  for (std::uint64_t attempt = 0; attempt < most_attempts; ++attempt) {
    const Philox random = graph_random(options.seed, GraphDraw::edges, attempt);
    Neighbours in = no_neighbours(n);
    std::uint64_t pair = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = i + 1; j < n; ++j) {
        if (random.uniform(pair++) < options.p) join(in, i, j);
      }
    }
    if (connected(in)) return graph_from(std::move(in));
  }
  const auto agents = static_cast<double>(n);
  fail_user(
      "{}: none of {} random graphs with graph.p = {} on {} agents is connected; they commonly are "
      "for p above ln(M)/M = {:.3g}: raise graph.p",
      where, most_attempts, options.p, n, std::log(agents) / agents);
}

/// One small world: each lattice edge (i, i + hop) is kept or its far end drawn among all agents
/// that are no neighbours of i.
Neighbours rewired(const WattsStrogatzOptions& options, std::int64_t n, std::uint64_t attempt) {
  const Philox random = graph_random(options.seed, GraphDraw::rewiring, attempt);
  Sets sets(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t hop = 1; hop <= options.k / 2; ++hop) link(sets, i, (i + hop) % n);
  }
  std::uint64_t draw = 0;
  for (std::int64_t hop = 1; hop <= options.k / 2; ++hop) {
    for (std::int64_t i = 0; i < n; ++i, draw += 2) {
      std::vector<std::int64_t> free;
      for (std::int64_t j = 0; j < n; ++j) {
        if (j != i && !of(sets, i).contains(j)) free.push_back(j);
      }
      if (free.empty() || !(random.uniform(draw) < options.p)) continue;
      const std::int64_t to = random.below(draw + 1, static_cast<std::int64_t>(free.size()));
      unlink(sets, i, (i + hop) % n);
      link(sets, i, free[static_cast<std::size_t>(to)]);
    }
  }
  return lists(sets);
}

Graph make_watts_strogatz(const Choice& choice, std::int64_t n, const std::string& where) {
  const auto& options = choice.as<WattsStrogatzOptions>();
  if (options.k % 2 != 0 || options.k >= n) {
    fail_user("{}: graph.k = {} must be even and below run.agents = {}", where, options.k, n);
  }
  for (std::uint64_t attempt = 0; attempt < most_attempts; ++attempt) {
    Neighbours in = rewired(options, n, attempt);
    if (connected(in)) return graph_from(std::move(in));
  }
  fail_user(
      "{}: none of {} small worlds with graph.k = {} and graph.p = {} on {} agents is connected; "
      "raise graph.k or lower graph.p",
      where, most_attempts, options.k, options.p, n);
}

}  // namespace

GraphRow random_regular_row() {
  return {make_kind<RegularOptions>("random-regular", "Random among graphs of one degree",
                                    "edge swaps: Taylor 1981"),
          make_random_regular};
}

GraphRow erdos_renyi_row() {
  return {make_kind<ErdosRenyiOptions>("erdos-renyi", "Each pair is joined with probability p",
                                       "Gilbert 1959"),
          make_erdos_renyi};
}

GraphRow watts_strogatz_row() {
  return {make_kind<WattsStrogatzOptions>("watts-strogatz",
                                          "A ring of k neighbours some of whose edges are moved",
                                          "Watts and Strogatz 1998"),
          make_watts_strogatz};
}

}  // namespace parley
