// SPDX-License-Identifier: BSD-3-Clause
// Timers: seconds and counts per name, callbacks in order, and the table over ranks.
#include "core/timer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace parley {
namespace {

void sleep_ms(int ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

TEST(Timers, AddUpByName) {
  Timers timers;
  for (int i = 0; i < 3; ++i) {
    const auto outer = timers.scope("outer");
    const auto inner = timers.scope("inner");
    sleep_ms(4);
  }
  EXPECT_EQ(timers.entries().size(), 2U);
  EXPECT_EQ(timers.entries().at("inner").count, 3);
  EXPECT_GE(timers.seconds("inner"), 0.012);
  EXPECT_GE(timers.seconds("outer"), timers.seconds("inner"));
  EXPECT_EQ(timers.seconds("other"), 0);
}

TEST(Timers, RegionsAreNested) {
  std::string trace;
  Timers timers([&](const std::string& name) { trace += "<" + name; }, [&] { trace += ">"; });
  {
    const auto outer = timers.scope("a");
    { const auto inner = timers.scope("b"); }
    const auto last = timers.scope("c");
  }
  EXPECT_EQ(trace, "<a<b><c>>");
}

TEST(Timers, TheTableSpansTheRanks) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Timers timers;
  {
    const auto scope = timers.scope("everywhere");
    sleep_ms(5 * (rank + 1));
  }
  if (rank == ranks - 1) const auto scope = timers.scope("last only");
  const auto rows = reduce_timers(MPI_COMM_WORLD, timers);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].name, "everywhere");
  EXPECT_EQ(rows[1].name, "last only");
  EXPECT_GE(rows[0].min, 0.005);
  EXPECT_GE(rows[0].max, 0.005 * ranks);
  EXPECT_LE(rows[0].min, rows[0].mean);
  EXPECT_LE(rows[0].mean, rows[0].max);
  EXPECT_EQ(rows[0].count, 1);
  EXPECT_EQ(rows[1].count, 1);
  if (ranks > 1) {
    EXPECT_EQ(rows[1].min, 0);
  }
  const auto text = format_timers(rows);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_LT(text.find("everywhere"), text.find("last only"));
}

TEST(Timers, NoTimersGiveAnEmptyTable) {
  EXPECT_TRUE(reduce_timers(MPI_COMM_WORLD, Timers()).empty());
}

}  // namespace
}  // namespace parley
