// SPDX-License-Identifier: BSD-3-Clause
// Contiguous blocks of agents cover every agent once, whatever the numbers.
#include "core/agents.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace parley {
namespace {

TEST(Agents, EveryAgentHasOneOwnerAndBlocksAreContiguous) {
  for (std::int64_t total = 1; total <= 20; ++total) {
    for (int ranks = 1; ranks <= 24; ++ranks) {
      std::vector<int> owners;
      for (int rank = 0; rank < ranks; ++rank) {
        const Agents agents(total, rank, ranks);
        ASSERT_EQ(agents.first(), static_cast<std::int64_t>(owners.size()));
        for (std::int64_t i = 0; i < agents.count(); ++i) owners.push_back(rank);
      }
      ASSERT_EQ(static_cast<std::int64_t>(owners.size()), total);
      const Agents any(total, 0, ranks);
      ASSERT_EQ(any.first_of(ranks), total);
      for (std::int64_t agent = 0; agent < total; ++agent) {
        ASSERT_EQ(any.owner(agent), owners[static_cast<std::size_t>(agent)])
            << total << " agents on " << ranks << " ranks";
      }
    }
  }
}

TEST(Agents, CountsDifferByOneAtMost) {
  const Agents agents(11, 0, 4);
  EXPECT_EQ(agents.count_of(0), 3);
  EXPECT_EQ(agents.count_of(2), 3);
  EXPECT_EQ(agents.count_of(3), 2);
}

TEST(Agents, LocalIndicesCountFromTheFirstOwned) {
  const Agents agents(11, 2, 4);
  EXPECT_EQ(agents.first(), 6);
  EXPECT_TRUE(agents.owns(8));
  EXPECT_FALSE(agents.owns(9));
  EXPECT_FALSE(agents.owns(5));
  EXPECT_EQ(agents.local(8), 2);
}

TEST(Agents, MoreRanksThanAgentsLeavesRanksEmpty) {
  const Agents agents(2, 5, 8);
  EXPECT_EQ(agents.count(), 0);
  EXPECT_FALSE(agents.owns(1));
}

}  // namespace
}  // namespace parley
