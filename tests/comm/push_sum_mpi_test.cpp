// SPDX-License-Identifier: BSD-3-Clause
// Push-sum on 1, 2, 4 ranks: rows and weights are those of dense products with the
// column-stochastic matrix, the weights' sum stays M, ratios go to the mean, and the state goes on.
#include <algorithm>
#include <vector>

#include "comm/host/spectrum.hpp"
#include "comm/mixing.hpp"

namespace parley::test {
namespace {

const MPI_Comm world = MPI_COMM_WORLD;

/// Strongly connected, with out-degrees of 1, 2 and 3: neither rows nor the stationary weights are
/// equal.
Graph lopsided(std::int64_t n) {
  Graph graph;
  graph.agents = n;
  graph.directed = true;
  graph.in.resize(static_cast<std::size_t>(n));
  const auto reads = [&](std::int64_t i, std::int64_t j) {
    auto& row = graph.in[static_cast<std::size_t>(i)];
    if (i != j && std::find(row.begin(), row.end(), j) == row.end()) row.push_back(j);
  };
  for (std::int64_t i = 0; i < n; ++i) reads(i, (i + n - 1) % n);
  for (std::int64_t i = 2; i < n; i += 2) reads(i, 0);
  reads(1, n - 1);
  for (auto& row : graph.in) std::sort(row.begin(), row.end());
  return graph;
}

Mixing pushing(const Graph& graph) {
  GraphOptions options;
  options.weights = "push-sum";
  return Mixing(make_weights(graph, options, "deck.toml:1"));
}

/// W_ij = 1/(1 + out-degree of j) where i reads j, written from the definition.
Eigen::MatrixXd matrix_of(const Graph& graph) {
  const auto n = static_cast<Eigen::Index>(graph.in.size());
  Eigen::MatrixXd reads = Eigen::MatrixXd::Identity(n, n);
  for (std::size_t i = 0; i < graph.in.size(); ++i) {
    for (const std::int64_t j : graph.in[i]) reads(static_cast<Eigen::Index>(i), j) = 1;
  }
  return reads.array().rowwise() / reads.colwise().sum().array();
}

std::vector<double> weights_on_host(const Channel& channel) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), channel.weights());
  return {host.data(), host.data() + host.extent(0)};
}

TEST(PushSum, weights_are_columns_of_equal_shares) {
  for (const std::int64_t n : {2, 5, 8}) {
    const Graph graph = lopsided(n);
    const Mixing mixing = pushing(graph);
    EXPECT_LT((dense(mixing.at(0)) - matrix_of(graph)).cwiseAbs().maxCoeff(), 1e-15);
    EXPECT_FALSE(mixing.symmetric());
    EXPECT_FALSE(mixing.doubly_stochastic());
  }
  // One agent alone keeps its row.
  Graph one;
  one.in.resize(1);
  EXPECT_EQ(dense(pushing(one).at(0))(0, 0), 1);
}

TEST(PushSum, rows_and_weights_are_the_dense_products) {
  constexpr std::int64_t n = 8, rounds = 2, mixes = 5;
  const Graph graph = lopsided(n);
  Team team(world, pushing(graph), rounds), alone(MPI_COMM_SELF, pushing(graph), rounds);
  const auto run = [&](Team& of, std::vector<double>& weights) {
    const auto iterates = of.mixer->open_iterates("z");
    const auto tracker = of.mixer->open("s");
    EXPECT_EQ(tracker->weights().extent(0), 0U);
    const Matrix other = make_matrix("test::other", of.agents.count(), of.layout.width());
    for (std::int64_t k = 1; k <= mixes; ++k) {
      iterates->mix(k, of.in, of.out);
      tracker->mix(k, of.in, other);
      EXPECT_TRUE(same_bits(take_rows(other, of.layout), take_rows(of.out, of.layout)));
      std::swap(of.in, of.out);
    }
    weights = weights_on_host(*iterates);
    return take_rows(of.in, of.layout);
  };
  std::vector<double> weights, all_weights;
  const Rows before = take_rows(alone.in, alone.layout);
  const Rows found = run(team, weights), all = run(alone, all_weights);
  EXPECT_TRUE(same_bits(found, own(all, team.agents)));
  Eigen::MatrixXd power = Eigen::MatrixXd::Identity(n, n);
  for (std::int64_t r = 0; r < rounds * mixes; ++r) power = matrix_of(graph) * power;
  const double tolerance = 30.0 * std::numeric_limits<Real>::epsilon();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const auto agent = team.agents.first() + static_cast<std::int64_t>(i);
    EXPECT_EQ(weights[i], all_weights[static_cast<std::size_t>(agent)]);
    EXPECT_NEAR(weights[i], power.row(agent).sum(), tolerance);
    for (const std::size_t p : {std::size_t{0}, std::size_t{700}, before[0].size() - 1}) {
      double sum = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        sum += power(agent, j) * static_cast<double>(before[static_cast<std::size_t>(j)][p]);
      }
      EXPECT_NEAR(found[i][p], sum, tolerance);
    }
  }
}

TEST(PushSum, ratios_go_to_the_mean_and_weights_sum_to_the_agents) {
  constexpr std::int64_t n = 7;
  Team team(world, pushing(lopsided(n)), 1);
  const auto channel = team.mixer->open_iterates("z");
  Rows rows = take_rows(team.in, team.layout);
  std::vector<double> mean(rows.empty() ? 0 : rows[0].size(), 0.0);
  for (std::size_t p = 0; p < mean.size(); ++p) {
    for (std::int64_t j = 0; j < n; ++j) {
      mean[p] += static_cast<double>(number_of(j, static_cast<std::int64_t>(p))) / n;
    }
  }
  for (std::int64_t k = 1; k <= 200; ++k) {
    channel->mix(k, team.in, team.out);
    std::swap(team.in, team.out);
    const auto weights = weights_on_host(*channel);
    double sum = 0;
    for (const double w : weights) sum += w;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, world);
    ASSERT_NEAR(sum, n, n * 40.0 * std::numeric_limits<Real>::epsilon()) << k;
  }
  rows = take_rows(team.in, team.layout);
  const auto weights = weights_on_host(*channel);
  double least = 1, most = 1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    least = std::min(least, weights[i]);
    most = std::max(most, weights[i]);
    for (std::size_t p = 0; p < mean.size(); ++p) {
      ASSERT_NEAR(static_cast<double>(rows[i][p]) / weights[i], mean[p],
                  300.0 * std::numeric_limits<Real>::epsilon());
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, world);
  EXPECT_GT(most, 1.2) << "the graph does not tell rows from ratios";
}

TEST(PushSum, the_state_goes_on) {
  const Graph graph = lopsided(6);
  Team team(world, pushing(graph), 1);
  const auto first = team.mixer->open_iterates("z"), second = team.mixer->open_iterates("z2");
  for (std::int64_t k = 1; k <= 3; ++k) first->mix(k, team.in, team.out);
  StateList from = first->state(), to = second->state();
  ASSERT_EQ(from.entries().size(), 1U);
  std::vector<std::byte> bytes(static_cast<std::size_t>(team.agents.count()) * sizeof(double));
  from.entries()[0].save(bytes);
  to.entries()[0].load(bytes);
  EXPECT_EQ(weights_on_host(*first), weights_on_host(*second));
  first->mix(4, team.in, team.out);
  second->mix(4, team.in, team.out);
  EXPECT_EQ(weights_on_host(*first), weights_on_host(*second));
}

TEST(PushSum, spectrum_is_the_second_modulus) {
  // A directed ring of n with weights 1/2: eigenvalues (1 + w^j)/2, |.| = cos(pi/n) for j = 1.
  for (const std::int64_t n : {5, 9, 600}) {
    Graph ring;
    ring.agents = n;
    ring.directed = true;
    for (std::int64_t i = 0; i < n; ++i) ring.in.push_back({(i + n - 1) % n});
    const double exact = std::cos(3.14159265358979323846 / static_cast<double>(n));
    EXPECT_NEAR(spectrum(pushing(ring).at(0)).rho, exact, n > 512 ? 2e-3 : 1e-12) << n;
  }
}

}  // namespace
}  // namespace parley::test
