// SPDX-License-Identifier: BSD-3-Clause
// Mixing matrices: doubly stochastic, spectra with closed forms, refusals.
#include "comm/host/spectrum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "comm/graph_choices.hpp"
#include "core/check.hpp"

namespace parley::test {
namespace {

Weights weights_of(std::string_view kind, std::int64_t n) {
  GraphOptions options;
  options.kind = graph_choice(kind);
  return make_weights(graph_of(kind, n), options, "deck.toml:1");
}

Weights lazy_weights_of(std::string_view kind, std::int64_t n) {
  GraphOptions options;
  options.kind = graph_choice(kind);
  options.lazy = true;
  return make_weights(graph_of(kind, n), options, "deck.toml:1");
}

TEST(Weights, doubly_stochastic_and_ascending) {
  for (const auto* kind : {"ring", "torus", "complete", "star", "exponential"}) {
    for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 16, 20}) {
      for (const Weights& weights : {weights_of(kind, n), lazy_weights_of(kind, n)}) {
        const Eigen::MatrixXd w = dense(weights);
        EXPECT_LT((w.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-14) << kind << n;
        EXPECT_LT((w.colwise().sum().array() - 1).abs().maxCoeff(), 1e-14) << kind << n;
        EXPECT_GE(w.minCoeff(), 0) << kind << n;
        EXPECT_EQ(weights.symmetric, w == w.transpose()) << kind << n;
        for (std::size_t i = 0; i < weights.rows.size(); ++i) {
          const auto& agent = weights.rows[i].agent;
          EXPECT_TRUE(std::is_sorted(agent.begin(), agent.end()));
          EXPECT_EQ(std::count(agent.begin(), agent.end(), static_cast<std::int64_t>(i)), 1);
        }
      }
    }
  }
}

TEST(Weights, small_counts) {
  EXPECT_EQ(dense(weights_of("ring", 1)), Eigen::MatrixXd::Ones(1, 1));
  EXPECT_EQ(dense(weights_of("ring", 2)), Eigen::MatrixXd::Constant(2, 2, 0.5));
  EXPECT_LT((dense(weights_of("torus", 4)) - dense(weights_of("ring", 4))).squaredNorm(), 1);
  const Eigen::MatrixXd square = dense(weights_of("torus", 4));
  EXPECT_DOUBLE_EQ(square(0, 1), 1.0 / 3);
  EXPECT_DOUBLE_EQ(square(0, 3), 0);
  EXPECT_DOUBLE_EQ(square(0, 0), 1.0 / 3);
  EXPECT_DOUBLE_EQ(dense(weights_of("star", 5))(3, 3), 0.8);
}

TEST(Spectrum, ring_has_its_closed_form) {
  // Eigenvalues of the circulant (1 + 2 cos(2 pi m / n)) / 3.
  const std::vector<std::pair<std::int64_t, double>> rho = {
      {8, 0.8047}, {16, 0.9493}, {20, 0.9674}};
  for (const auto& [n, rounded] : rho) {
    const double exact = (1 + 2 * std::cos(2 * std::numbers::pi / static_cast<double>(n))) / 3;
    const Spectrum found = spectrum(weights_of("ring", n));
    EXPECT_NEAR(found.rho, exact, 1e-13);
    EXPECT_NEAR(found.rho, rounded, 6e-5);
    EXPECT_NEAR(found.gap, 1 - exact, 1e-13);
    EXPECT_NEAR(found.lambda_min, -1.0 / 3, 1e-13);
    const Spectrum lazy = spectrum(lazy_weights_of("ring", n));
    EXPECT_NEAR(lazy.rho, (1 + exact) / 2, 1e-13);
    EXPECT_NEAR(lazy.lambda_min, 1.0 / 3, 1e-13);
  }
}

TEST(Spectrum, complete_star_and_one_agent) {
  EXPECT_NEAR(spectrum(weights_of("complete", 7)).rho, 0, 1e-14);
  EXPECT_NEAR(spectrum(weights_of("ring", 2)).rho, 0, 1e-15);
  // Star: leaves that differ keep 1 - 1/n; hub against leaves 1 - 1/n - (n-1)/n = 0.
  EXPECT_NEAR(spectrum(weights_of("star", 10)).rho, 0.9, 1e-13);
  const Spectrum one = spectrum(weights_of("ring", 1));
  EXPECT_EQ(one.rho, 0);
  EXPECT_EQ(one.gap, 1);
  EXPECT_EQ(one.lambda_min, 1);
}

TEST(Spectrum, exponential_graph_has_its_closed_form) {
  // Circulant, hence normal: rho = max over m >= 1 of |1 + sum_j exp(2 pi i m 2^j / n)| / (log2 n +
  // 1); for n a power of two it is 1 - 2 / (log2 n + 1) (Ying et al. 2021, proposition 1).
  for (const auto& [n, hops] : {std::pair{8, 3}, std::pair{16, 4}, std::pair{64, 6}}) {
    const Spectrum found = spectrum(weights_of("exponential", n));
    EXPECT_NEAR(found.rho, 1 - 2.0 / (hops + 1), 1e-13) << n;
    EXPECT_TRUE(std::isnan(found.lambda_min));
  }
}

TEST(Spectrum, power_iteration_above_the_dense_limit) {
  EXPECT_NEAR(spectrum(weights_of("exponential", 4096)).rho, 1 - 2.0 / 13, 1e-9);
  const Spectrum lazy = spectrum(lazy_weights_of("torus", 50 * 50));
  // Torus: ((1 + 2 cos a + 2 cos b) / 5 + 1) / 2 with a = 2 pi / 50, b = 0.
  const double exact = (1 + (3 + 2 * std::cos(2 * std::numbers::pi / 50)) / 5) / 2;
  EXPECT_NEAR(lazy.rho, exact, 1e-6);
  EXPECT_NEAR(lazy.lambda_min, (1 - 3.0 / 5) / 2, 1e-6);
}

TEST(Weights, rows_for_files_are_row_major) {
  const Weights weights = weights_of("exponential", 5);
  const std::vector<double> rows = dense_rows(weights);
  const Eigen::MatrixXd w = dense(weights);
  for (Eigen::Index i = 0; i < 5; ++i) {
    for (Eigen::Index j = 0; j < 5; ++j) {
      EXPECT_EQ(rows[static_cast<std::size_t>(5 * i + j)], w(i, j));
    }
  }
}

std::string mistake(const Graph& graph, std::string_view kind, const std::string& rule) {
  GraphOptions options;
  options.kind.kind = kind;
  options.weights = rule;
  try {
    make_weights(graph, options, "deck.toml:5");
  } catch (const UserError& error) {
    return error.what();
  }
  return "none";
}

TEST(Weights, refuses_what_does_not_fit) {
  EXPECT_NE(mistake(graph_of("ring", 4), "ring", "given").find("has none"), std::string::npos);
  Graph graph = graph_of("ring", 3);
  graph.given = {{0.25, 0.25}, {0.25, 0.25}, {0.25, 0.25}};
  graph.given_self = {0.5, 0.5, 0.5};
  EXPECT_EQ(mistake(graph, "file", "given"), "none");
  EXPECT_NE(mistake(graph, "file", "metropolis").find("would ignore"), std::string::npos);
  graph.given_self[1] = 0.6;
  EXPECT_NE(mistake(graph, "file", "given").find("agent 1 gives sum to 1.1"), std::string::npos);
  graph.given_self[1] = 0.4;
  graph.given[1][0] = 0.35;
  EXPECT_NE(mistake(graph, "file", "given").find("agent 0 gets sum to 1.1"), std::string::npos);
}

}  // namespace
}  // namespace parley::test
