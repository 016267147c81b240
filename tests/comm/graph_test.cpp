// SPDX-License-Identifier: BSD-3-Clause
// Topologies: neighbours, small counts, edge lists and their mistakes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <set>

#include "comm/graph_choices.hpp"
#include "core/check.hpp"

namespace parley::test {
namespace {

using Row = std::vector<std::int64_t>;

/// A file that goes with the test.
class EdgeFile {
 public:
  explicit EdgeFile(const std::string& text)
      : name_(::testing::TempDir() + "edges_" + std::to_string(::getpid()) + ".txt") {
    std::ofstream(name_) << text;
  }
  ~EdgeFile() { std::remove(name_.c_str()); }
  const std::string& name() const { return name_; }
  Graph graph(std::int64_t n) const {
    SetFields fields;
    fields.texts["file"] = name_;
    return make_graph(graph_choice("file", fields), n, "deck.toml:7");
  }
  /// The text of the UserError, with the file's name replaced by FILE.
  std::string mistake(std::int64_t n) const {
    try {
      graph(n);
    } catch (const UserError& error) {
      std::string text = error.what();
      const auto place = text.find(name_);
      return place == std::string::npos ? text : text.replace(place, name_.size(), "FILE");
    }
    return "none";
  }

 private:
  std::string name_;
};

TEST(Graph, ring_counts_each_neighbour_once) {
  EXPECT_EQ(graph_of("ring", 1).in, std::vector<Row>{Row{}});
  EXPECT_EQ(graph_of("ring", 2).in, (std::vector<Row>{{1}, {0}}));
  EXPECT_EQ(graph_of("ring", 3).in, (std::vector<Row>{{1, 2}, {0, 2}, {0, 1}}));
  EXPECT_EQ(graph_of("ring", 5).in[0], (Row{1, 4}));
}

Graph torus(std::int64_t rows, std::int64_t columns) {
  SetFields fields;
  fields.numbers = {{"rows", rows}, {"columns", columns}};
  return make_graph(graph_choice("torus", fields), rows * columns, "deck.toml:1");
}

TEST(Graph, torus_wraps_without_double_counting) {
  EXPECT_EQ(torus(2, 2).in, (std::vector<Row>{{1, 2}, {0, 3}, {0, 3}, {1, 2}}));
  EXPECT_EQ(torus(1, 5).in, graph_of("ring", 5).in);
  EXPECT_EQ(torus(1, 2).in, graph_of("ring", 2).in);
  EXPECT_EQ(torus(3, 4).in[0], (Row{1, 3, 4, 8}));
  for (const Row& row : torus(2, 5).in) EXPECT_EQ(row.size(), 3U);
  EXPECT_EQ(graph_of("torus", 12).in, torus(3, 4).in) << "most square when no key is set";
  EXPECT_EQ(graph_of("torus", 7).in, torus(1, 7).in);
}

TEST(Graph, torus_must_hold_all_agents) {
  SetFields fields;
  fields.numbers = {{"rows", 3}, {"columns", 3}};
  try {
    make_graph(graph_choice("torus", fields), 8, "deck.toml:9: graph.rows");
    FAIL() << "3 x 3 agents are not 8";
  } catch (const UserError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("deck.toml:9: graph.rows"), std::string::npos) << text;
    EXPECT_NE(text.find("3 x 3"), std::string::npos) << text;
  }
  SetFields odd;
  odd.numbers = {{"columns", 3}};
  EXPECT_THROW(make_graph(graph_choice("torus", odd), 8, "w"), UserError);
}

TEST(Graph, degrees_of_complete_star_and_exponential) {
  for (const std::int64_t n : {1, 2, 3, 8, 16}) {
    for (const Row& row : graph_of("complete", n).in) {
      EXPECT_EQ(static_cast<std::int64_t>(row.size()), n - 1);
    }
    const Graph star = graph_of("star", n);
    for (std::int64_t i = 0; i < n; ++i) {
      const auto degree = static_cast<std::int64_t>(star.in[static_cast<std::size_t>(i)].size());
      EXPECT_EQ(degree, i == 0 ? n - 1 : 1);
    }
  }
  const Graph exponential = graph_of("exponential", 10);
  EXPECT_TRUE(exponential.directed);
  EXPECT_EQ(exponential.in[0], (Row{1, 2, 4, 8}));
  EXPECT_EQ(exponential.in[5], (Row{3, 6, 7, 9}));
  EXPECT_FALSE(graph_of("exponential", 3).directed);
  EXPECT_EQ(graph_of("exponential", 2).in, graph_of("ring", 2).in);
}

TEST(Graph, edge_list_holds_each_edge_once) {
  EXPECT_EQ(edge_list(graph_of("ring", 2)), (Row{0, 1}));
  EXPECT_EQ(edge_list(graph_of("star", 3)), (Row{0, 1, 0, 2}));
  const Row directed = edge_list(graph_of("exponential", 4));
  EXPECT_EQ(directed.size(), 16U);
  EXPECT_EQ((Row{directed[0], directed[1]}), (Row{1, 0})) << "0 reads 1";
  EXPECT_TRUE(edge_list(graph_of("ring", 1)).empty());
}

TEST(Graph, every_kind_is_described_once) {
  std::set<std::string_view> names;
  for (const Kind& kind : graph_kinds()) {
    EXPECT_FALSE(kind.summary.empty());
    names.insert(kind.name);
  }
  EXPECT_EQ(names.size(), graph_kinds().size());
  EXPECT_TRUE(names.contains("ring") && names.contains("random-permutation"));
}

TEST(EdgeFile, reads_edges_with_and_without_weights) {
  const EdgeFile plain("# a path\n0 1\n\n 2 1 # and its end\n");
  const Graph path = plain.graph(3);
  EXPECT_EQ(path.in, (std::vector<Row>{{1}, {0, 2}, {1}}));
  EXPECT_TRUE(path.given.empty());

  const EdgeFile weighted("0 1 0.25\n1 2 0.5\n");
  const Graph graph = weighted.graph(3);
  EXPECT_EQ(graph.given, (std::vector<std::vector<double>>{{0.25}, {0.25, 0.5}, {0.5}}));
  EXPECT_EQ(graph.given_self, (std::vector<double>{0.75, 0.25, 0.5}));
}

TEST(EdgeFile, says_file_and_line_of_each_mistake) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"0 1\n0 3\n", "FILE:2: agent 3 is out of range"},
      {"0 1\n-1 2\n", "FILE:2: agent -1 is out of range"},
      {"0 1\n1 1\n", "FILE:2: agent 1 with itself"},
      {"0 1\n1 2\n1 0\n", "FILE:3: edge 1 0 was given before, in line 1"},
      {"0\n", "FILE:1: 1 words"},
      {"0 1 0.5 9\n", "FILE:1: 4 words"},
      {"0 one\n", "FILE:1: \"one\" is not an agent"},
      {"0 1.5\n", "FILE:1: \"1.5\" is not an agent"},
      {"0 1 0.5\n1 2\n", "FILE:2: either every edge"},
      {"0 1 -0.5\n", "FILE:1: \"-0.5\" is not a weight"},
      {"0 1 nan\n", "FILE:1: \"nan\" is not a weight"},
      {"0 1 0.5x\n", "FILE:1: \"0.5x\" is not a weight"},
      {"0 1 0.75\n1 2 0.75\n", "FILE: the weights of agent 1's edges sum to 1.5"},
      {"0 1\n", "deck.toml:7: the graph is not connected: no path joins agents 0 and 2 (2 of 3"},
      {"", "deck.toml:7: the graph is not connected: no path joins agents 0 and 1"}};
  for (const auto& [text, expected] : cases) {
    const std::string mistake = EdgeFile(text).mistake(3);
    EXPECT_EQ(mistake.substr(0, expected.size()), expected) << "for the file:\n" << text;
  }
}

TEST(EdgeFile, a_missing_file_is_named) {
  SetFields fields;
  fields.texts["file"] = "no/such/file";
  try {
    make_graph(graph_choice("file", fields), 3, "deck.toml:7");
    FAIL() << "there is no such file";
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()), "deck.toml:7: cannot open the edge list \"no/such/file\"");
  }
}

}  // namespace
}  // namespace parley::test
