// SPDX-License-Identifier: BSD-3-Clause
// The ordered mean on 1, 2, 4 ranks: the bits of one rank, ranks without agents, flagged rows,
// counters.
#include "comm/mixing.hpp"
#include "core/check.hpp"

namespace parley::test {
namespace {

const MPI_Comm world = MPI_COMM_WORLD;

std::vector<Real> packed(const Vector& row, const Layout& layout) {
  const Matrix one = make_matrix("test::one", 1, layout.width());
  Kokkos::deep_copy(Kokkos::subview(one, 0, Kokkos::ALL()), row);
  return take_rows(one, layout)[0];
}

TEST(Mean, has_the_bits_of_one_rank_on_every_rank) {
  for (const std::int64_t n : {1, 2, 3, 5, 8, 16}) {
    SCOPED_TRACE(n);
    Team team(world, "ring", n, 1), alone(MPI_COMM_SELF, "ring", n, 1);
    const auto channel = team.mixer->open_mean("g");
    const auto serial = alone.mixer->open_mean("g");
    serial->mix(0, alone.in, alone.out);
    const Rows expected = take_rows(alone.out, alone.layout);
    for (std::int64_t k = 0; k < 5; ++k) {
      Kokkos::deep_copy(team.out, std::numeric_limits<Real>::quiet_NaN());
      channel->mix(k, team.in, team.out);
      EXPECT_TRUE(same_bits(take_rows(team.out, team.layout), own(expected, team.agents)));
      const std::vector<Real> mean = packed(channel->mean_of(k, team.in), team.layout);
      EXPECT_TRUE(same_bits({mean}, {expected[0]})) << "also without agents";
    }
    EXPECT_EQ(channel->traffic().rounds, 10);
    double worst = 0;
    for (std::int64_t p = 0; p < team.layout.dim(); ++p) {
      double sum = 0;
      for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(number_of(i, p));
      const double x = static_cast<double>(expected[0][static_cast<std::size_t>(p)]);
      worst = std::max(worst, std::abs(x - sum / static_cast<double>(n)));
    }
    EXPECT_LT(worst, std::numeric_limits<Real>::epsilon());
  }
}

TEST(Mean, rows_are_copied_when_one_is_bad) {
  for (const auto* block : {"a", "d", "e"}) {
    Team team(world, "ring", 5, 1);
    team.spoil(3, block, std::numeric_limits<Real>::quiet_NaN());
    const Rows before = take_rows(team.in, team.layout);
    const auto channel = team.mixer->open_mean("g");
    channel->mix(6, team.in, team.out);
    EXPECT_TRUE(same_bits(take_rows(team.out, team.layout), before)) << block;
    EXPECT_TRUE(team.health.failed);
    EXPECT_EQ(team.health.agent, 3);
    EXPECT_EQ(team.health.iteration, 6);
    if (team.agents.owns(3)) {
      EXPECT_EQ(team.health.where, std::string("g, block ") + block);
    }
  }
}

TEST(Mean, counters_equal_the_plan) {
  for (const std::int64_t n : {1, 3, 8}) {
    Team team(world, "ring", n, 1);
    const auto channel = team.mixer->open_mean("g");
    for (std::int64_t k = 0; k < 3; ++k) channel->mix(k, team.in, team.out);
    std::int64_t bytes = channel->traffic().bytes;
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, world);
    const auto row = team.layout.dim() * static_cast<std::int64_t>(sizeof(Real));
    const MixPlan plan = plan_mean(n, row, size_of_comm(world));
    EXPECT_EQ(static_cast<double>(bytes), 3 * plan.bytes_between_ranks) << n;
  }
}

TEST(Plan, mean_sends_twice_all_but_its_own_part) {
  // 4 agents on 4 ranks: 3/4 of each row out and back, in messages of a header each.
  EXPECT_EQ(plan_mean(4, 4096, 4).bytes_per_agent, 2 * (3072 + 3 * 64.0));
  EXPECT_EQ(plan_mean(4, 4096, 4).bytes_between_ranks, 8 * (3072 + 3 * 64.0));
  EXPECT_EQ(plan_mean(4, 4096, 1).bytes_between_ranks, 0);
}

TEST(Mean, a_peer_in_another_iteration_is_named) {
  const int ranks = size_of_comm(world);
  if (ranks == 1) GTEST_SKIP() << "one rank has no peers";
  Team team(world, "ring", ranks, 1);
  const auto channel = team.mixer->open_mean("g");
  const std::int64_t k = rank_of(world) == 0 ? 8 : 7;
  channel->begin(k, team.in, 0);
  EXPECT_THROW(channel->finish(k), RunError);
}

}  // namespace
}  // namespace parley::test
