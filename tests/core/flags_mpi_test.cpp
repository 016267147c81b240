// SPDX-License-Identifier: BSD-3-Clause
// The flag word: every rank sees every rank's bits at the same iteration, however slow some are.
#include "core/flags.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

namespace parley {
namespace {

struct Rank {
  int rank = 0, ranks = 1;
  Rank() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
};

/// Iterations at which a bit is seen when rank `who` sets it at iteration `when`; `delay` sleeps.
std::vector<std::int64_t> seen_at(Flags& flags, std::int64_t first, int who, std::int64_t when,
                                  const std::function<void(std::int64_t)>& delay) {
  const Rank me;
  std::vector<std::int64_t> seen;
  for (std::int64_t k = first; k < first + 40; ++k) {
    delay(k);
    const bool set = me.rank == who && k == when;
    flags.post(k, set ? static_cast<std::uint32_t>(Flag::walltime) : 0);
    if (Flags::holds(flags.consume(k), Flag::walltime)) seen.push_back(k);
  }
  return seen;
}

void no_delay(std::int64_t) {}

TEST(Flags, EveryRankSeesABitExactlyOnceAfterTheLag) {
  const Rank me;
  Flags flags(MPI_COMM_WORLD);
  for (int who = 0; who < me.ranks; ++who) {
    const std::int64_t when = 5 + who;
    EXPECT_EQ(seen_at(flags, 1, who, when, no_delay), std::vector<std::int64_t>{when + 8});
    flags.finish();
  }
}

TEST(Flags, SlowRanksChangeNothing) {
  const Rank me;
  Flags flags(MPI_COMM_WORLD, 3);
  const auto delay = [&](std::int64_t k) {
    if ((k + me.rank) % 7 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3 * me.rank));
  };
  EXPECT_EQ(seen_at(flags, 1000, me.ranks - 1, 1010, delay), std::vector<std::int64_t>{1013});
}

TEST(Flags, ARankMayRunAheadByTheLag) {
  const Rank me;
  constexpr std::int64_t lag = 4;
  Flags flags(MPI_COMM_WORLD, lag);
  // Rank 0 posts its first `lag` words although the others have not begun: no barrier is hidden.
  if (me.rank == 0) {
    for (std::int64_t k = 1; k <= lag; ++k) {
      flags.post(k, 1);
      EXPECT_EQ(flags.consume(k), 0U);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (me.rank != 0) {
    for (std::int64_t k = 1; k <= lag; ++k) {
      flags.post(k, 2);
      EXPECT_EQ(flags.consume(k), 0U);
    }
  }
  flags.post(lag + 1, 0);
  EXPECT_EQ(flags.consume(lag + 1), me.ranks > 1 ? 3U : 1U);
}

TEST(Flags, FinishGivesWhatWasUnderWay) {
  const Rank me;
  Flags flags(MPI_COMM_WORLD);
  for (std::int64_t k = 1; k <= 3; ++k) {
    flags.post(k, k == 2 && me.rank == me.ranks - 1 ? 4U : 0U);
    flags.consume(k);
  }
  EXPECT_EQ(flags.finish(), 4U);
  EXPECT_EQ(flags.finish(), 0U);
}

TEST(Flags, PostsOutOfOrderAreMistakes) {
  Flags flags(MPI_COMM_WORLD, 2);
  flags.post(1, 0);
  EXPECT_THROW(flags.post(3, 0), std::logic_error);
  flags.post(2, 0);
  flags.post(3, 0);
  EXPECT_THROW(flags.post(4, 0), std::logic_error);  // iteration 1 was never consumed
  EXPECT_THROW(flags.consume(2), std::logic_error);
}

}  // namespace
}  // namespace parley
