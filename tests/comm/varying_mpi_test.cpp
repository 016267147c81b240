// SPDX-License-Identifier: BSD-3-Clause
// Gossip on graphs that vary, on 1, 2, 4 ranks: products of the rounds' W to round-off, the bits of
// one rank, the phase as a function of the number of the mix, bad rows, ranks that run ahead,
// bytes.
#include <chrono>
#include <random>
#include <thread>

#include "comm/mixing.hpp"
#include "core/check.hpp"

namespace parley::test {
namespace {

const MPI_Comm world = MPI_COMM_WORLD;
using Dense = Eigen::MatrixXd;

Mixing matrices(const std::string& name, std::int64_t n) {
  GraphOptions options;
  if (name == "random-matching" || name == "round-robin") {
    options.schedule = name;
    return mixing_of("ring", n, {}, options);
  }
  return mixing_of(name, n, {}, options);
}

const std::vector<std::string> names = {"one-peer-exponential", "random-permutation",
                                        "random-matching", "round-robin"};

/// Mixes number first + 1 to first + count, each of `rounds` rounds, the result fed back.
Rows mixed(Team& team, std::int64_t first, std::int64_t count) {
  const auto channel = team.mixer->open("z");
  for (std::int64_t k = first + 1; k <= first + count; ++k) {
    channel->mix(k, team.in, team.out);
    std::swap(team.in, team.out);
  }
  return take_rows(team.in, team.layout);
}

/// The largest difference to the product of the matrices of rounds [begin, end).
double error_of(const Rows& found, const Team& team, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = team.agents.total();
  Dense w = Dense::Identity(n, n);
  for (std::int64_t r = begin; r < end; ++r) w = dense(team.mixing.at(r)) * w;
  Dense start(n, team.layout.dim());
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t p = 0; p < team.layout.dim(); ++p) {
      start(i, p) = static_cast<double>(number_of(i, p));
    }
  }
  const Dense expected = w * start;
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::int64_t p = 0; p < team.layout.dim(); ++p) {
      const auto agent = team.agents.first() + static_cast<std::int64_t>(i);
      worst = std::max(worst, std::abs(static_cast<double>(found[i][static_cast<std::size_t>(p)]) -
                                       expected(agent, p)));
    }
  }
  return worst;
}

TEST(Varying, is_the_product_of_the_rounds_with_the_bits_of_one_rank) {
  for (const std::string& name : names) {
    for (const std::int64_t n : {1, 2, 3, 6, 8, 13}) {
      for (const std::int64_t rounds : {1, 2, 3}) {
        SCOPED_TRACE(fmt::format("{} of {}, {} rounds", name, n, rounds));
        Team team(world, matrices(name, n), rounds),
            alone(MPI_COMM_SELF, matrices(name, n), rounds);
        const Rows found = mixed(team, 0, 5);
        EXPECT_TRUE(same_bits(found, own(mixed(alone, 0, 5), team.agents)));
        EXPECT_FALSE(team.health.failed);
        EXPECT_LT(error_of(found, team, 0, 5 * rounds),
                  40.0 * std::numeric_limits<Real>::epsilon());
      }
    }
  }
}

TEST(Varying, phase_is_a_function_of_the_number_of_the_mix) {
  for (const std::string& name : names) {
    Team whole(world, matrices(name, 6), 2), rest(world, matrices(name, 6), 2);
    mixed(whole, 0, 7);
    Kokkos::deep_copy(rest.in, whole.in);
    // A new channel goes on at mix 8, as after a restart; the other one never stopped.
    EXPECT_TRUE(same_bits(mixed(whole, 7, 4), mixed(rest, 7, 4))) << name;
    Team later(world, matrices(name, 6), 2);
    EXPECT_LT(error_of(mixed(later, 3, 2), later, 6, 10),
              40.0 * std::numeric_limits<Real>::epsilon())
        << name;
  }
}

TEST(Varying, keeps_the_mean) {
  for (const std::string& name : names) {
    Team team(world, matrices(name, 9), 1);
    const Rows found = mixed(team, 0, 60);
    EXPECT_LT(drift_of_mean(team, found), 20.0 * std::numeric_limits<Real>::epsilon()) << name;
  }
}

TEST(Varying, bytes_are_those_of_the_rows_that_the_round_needs) {
  for (const std::string& name : names) {
    Team team(world, matrices(name, 8), 1);
    const auto channel = team.mixer->open("z");
    const auto row = team.layout.dim() * static_cast<std::int64_t>(sizeof(Real));
    double expected = 0;
    std::int64_t before = 0;
    for (std::int64_t k = 1; k <= 9; ++k) {
      channel->mix(k, team.in, team.out);
      std::int64_t bytes = channel->traffic().bytes;
      MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, world);
      expected =
          plan_gossip(team.mixing.at(k - 1), 1, row, size_of_comm(world)).bytes_between_ranks;
      EXPECT_EQ(static_cast<double>(bytes - before), expected) << name << " mix " << k;
      before = bytes;
    }
    EXPECT_EQ(channel->traffic().rounds, 9);
  }
}

TEST(Varying, plans_are_means_over_the_rounds) {
  // One-peer: every agent sends one row a round; on two ranks 1, 2, 4 rows cross each way.
  const Mixing one_peer = matrices("one-peer-exponential", 8);
  EXPECT_DOUBLE_EQ(plan_gossip(one_peer, 1, 1000, 8).bytes_per_agent, 1064);
  EXPECT_DOUBLE_EQ(plan_gossip(one_peer, 1, 1000, 2).bytes_between_ranks, 2 * 7.0 / 3 * 1064);
  // Pairs on a ring of two: one neighbour, once.
  EXPECT_DOUBLE_EQ(plan_gossip(matrices("round-robin", 2), 1, 1000, 2).bytes_between_ranks,
                   2 * 1064.0);
}

TEST(Varying, rows_that_would_include_a_bad_one_are_copied) {
  for (const std::string& name : names) {
    Team team(world, matrices(name, 8), 2), clean(MPI_COMM_SELF, matrices(name, 8), 2);
    team.spoil(3, "c", std::numeric_limits<Real>::infinity());
    const Rows before = take_rows(team.in, team.layout);
    const auto channel = team.mixer->open("z");
    channel->mix(4, team.in, team.out);
    const Rows found = take_rows(team.out, team.layout), expected = mixed(clean, 3, 1);
    const Dense w = dense(team.mixing.at(7)) * dense(clean.mixing.at(6));
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::int64_t agent = team.agents.first() + static_cast<std::int64_t>(i);
      const auto& row = w(agent, 3) != 0 ? before[i] : expected[static_cast<std::size_t>(agent)];
      EXPECT_TRUE(same_bits({found[i]}, {row})) << name << ", agent " << agent;
      if (w(agent, 3) != 0) {
        EXPECT_EQ(team.health.agent, 3);
      }
    }
  }
}

TEST(Varying, slow_ranks_and_ranks_ahead_mix_the_same) {
  for (const std::string& name : names) {
    Team team(world, matrices(name, 8), 1), alone(MPI_COMM_SELF, matrices(name, 8), 1);
    const auto z = team.mixer->open("z", {{0, 2}, {2, 5}});
    const auto g = team.mixer->open("g");
    std::mt19937 delays(static_cast<unsigned>(17 + rank_of(world)));
    const Matrix other = make_matrix("test::other", team.agents.count(), team.layout.width());
    for (std::int64_t k = 1; k <= 30; ++k) {
      std::this_thread::sleep_for(std::chrono::microseconds(delays() % 3000));
      z->begin(k, team.in, k % 2);
      g->begin(k, team.in, 0);
      z->begin(k, team.in, 1 - k % 2);
      g->end(k, other);
      z->end(k, team.out);
      EXPECT_TRUE(same_bits(take_rows(other, team.layout), take_rows(team.out, team.layout)));
      std::swap(team.in, team.out);
    }
    EXPECT_TRUE(same_bits(take_rows(team.in, team.layout), own(mixed(alone, 0, 30), team.agents)))
        << name;
  }
}

TEST(Varying, a_silent_peer_is_named) {
  const int ranks = size_of_comm(world);
  Team team(world, matrices("one-peer-exponential", ranks), 1, 0.3);
  const auto channel = team.mixer->open("z");
  // In mix 1 rank 1 reads the row of agent 0.
  if (rank_of(world) == 1) {
    channel->begin(1, team.in, 0);
    try {
      channel->end(1, team.out);
      ADD_FAILURE() << "rank 0 sent nothing";
    } catch (const RunError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("z, iteration 1, agent 0 (from rank 0)"), std::string::npos) << text;
    }
  }
  MPI_Barrier(world);
  if (rank_of(world) != 1) channel->begin(1, team.in, 0);
  for (bool done = false; !done;) {
    try {
      channel->end(1, team.out);
      done = true;
    } catch (const RunError&) {
    }
  }
}

}  // namespace
}  // namespace parley::test
