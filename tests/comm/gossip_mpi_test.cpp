// SPDX-License-Identifier: BSD-3-Clause
// Gossip on 1, 2, 4 ranks: W^t to round-off, the bits of one rank, flagged rows, segments, ranks
// that run ahead, counters, and peers that do something else.
#include <chrono>
#include <random>
#include <thread>

#include "comm/mixing.hpp"
#include "core/check.hpp"

namespace parley::test {
namespace {

const MPI_Comm world = MPI_COMM_WORLD;

Eigen::MatrixXd power(const Eigen::MatrixXd& w, std::int64_t t) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Identity(w.rows(), w.cols());
  for (std::int64_t r = 0; r < t; ++r) out = w * out;
  return out;
}

/// `mixes` mixes of the rows on one communicator, the result fed back.
Rows mixed(Team& team, std::int64_t mixes) {
  const auto channel = team.mixer->open("z");
  for (std::int64_t k = 0; k < mixes; ++k) {
    channel->mix(k, team.in, team.out);
    std::swap(team.in, team.out);
  }
  std::swap(team.in, team.out);
  return take_rows(team.out, team.layout);
}

TEST(Gossip, is_the_power_of_w_with_the_bits_of_one_rank) {
  for (const auto* kind : {"ring", "torus", "complete", "star", "exponential"}) {
    for (const std::int64_t n : {1, 2, 3, 5, 8, 16}) {
      for (const std::int64_t rounds : {1, 2, 3}) {
        SCOPED_TRACE(fmt::format("{} of {}, {} rounds", kind, n, rounds));
        Team team(world, kind, n, rounds), alone(MPI_COMM_SELF, kind, n, rounds);
        const Rows found = mixed(team, 1);
        EXPECT_TRUE(same_bits(found, own(mixed(alone, 1), team.agents)));
        EXPECT_FALSE(team.health.failed);
        const Eigen::MatrixXd w = power(dense(team.mixing.at(0)), rounds);
        const double tolerance = 20.0 * std::numeric_limits<Real>::epsilon();
        double worst = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
          for (std::int64_t p = 0; p < team.layout.dim(); ++p) {
            double sum = 0;
            for (std::int64_t j = 0; j < n; ++j) {
              sum += w(team.agents.first() + static_cast<std::int64_t>(i), j) *
                     static_cast<double>(number_of(j, p));
            }
            const double x = static_cast<double>(found[i][static_cast<std::size_t>(p)]);
            worst = std::max(worst, std::abs(x - sum));
          }
        }
        EXPECT_LT(worst, tolerance);
      }
    }
  }
}

TEST(Gossip, keeps_the_mean) {
  for (const auto* kind : {"ring", "exponential"}) {
    Team team(world, kind, 8, 2);
    const Rows found = mixed(team, 50);
    EXPECT_LT(drift_of_mean(team, found), 20.0 * std::numeric_limits<Real>::epsilon());
  }
}

TEST(Gossip, rows_that_would_include_a_bad_one_are_copied) {
  for (const std::int64_t rounds : {1, 2}) {
    for (const std::int64_t bad : {0, 3, 7}) {
      Team team(world, "ring", 8, rounds), clean(MPI_COMM_SELF, "ring", 8, rounds);
      team.spoil(bad, "c", std::numeric_limits<Real>::infinity());
      const Rows before = take_rows(team.in, team.layout);
      const auto channel = team.mixer->open("z");
      channel->mix(5, team.in, team.out);
      const Rows found = take_rows(team.out, team.layout);
      const Rows expected = mixed(clean, 1);
      const Eigen::MatrixXd w = power(dense(team.mixing.at(0)), rounds);
      bool touched = false;
      for (std::size_t i = 0; i < found.size(); ++i) {
        const std::int64_t agent = team.agents.first() + static_cast<std::int64_t>(i);
        const bool copied = w(agent, bad) != 0;
        touched = touched || copied;
        const auto& row = copied ? before[i] : expected[static_cast<std::size_t>(agent)];
        EXPECT_TRUE(same_bits({found[i]}, {row})) << "agent " << agent << ", bad " << bad;
      }
      EXPECT_EQ(team.health.failed, touched);
      if (touched) {
        EXPECT_EQ(team.health.agent, bad);
        EXPECT_EQ(team.health.iteration, 5);
      }
      if (team.agents.owns(bad)) {
        EXPECT_EQ(team.health.where, "z, block c");
      }
    }
  }
}

TEST(Gossip, segments_go_early_in_any_order) {
  Team team(world, "torus", 6, 2), alone(MPI_COMM_SELF, "torus", 6, 2);
  const auto channel = team.mixer->open("z", {{0, 1}, {1, 4}, {4, 5}});
  ASSERT_EQ(channel->segments(), 3);
  const std::vector<std::vector<std::int64_t>> orders = {
      {2, 0, 1}, {0, 1, 2}, {1, 2, 0}, {2, 1, 0}};
  for (std::int64_t k = 0; k < 12; ++k) {
    for (const auto s : orders[static_cast<std::size_t>(k + rank_of(world)) % orders.size()]) {
      channel->begin(k, team.in, s);
    }
    channel->end(k, team.out);
    std::swap(team.in, team.out);
  }
  EXPECT_TRUE(same_bits(take_rows(team.in, team.layout), own(mixed(alone, 12), team.agents)));
}

TEST(Gossip, columns_behind_the_last_segment_stay_and_are_not_sent) {
  for (const std::int64_t rounds : {1, 2, 3}) {
    Team team(world, "torus", 6, rounds), alone(MPI_COMM_SELF, "torus", 6, rounds);
    const Rows before = take_rows(team.in, team.layout);
    const Rows whole = own(mixed(alone, 1), team.agents);
    const auto part = team.mixer->open("part", {{0, 2}});
    const auto full = team.mixer->open("full");
    part->mix(1, team.in, team.out);
    const Rows got = take_rows(team.out, team.layout);
    const auto cut = static_cast<std::size_t>(team.layout.blocks()[2].packed);
    for (std::size_t i = 0; i < got.size(); ++i) {
      for (std::size_t j = 0; j < got[i].size(); ++j) {
        EXPECT_EQ(got[i][j], (j < cut ? whole : before)[i][j]) << "column " << j;
      }
    }
    full->mix(1, team.in, team.out);
    const std::int64_t saved = full->traffic().bytes - part->traffic().bytes;
    EXPECT_EQ(saved > 0, full->traffic().messages > 0);
  }
}

TEST(Gossip, a_bad_number_in_any_segment_flags_the_row) {
  for (const auto* block : {"a", "d", "e"}) {
    Team team(world, "complete", 4, 1);
    team.spoil(2, block, std::numeric_limits<Real>::quiet_NaN());
    const Rows before = take_rows(team.in, team.layout);
    const auto channel = team.mixer->open("z", {{0, 3}, {3, 4}, {4, 5}});
    channel->mix(0, team.in, team.out);
    EXPECT_TRUE(same_bits(take_rows(team.out, team.layout), before)) << block;
  }
}

TEST(Gossip, mistakes_of_the_caller_are_refused) {
  Team team(MPI_COMM_SELF, "ring", 3, 1);
  EXPECT_THROW(team.mixer->open("z", {{0, 2}, {3, 5}}), std::logic_error);
  const auto channel = team.mixer->open("z", {{0, 2}, {2, 5}});
  channel->begin(0, team.in, 0);
  EXPECT_THROW(channel->begin(0, team.in, 0), std::logic_error);
  EXPECT_THROW(channel->begin(1, team.in, 1), std::logic_error);
  EXPECT_THROW(channel->end(0, team.out), std::logic_error);
  channel->begin(0, team.in, 1);
  EXPECT_THROW(channel->end(0, team.in), std::logic_error);
  channel->end(0, team.out);
}

TEST(Gossip, slow_ranks_and_ranks_ahead_mix_the_same) {
  for (const auto* kind : {"ring", "exponential"}) {
    Team team(world, kind, 8, 1), alone(MPI_COMM_SELF, kind, 8, 1);
    const auto z = team.mixer->open("z");
    const auto g = team.mixer->open("g");
    std::mt19937 delays(static_cast<unsigned>(17 + rank_of(world)));
    const Matrix other = make_matrix("test::other", team.agents.count(), team.layout.width());
    for (std::int64_t k = 0; k < 30; ++k) {
      std::this_thread::sleep_for(std::chrono::microseconds(delays() % 3000));
      z->begin(k, team.in, 0);
      g->begin(k, team.in, 0);
      if (rank_of(world) == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      g->end(k, other);
      z->end(k, team.out);
      EXPECT_TRUE(same_bits(take_rows(other, team.layout), take_rows(team.out, team.layout)));
      std::swap(team.in, team.out);
    }
    EXPECT_TRUE(same_bits(take_rows(team.in, team.layout), own(mixed(alone, 30), team.agents)));
  }
}

TEST(Gossip, counters_equal_the_plan) {
  for (const auto* kind : {"ring", "star", "complete", "exponential"}) {
    for (const std::int64_t n : {1, 3, 8}) {
      Team team(world, kind, n, 3);
      const auto channel = team.mixer->open("z");
      for (std::int64_t k = 0; k < 4; ++k) channel->mix(k, team.in, team.out);
      EXPECT_EQ(channel->traffic().rounds, 12);
      std::int64_t bytes = channel->traffic().bytes;
      MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, world);
      const auto row = team.layout.dim() * static_cast<std::int64_t>(sizeof(Real));
      const MixPlan plan = plan_gossip(team.mixing.at(0), 3, row, size_of_comm(world));
      EXPECT_EQ(static_cast<double>(bytes), 4 * plan.bytes_between_ranks) << kind << n;
    }
  }
}

TEST(Plan, gossip_of_64_ranks_without_messages) {
  const Weights ring = weights_of("ring", 64);
  EXPECT_EQ(plan_gossip(ring, 2, 1000, 64).bytes_between_ranks, 64 * 2 * 2 * 1064.0);
  EXPECT_EQ(plan_gossip(ring, 2, 1000, 8).bytes_between_ranks, 8 * 2 * 2 * 1064.0);
  EXPECT_EQ(plan_gossip(ring, 2, 1000, 1).bytes_between_ranks, 0);
  EXPECT_EQ(plan_gossip(ring, 2, 1000, 8).bytes_per_agent, 2 * 2 * 1064.0);
  // The hub's row goes to each of seven ranks once; each of their leaves' rows to the hub's rank.
  EXPECT_EQ(plan_gossip(weights_of("star", 64), 1, 1000, 8).bytes_between_ranks, (7 + 56) * 1064.0);
}

TEST(Gossip, a_peer_in_another_iteration_is_named) {
  const int ranks = size_of_comm(world);
  Team team(world, "complete", ranks, 1);
  const auto channel = team.mixer->open("z");
  const std::int64_t k = rank_of(world) == ranks - 1 ? 8 : 7;
  channel->begin(k, team.in, 0);
  std::string text = "none";
  try {
    channel->end(k, team.out);
  } catch (const RunError& error) {
    text = error.what();
  }
  if (ranks == 1) {
    EXPECT_EQ(text, "none");
  } else if (k == 7) {
    EXPECT_NE(text.find(fmt::format("z: rank {} sent agent {}, iteration 8", ranks - 1, ranks - 1)),
              std::string::npos)
        << text;
  } else {
    EXPECT_NE(text.find("z: rank 0 sent agent 0, iteration 7"), std::string::npos) << text;
  }
}

TEST(Gossip, a_silent_peer_is_named) {
  const int ranks = size_of_comm(world);
  Team team(world, "complete", ranks, 1, 0.3);
  const auto channel = team.mixer->open("z");
  if (rank_of(world) > 0) {
    channel->begin(4, team.in, 0);
    try {
      channel->end(4, team.out);
      ADD_FAILURE() << "rank 0 sent nothing";
    } catch (const RunError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("z, iteration 4, agent 0 (from rank 0)"), std::string::npos) << text;
    }
  }
  MPI_Barrier(world);
  if (rank_of(world) == 0) channel->begin(4, team.in, 0);
  // The mix goes on where it stood once the peer speaks; a loaded machine may stall again.
  for (bool done = false; !done;) {
    try {
      channel->end(4, team.out);
      done = true;
    } catch (const RunError&) {
    }
  }
}

}  // namespace
}  // namespace parley::test
