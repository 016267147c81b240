// SPDX-License-Identifier: BSD-3-Clause
// Graphs that vary: one-peer exponential, permutations, files in turn, matchings and colourings by
// their definitions; what they contract; refusals.
#include "comm/host/schedule.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/SVD>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numbers>
#include <set>

#include "comm/graph_choices.hpp"
#include "comm/host/spectrum.hpp"
#include "core/check.hpp"

namespace parley::test {
namespace {

using Dense = Eigen::MatrixXd;

GraphOptions scheduled(const std::string& schedule, std::int64_t seed = 1, bool lazy = false) {
  GraphOptions options;
  options.schedule = schedule;
  options.schedule_seed = seed;
  options.lazy = lazy;
  return options;
}

/// W_last ... W_first of rounds [0, count).
Dense product(const Mixing& mixing, std::int64_t count) {
  Dense out = Dense::Identity(mixing.agents(), mixing.agents());
  for (std::int64_t r = 0; r < count; ++r) out = dense(mixing.at(r)) * out;
  return out;
}

double distance_to_mean(const Dense& w) {
  const Dense rest = w.array() - 1.0 / static_cast<double>(w.rows());
  return Eigen::JacobiSVD<Dense>(rest).singularValues()[0];
}

void expect_doubly_stochastic(const Dense& w) {
  EXPECT_LT((w.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-15);
  EXPECT_LT((w.colwise().sum().array() - 1).abs().maxCoeff(), 1e-15);
  EXPECT_GE(w.minCoeff(), 0);
}

TEST(OnePeer, reads_one_power_of_two_behind_per_round) {
  for (const std::int64_t n : {1, 2, 3, 6, 8, 11}) {
    const Mixing mixing = mixing_of("one-peer-exponential", n);
    const std::int64_t period = n == 1 ? 1 : static_cast<std::int64_t>(std::ceil(std::log2(n)));
    EXPECT_EQ(mixing.period(), period);
    EXPECT_EQ(mixing.varies(), period > 1);
    EXPECT_FALSE(mixing.random());
    for (std::int64_t r = 0; r < 2 * period + 1; ++r) {
      Dense expected = Dense::Identity(n, n) / 2;
      for (std::int64_t i = 0; i < n; ++i) {
        std::int64_t peer = i - (std::int64_t{1} << (r % period));
        while (peer < 0) peer += n;
        expected(i, peer) += 0.5;
      }
      EXPECT_EQ(dense(mixing.at(r)), expected) << n << " agents, round " << r;
      EXPECT_EQ(mixing.at(r).symmetric, expected == expected.transpose());
    }
  }
}

TEST(OnePeer, is_exact_after_log2_n_rounds_for_powers_of_two_alone) {
  for (const std::int64_t n : {2, 4, 8, 16, 64}) {
    const Mixing mixing = mixing_of("one-peer-exponential", n);
    EXPECT_LT(distance_to_mean(product(mixing, mixing.period())), 1e-15) << n;
    const Spectrum found = spectrum(mixing);
    EXPECT_LT(found.rho, 1e-7) << n;
    EXPECT_EQ(found.rounds, mixing.period());
  }
  const Mixing six = mixing_of("one-peer-exponential", 6);
  // (I + P)(I + P^2)(I + P^4) / 8 = (2 I + 2 P + P^2 + ... + P^5) / 8: entries are 1/12 above 1/6
  // or 1/24 below; its eigenvalues are (1 + w) / 8 for the sixth roots w of 1 but 1.
  const Dense rest = product(six, 3).array() - 1.0 / 6;
  EXPECT_NEAR(rest.cwiseAbs().maxCoeff(), 0.0833, 1e-4);
  const double left = std::sqrt(3.0) / 8;
  EXPECT_NEAR(distance_to_mean(product(six, 3)), left, 1e-15);
  EXPECT_NEAR(spectrum(six).rho, left, 1e-13);
  EXPECT_NEAR(spectrum(six).contraction(6), left * left, 1e-13);
  EXPECT_TRUE(std::isnan(spectrum(six).lambda_min));
}

TEST(Permutations, are_permutations_that_follow_seed_and_round) {
  SetFields other;
  other.numbers = {{"seed", 2}};
  const Mixing mixing = mixing_of("random-permutation", 7);
  const Mixing elsewhere = mixing_of("random-permutation", 7, other);
  EXPECT_TRUE(mixing.random() && mixing.varies() && !mixing.symmetric());
  EXPECT_EQ(mixing.period(), 0);
  std::set<std::vector<double>> seen;
  int equal = 0;
  for (std::int64_t r = 0; r < 50; ++r) {
    const Dense w = dense(mixing.at(r));
    expect_doubly_stochastic(w);
    const Dense p = 2 * w - Dense::Identity(7, 7);
    EXPECT_EQ(p * p.transpose(), Dense::Identity(7, 7));
    EXPECT_EQ(mixing.at(r).symmetric, w == w.transpose());
    seen.insert(dense_rows(mixing.at(r)));
    equal += w == dense(elsewhere.at(r)) ? 1 : 0;
  }
  EXPECT_GT(seen.size(), 45U);
  EXPECT_LT(equal, 5);
  EXPECT_EQ(dense(mixing.at(3)), dense(mixing_of("random-permutation", 7).at(3)))
      << "a function of the round alone";
}

TEST(Permutations, contract_by_one_half_in_the_mean_square) {
  // E[W'W] = (2 I + E[P] + E[P']) / 4 = (I + J) / 2.
  for (const std::int64_t n : {8, 20}) {
    const Mixing mixing = mixing_of("random-permutation", n);
    EXPECT_NEAR(spectrum(mixing).rho, std::sqrt(0.5), 0.02) << n;
    Dense mean = Dense::Zero(n, n);
    for (std::int64_t r = 0; r < 4000; ++r) mean += dense(mixing.at(r)) / 4000;
    const Dense expected =
        (Dense::Identity(n, n).array() + 1.0 / static_cast<double>(n)).matrix() / 2;
    EXPECT_LT((mean - expected).cwiseAbs().maxCoeff(), 0.02);
  }
}

TEST(Matchings, are_maximal_matchings_of_the_graph) {
  for (const auto* kind : {"ring", "star", "complete", "binary-tree"}) {
    const Graph graph = graph_of(kind, 9);
    const Mixing mixing = mixing_of(kind, 9, {}, scheduled("random-matching", 5));
    EXPECT_TRUE(mixing.random() && mixing.symmetric());
    for (std::int64_t r = 0; r < 40; ++r) {
      const Matching matching = random_matching(graph, 5, r);
      Dense expected = Dense::Identity(9, 9);
      std::set<std::int64_t> taken;
      for (const auto& [i, j] : matching) {
        const auto& in = graph.in[static_cast<std::size_t>(i)];
        EXPECT_TRUE(std::find(in.begin(), in.end(), j) != in.end()) << "an edge";
        EXPECT_TRUE(taken.insert(i).second && taken.insert(j).second) << "without common agents";
        expected(i, i) = expected(j, j) = expected(i, j) = expected(j, i) = 0.5;
      }
      for (std::int64_t i = 0; i < 9; ++i) {
        for (const std::int64_t j : graph.in[static_cast<std::size_t>(i)]) {
          EXPECT_TRUE(taken.contains(i) || taken.contains(j)) << "maximal";
        }
      }
      EXPECT_EQ(dense(mixing.at(r)), expected);
    }
  }
}

TEST(Matchings, take_all_edges_of_a_complete_graph_alike) {
  // Perfect matchings of 6 agents: each edge has probability 1/5, E[W] = (4 I + 6 J) / 10.
  const Mixing mixing = mixing_of("complete", 6, {}, scheduled("random-matching"));
  Dense mean = Dense::Zero(6, 6);
  for (std::int64_t r = 0; r < 4000; ++r) mean += dense(mixing.at(r)) / 4000;
  const Dense expected = 0.4 * Dense::Identity(6, 6) + Dense::Constant(6, 6, 0.1);
  EXPECT_LT((mean - expected).cwiseAbs().maxCoeff(), 0.015);
  // W'W = W here, so that the contraction in the mean square is sqrt(0.4).
  EXPECT_NEAR(spectrum(mixing).rho, std::sqrt(0.4), 0.015);
  const Mixing lazy = mixing_of("complete", 6, {}, scheduled("random-matching", 1, true));
  EXPECT_EQ(dense(lazy.at(2)), (Dense::Identity(6, 6) + dense(mixing.at(2))) / 2);
}

std::size_t largest_degree(const Graph& graph) {
  std::size_t out = 0;
  for (const auto& row : graph.in) out = std::max(out, row.size());
  return out;
}

TEST(Colouring, is_proper_complete_and_short) {
  std::vector<Graph> graphs;
  for (const auto* kind : {"ring", "path", "star", "complete", "torus", "binary-tree", "ladder"}) {
    for (const std::int64_t n : {1, 2, 4, 6, 10, 12, 20}) {
      if (n % 2 == 0 || std::string(kind) != "ladder") graphs.push_back(graph_of(kind, n));
    }
  }
  for (const std::int64_t n : {3, 5, 9}) graphs.push_back(graph_of("complete", n));
  for (std::int64_t seed = 1; seed <= 200; ++seed) {
    SetFields fields;
    fields.numbers = {{"seed", seed}};
    fields.reals = {{"p", seed % 2 == 0 ? 0.35 : 0.7}};
    graphs.push_back(make_graph(graph_choice("erdos-renyi", fields), 14, "w"));
  }
  for (const Graph& graph : graphs) {
    const auto classes = color_edges(graph);
    EXPECT_LE(classes.size(), largest_degree(graph) + 1);
    std::set<std::pair<std::int64_t, std::int64_t>> all;
    for (const Matching& matching : classes) {
      std::set<std::int64_t> taken;
      for (const auto& [i, j] : matching) {
        EXPECT_LT(i, j);
        EXPECT_TRUE(taken.insert(i).second && taken.insert(j).second);
        EXPECT_TRUE(all.emplace(i, j).second) << "each edge once";
      }
    }
    EXPECT_EQ(2 * all.size(), edge_list(graph).size());
    for (const auto& [i, j] : all) {
      const auto& in = graph.in[static_cast<std::size_t>(i)];
      EXPECT_TRUE(std::find(in.begin(), in.end(), j) != in.end());
    }
  }
  // Bipartite graphs take as many colours as the largest degree.
  for (const auto& [kind, n] : {std::pair{"ring", 10}, std::pair{"star", 7}, std::pair{"grid", 20},
                                std::pair{"hypercube", 32}, std::pair{"binary-tree", 20}}) {
    const Graph graph = graph_of(kind, n);
    EXPECT_EQ(color_edges(graph).size(), largest_degree(graph)) << kind;
  }
}

TEST(RoundRobin, takes_the_colours_in_turn_and_reaches_all) {
  const Mixing mixing = mixing_of("ring", 6, {}, scheduled("round-robin"));
  EXPECT_EQ(mixing.period(), 2);
  EXPECT_TRUE(mixing.symmetric() && !mixing.random());
  const auto classes = color_edges(graph_of("ring", 6));
  for (std::int64_t r = 0; r < 5; ++r) {
    Dense expected = Dense::Identity(6, 6);
    for (const auto& [i, j] : classes[static_cast<std::size_t>(r % 2)]) {
      expected(i, i) = expected(j, j) = expected(i, j) = expected(j, i) = 0.5;
    }
    EXPECT_EQ(dense(mixing.at(r)), expected);
  }
  // Two perfect matchings of a ring of n are projections of rank n/2, at an angle of 2 pi/n on the
  // complement of the mean at the least: the norm of their product is its cosine.
  for (const std::int64_t n : {6, 8, 16}) {
    const Mixing ring = mixing_of("ring", n, {}, scheduled("round-robin"));
    const double exact = std::cos(2 * std::numbers::pi / static_cast<double>(n));
    EXPECT_NEAR(spectrum(ring).rho, exact, 1e-13) << n;
    EXPECT_NEAR(distance_to_mean(product(ring, 2)), exact, 1e-13) << n;
  }
  EXPECT_EQ(mixing_of("ring", 1, {}, scheduled("round-robin")).period(), 1);
  EXPECT_EQ(dense(mixing_of("ring", 2, {}, scheduled("round-robin")).at(7)),
            Dense::Constant(2, 2, 0.5));
}

TEST(Spectrum, of_sequences_by_power_iteration_above_the_dense_limit) {
  EXPECT_LT(spectrum(mixing_of("one-peer-exponential", 4096)).rho, 1e-6);
  EXPECT_NEAR(spectrum(mixing_of("hypercube", 4096)).rho, 1 - 2.0 / 13, 1e-9);
}

/// Edge lists that go with the test.
class Files {
 public:
  explicit Files(const std::vector<std::string>& texts) {
    for (std::size_t f = 0; f < texts.size(); ++f) {
      names_.push_back(::testing::TempDir() + "round" + std::to_string(f) + "_" +
                       std::to_string(::getpid()) + ".txt");
      std::ofstream(names_.back()) << texts[f];
    }
  }
  ~Files() {
    for (const std::string& name : names_) std::remove(name.c_str());
  }
  SetFields fields() const {
    SetFields out;
    out.lists = {{"files", names_}};
    return out;
  }

 private:
  std::vector<std::string> names_;
};

TEST(FilesInTurn, take_a_file_per_round) {
  const Files files({"0 1\n2 3\n", "1 2\n", "3 0\n"});
  const Mixing mixing = mixing_of("files", 4, files.fields());
  EXPECT_EQ(mixing.period(), 3);
  Dense first = Dense::Zero(4, 4), second = Dense::Identity(4, 4);
  first.block(0, 0, 2, 2).setConstant(0.5);
  first.block(2, 2, 2, 2).setConstant(0.5);
  second.block(1, 1, 2, 2).setConstant(0.5);
  EXPECT_EQ(dense(mixing.at(0)), first);
  EXPECT_EQ(dense(mixing.at(4)), second);
  const Graph graph = make_graph(graph_choice("files", files.fields()), 4, "w");
  EXPECT_EQ(graph.in, graph_of("ring", 4).in) << "the union";
}

std::string mistake(const std::function<void()>& work) {
  try {
    work();
  } catch (const UserError& error) {
    return error.what();
  }
  return "none";
}

TEST(FilesInTurn, whose_union_is_not_connected_are_refused) {
  const Files files({"0 1\n", "2 3\n"});
  const std::string text = mistake([&] { mixing_of("files", 4, files.fields()); });
  EXPECT_EQ(text.substr(0, 78),
            "deck.toml:1: the graphs of all rounds together are not connected: no path join");
  EXPECT_NE(mistake([&] { mixing_of("files", 4); }).find("graph.files is empty"),
            std::string::npos);
}

TEST(Mixing, refuses_what_it_would_ignore) {
  GraphOptions options = scheduled("round-robin");
  EXPECT_NE(mistake([&] { mixing_of("exponential", 8, {}, options); }).find("is directed"),
            std::string::npos);
  EXPECT_NE(
      mistake([&] { mixing_of("one-peer-exponential", 8, {}, options); }).find("varies by itself"),
      std::string::npos);
  options.weights = "max-degree";
  EXPECT_NE(mistake([&] { mixing_of("ring", 8, {}, options); }).find("ignore the weights"),
            std::string::npos);
  options.schedule = "static";
  EXPECT_NE(mistake([&] {
              mixing_of("random-permutation", 8, {}, options);
            }).find("would ignore weights = \"max-degree\""),
            std::string::npos);
  EXPECT_NE(mistake([&] { mixing_of("exponential", 8, {}, options); }).find("remove the key"),
            std::string::npos);
}

TEST(Weights, max_degree_is_the_laplacian_over_one_more_than_the_largest_degree) {
  GraphOptions options;
  options.weights = "max-degree";
  for (const auto* kind : {"star", "path", "binary-tree", "grid"}) {
    const Graph graph = graph_of(kind, 12);
    Dense laplacian = Dense::Zero(12, 12);
    for (std::int64_t i = 0; i < 12; ++i) {
      for (const std::int64_t j : graph.in[static_cast<std::size_t>(i)]) {
        laplacian(i, j) = -1;
        laplacian(i, i) += 1;
      }
    }
    const Dense expected =
        Dense::Identity(12, 12) - laplacian / (1.0 + static_cast<double>(largest_degree(graph)));
    const Dense found = dense(mixing_of(kind, 12, {}, options).at(0));
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-15) << kind;
  }
}

}  // namespace
}  // namespace parley::test
