// SPDX-License-Identifier: BSD-3-Clause
// Lattices, trees and random graphs by their definitions; adjacency and directed files; diameters.
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "comm/graph_choices.hpp"
#include "core/check.hpp"

namespace parley::test {
namespace {

using Row = std::vector<std::int64_t>;
using Joined = std::function<bool(std::int64_t i, std::int64_t j)>;

/// Every pair against the definition.
void expect_joined(const Graph& graph, const Joined& joined) {
  EXPECT_FALSE(graph.directed);
  for (std::int64_t i = 0; i < graph.agents; ++i) {
    Row expected;
    for (std::int64_t j = 0; j < graph.agents; ++j) {
      if (i != j && joined(i, j)) expected.push_back(j);
    }
    EXPECT_EQ(graph.in[static_cast<std::size_t>(i)], expected) << i << " of " << graph.agents;
  }
}

Graph lattice(std::string_view kind, std::int64_t rows, std::int64_t columns) {
  SetFields fields;
  fields.numbers = {{"rows", rows}, {"columns", columns}};
  return make_graph(graph_choice(kind, fields), rows * columns, "deck.toml:1");
}

std::string mistake(std::string_view kind, std::int64_t n, const SetFields& fields = {}) {
  try {
    make_graph(graph_choice(kind, fields), n, "deck.toml:4");
  } catch (const UserError& error) {
    return error.what();
  }
  return "none";
}

TEST(Topology, lattices) {
  for (const std::int64_t n : {1, 2, 3, 7}) {
    expect_joined(graph_of("path", n), [](auto i, auto j) { return std::abs(i - j) == 1; });
  }
  for (const auto& [rows, columns] : {std::pair{3, 4}, std::pair{1, 5}, std::pair{2, 2}}) {
    expect_joined(lattice("grid", rows, columns), [c = columns](auto i, auto j) {
      return std::abs(i / c - j / c) + std::abs(i % c - j % c) == 1;
    });
  }
  for (const std::int64_t n : {2, 4, 10}) {
    expect_joined(graph_of("ladder", n), [h = n / 2](auto i, auto j) {
      return i % h == j % h || (i / h == j / h && std::abs(i - j) == 1);
    });
  }
  for (const std::int64_t n : {1, 2, 4, 16}) {
    expect_joined(graph_of("hypercube", n), [](auto i, auto j) {
      return std::popcount(static_cast<std::uint64_t>(i ^ j)) == 1;
    });
  }
  for (const std::int64_t n : {1, 2, 3, 12}) {
    expect_joined(graph_of("binary-tree", n), [](auto i, auto j) {
      return (i > 0 && (i - 1) / 2 == j) || (j > 0 && (j - 1) / 2 == i);
    });
  }
}

TEST(Topology, sizes_that_do_not_fit_are_refused) {
  EXPECT_NE(mistake("hypercube", 12).find("12 is no power of two"), std::string::npos);
  EXPECT_NE(mistake("ladder", 7).find("run.agents = 7 is odd"), std::string::npos);
  SetFields fields;
  fields.numbers = {{"rows", 2}, {"columns", 3}};
  EXPECT_NE(mistake("grid", 7, fields).find("a grid of 2 x 3"), std::string::npos);
}

TEST(Topology, diameters_have_closed_forms) {
  EXPECT_EQ(diameter(graph_of("ring", 9)), 4);
  EXPECT_EQ(diameter(graph_of("path", 9)), 8);
  EXPECT_EQ(diameter(lattice("grid", 3, 5)), 6);
  EXPECT_EQ(diameter(lattice("torus", 4, 6)), 5);
  EXPECT_EQ(diameter(graph_of("hypercube", 32)), 5);
  EXPECT_EQ(diameter(graph_of("star", 6)), 2);
  EXPECT_EQ(diameter(graph_of("complete", 6)), 1);
  EXPECT_EQ(diameter(graph_of("binary-tree", 15)), 6);
  EXPECT_EQ(diameter(graph_of("ring", 1)), 0);
  EXPECT_EQ(diameter(graph_of("exponential", 16)), 4);
}

Graph regular(std::int64_t n, std::int64_t degree, std::int64_t seed) {
  SetFields fields;
  fields.numbers = {{"degree", degree}, {"seed", seed}};
  return make_graph(graph_choice("random-regular", fields), n, "deck.toml:1");
}

TEST(Topology, random_regular_has_its_degree_and_follows_its_seed) {
  for (const auto& [n, degree] :
       {std::pair{2, 1}, std::pair{3, 2}, std::pair{9, 2}, std::pair{6, 3}, std::pair{20, 3},
        std::pair{15, 4}, std::pair{8, 7}, std::pair{100, 5}}) {
    for (const std::int64_t seed : {1, 2, 3}) {
      const Graph graph = regular(n, degree, seed);
      EXPECT_FALSE(graph.directed);
      for (const Row& row : graph.in) {
        EXPECT_EQ(static_cast<std::int64_t>(row.size()), degree) << n;
      }
      EXPECT_EQ(graph.in, regular(n, degree, seed).in);
    }
  }
  EXPECT_NE(regular(20, 3, 1).in, regular(20, 3, 2).in);
  EXPECT_NE(regular(20, 2, 1).in, regular(20, 2, 2).in);
  for (const auto& [n, degree] : {std::pair{5, 3}, std::pair{4, 4}, std::pair{4, 1}}) {
    SetFields fields;
    fields.numbers = {{"degree", degree}};
    EXPECT_NE(mistake("random-regular", n, fields).find("graph.degree"), std::string::npos);
  }
}

TEST(Topology, random_regular_forgets_the_circulant_that_it_begins_with) {
  // In a random 3-regular graph on 60 agents an edge of the start (hops 1 and 30) is as likely as
  // any other, 3 / 59: over 40 graphs about 183 of 3600.
  std::int64_t kept = 0;
  for (std::int64_t seed = 1; seed <= 40; ++seed) {
    const Graph graph = regular(60, 3, seed);
    for (std::int64_t i = 0; i < 60; ++i) {
      for (const std::int64_t j : graph.in[static_cast<std::size_t>(i)]) {
        const std::int64_t hop = std::abs(i - j);
        if (i < j && (hop == 1 || hop == 59 || hop == 30)) ++kept;
      }
    }
  }
  EXPECT_GT(kept, 90);
  EXPECT_LT(kept, 300);
}

Graph erdos_renyi(std::int64_t n, double p, std::int64_t seed) {
  SetFields fields;
  fields.reals = {{"p", p}};
  fields.numbers = {{"seed", seed}};
  return make_graph(graph_choice("erdos-renyi", fields), n, "deck.toml:1");
}

TEST(Topology, erdos_renyi_has_edges_at_its_rate_and_is_connected) {
  double edges = 0;
  for (std::int64_t seed = 1; seed <= 100; ++seed) {
    edges += static_cast<double>(edge_list(erdos_renyi(20, 0.4, seed)).size()) / 2;
  }
  // 100 x 190 pairs; four standard deviations.
  EXPECT_NEAR(edges, 7600, 4 * std::sqrt(19000 * 0.4 * 0.6));
  expect_joined(erdos_renyi(9, 1.0, 1), [](auto, auto) { return true; });
  EXPECT_NE(erdos_renyi(20, 0.4, 1).in, erdos_renyi(20, 0.4, 2).in);
  SetFields sparse;
  sparse.reals = {{"p", 0.001}};
  EXPECT_EQ(
      mistake("erdos-renyi", 50, sparse),
      "deck.toml:4: none of 100 random graphs with graph.p = 0.001 on 50 agents is connected; "
      "they commonly are for p above ln(M)/M = 0.0782: raise graph.p");
}

Graph small_world(std::int64_t n, std::int64_t k, double p, std::int64_t seed) {
  SetFields fields;
  fields.reals = {{"p", p}};
  fields.numbers = {{"k", k}, {"seed", seed}};
  return make_graph(graph_choice("watts-strogatz", fields), n, "deck.toml:1");
}

TEST(Topology, watts_strogatz_moves_edges_at_its_rate) {
  const auto near = [](std::int64_t i, std::int64_t j) {
    const std::int64_t hop = std::abs(i - j);
    return std::min(hop, 30 - hop) <= 2;
  };
  expect_joined(small_world(30, 4, 0, 1), near);
  double moved = 0;
  for (std::int64_t seed = 1; seed <= 100; ++seed) {
    const Row ends = edge_list(small_world(30, 4, 0.25, seed));
    ASSERT_EQ(ends.size(), 120U) << "moving keeps the number of edges";
    for (std::size_t e = 0; e < ends.size(); e += 2) moved += near(ends[e], ends[e + 1]) ? 0 : 1;
  }
  // 6000 edges; a few per cent of the moved ones land near again, on places left empty.
  EXPECT_GT(moved, 1500 * 0.9);
  EXPECT_LT(moved, 1500 * 1.08);
  EXPECT_NE(mistake("watts-strogatz", 4).find("graph.k = 4 must be even and below"),
            std::string::npos);
}

/// A file that goes with the test.
class TextFile {
 public:
  explicit TextFile(const std::string& text, const std::string& name = "matrix")
      : name_(::testing::TempDir() + name + "_" + std::to_string(::getpid()) + ".txt") {
    std::ofstream(name_) << text;
  }
  ~TextFile() { std::remove(name_.c_str()); }
  const std::string& name() const { return name_; }
  SetFields fields(std::string_view format, bool directed) const {
    SetFields out;
    out.texts = {{"file", name_}, {"format", std::string(format)}};
    out.flags = {{"directed", directed}};
    return out;
  }
  /// The text of the UserError, with the file's name replaced by FILE.
  std::string mistake(std::int64_t n, std::string_view format, bool directed) const {
    std::string text = test::mistake("file", n, fields(format, directed));
    const auto place = text.find(name_);
    return place == std::string::npos ? text : text.replace(place, name_.size(), "FILE");
  }

 private:
  std::string name_;
};

Graph graph_in(const TextFile& file, std::int64_t n, std::string_view format, bool directed) {
  return make_graph(graph_choice("file", file.fields(format, directed)), n, "deck.toml:4");
}

TEST(AdjacencyFile, reads_a_matrix_of_zeros_and_ones_or_w) {
  const TextFile path("0 1 0 # a path\n1 0 1\n\n0 1 0\n");
  EXPECT_EQ(graph_in(path, 3, "adjacency", false).in, graph_of("path", 3).in);
  const TextFile weights("0.5 0.5 0\n0.5 0.25 0.25\n0 0.25 0.75\n");
  const Graph given = graph_in(weights, 3, "adjacency", false);
  EXPECT_EQ(given.in, graph_of("path", 3).in);
  EXPECT_EQ(given.given, (std::vector<std::vector<double>>{{0.5}, {0.5, 0.25}, {0.25}}));
  EXPECT_EQ(given.given_self, (std::vector<double>{0.5, 0.25, 0.75}));
  const TextFile cycle("0 1 0\n0 0 1\n1 0 0\n");
  const Graph directed = graph_in(cycle, 3, "adjacency", true);
  EXPECT_TRUE(directed.directed);
  EXPECT_EQ(directed.in, (std::vector<Row>{{1}, {2}, {0}}));
}

TEST(AdjacencyFile, says_what_is_wrong_and_where) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"0 1\n1 0\n", "FILE:1: 2 numbers; a row of the matrix has run.agents = 3"},
      {"0 1 0\n1 0 1\n0 x 0\n", "FILE:3: \"x\" is not a number from 0 to 1"},
      {"0 1 0\n1 0 2\n0 2 0\n", "FILE:2: \"2\" is not a number from 0 to 1"},
      {"0 1 0\n1 0 1\n", "FILE: 2 rows; the matrix has run.agents = 3"},
      {"0 1 0\n1 0 1\n0 1 0\n0 0 0\n", "FILE:4: more than the 3 rows"},
      {"1 1 0\n1 0 1\n0 1 0\n", "FILE: agent 0 with itself"},
      {"0 1 0\n0 0 1\n1 0 0\n", "FILE: entries (1, 0) and (0, 1) differ"},
      {"0 1 0\n1 0 0\n0 0 0\n", "deck.toml:4: the graph is not connected"}};
  for (const auto& [text, expected] : cases) {
    const std::string found = TextFile(text).mistake(3, "adjacency", false);
    EXPECT_EQ(found.substr(0, expected.size()), expected) << text;
  }
}

TEST(EdgeFile, directed_edges_go_one_way) {
  const TextFile file("0 1 0.5\n1 2 0.5\n2 0 0.5\n");
  const Graph graph = graph_in(file, 3, "edges", true);
  EXPECT_TRUE(graph.directed);
  EXPECT_EQ(graph.in, (std::vector<Row>{{2}, {0}, {1}}));
  EXPECT_EQ(graph.given_self, (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(edge_list(graph), (Row{2, 0, 0, 1, 1, 2}));
  EXPECT_NE(TextFile("0 1\n1 2\n").mistake(3, "edges", true).find("not connected"),
            std::string::npos)
      << "agent 0 hears of nobody";
  EXPECT_EQ(graph_in(TextFile("0 1\n1 0\n"), 2, "edges", true).in, (std::vector<Row>{{1}, {0}}));
  EXPECT_EQ(TextFile("0 1\n1 2\n0 1\n").mistake(3, "edges", true),
            "FILE:3: edge 0 1 was given before, in line 1; edges are given once");
}

TEST(EdgeFile, directed_weights_must_keep_the_mean) {
  // Agent 0 is read twice, agent 2 never: columns do not sum to 1.
  const TextFile file("0 1 0.5\n1 2 0.5\n2 0 0.5\n0 2 0.25\n");
  GraphOptions options;
  options.kind = graph_choice("file", file.fields("edges", true));
  options.weights = "given";
  try {
    make_mixing(make_graph(options.kind, 3, "w"), options, "deck.toml:5");
    FAIL() << "not doubly stochastic";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("gets sum to"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace parley::test
