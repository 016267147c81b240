// SPDX-License-Identifier: BSD-3-Clause
// Batches of agents: a function of (sample, agent), whatever the rank that holds the agent.
#include "solver/features.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

namespace parley {
namespace {

/// Three agents with 4, 1 and 3 rows; row r of the run holds (2 r, 2 r + 1), the game sees half of
/// it.
DataSet make_data(const Agents& agents) {
  const std::vector<std::int64_t> sizes{4, 1, 3}, starts{0, 4, 5};
  DataSet data;
  data.shape = {{2}, 2, 8, 3, ElementType::u8};
  data.agent_rows = sizes;
  data.scale = 0.5;
  for (std::int64_t m = 0; m < agents.count(); ++m) {
    const auto agent = static_cast<std::size_t>(agents.first() + m);
    data.begin.push_back(static_cast<std::int64_t>(data.rows.size()) / 2);
    for (std::int64_t i = 2 * starts[agent]; i < 2 * (starts[agent] + sizes[agent]); ++i) {
      data.rows.push_back(static_cast<std::byte>(i));
    }
  }
  for (int i = 0; i < 6; ++i) data.test.push_back(static_cast<std::byte>(100 + i));
  return data;
}

std::vector<Real> draw(const Features& features, std::int64_t local, const Sample& sample) {
  const Exec exec;
  const Matrix out = make_matrix("out", features.batch_rows(local, sample), 2);
  features.gather(exec, local, sample, out);
  fence(exec, "test");
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), out);
  return {host.data(), host.data() + host.size()};
}

TEST(Features, BatchesDoNotDependOnTheRanks) {
  const Agents alone(3, 0, 1);
  const Features all(make_data(alone), alone);
  for (const int ranks : {2, 3}) {
    for (int rank = 0; rank < ranks; ++rank) {
      const Agents agents(3, rank, ranks);
      const Features mine(make_data(agents), agents);
      for (std::int64_t m = 0; m < agents.count(); ++m) {
        for (const std::int64_t batch : {0, 1, 64}) {
          const Sample sample{5, Stream::train, 9, batch};
          EXPECT_EQ(draw(mine, m, sample), draw(all, agents.first() + m, sample));
        }
      }
    }
  }
}

TEST(Features, ABatchHoldsTheAgentsOwnRowsOnly) {
  const Agents alone(3, 0, 1);
  const Features features(make_data(alone), alone);
  const std::vector<std::set<Real>> owned{{0, 1, 2, 3}, {4}, {5, 6, 7}};
  for (std::int64_t m = 0; m < 3; ++m) {
    const auto values = draw(features, m, {1, Stream::train, 0, 200});
    std::set<Real> seen;
    for (std::size_t i = 0; i < values.size(); i += 2) {
      EXPECT_EQ(values[i + 1], values[i] + Real(0.5));
      seen.insert(values[i]);
    }
    EXPECT_EQ(seen, owned[static_cast<std::size_t>(m)]);
  }
}

TEST(Features, TheFullBatchIsAllRowsInOrder) {
  const Agents alone(3, 0, 1);
  const Features features(make_data(alone), alone);
  EXPECT_EQ(features.rows(2), 3);
  EXPECT_EQ(draw(features, 2, {1, Stream::train, 0, 0}),
            (std::vector<Real>{5, 5.5, 6, 6.5, 7, 7.5}));
}

TEST(Features, DrawsStreamsSeedsAndAgentsDiffer) {
  const Agents alone(3, 0, 1);
  const Features features(make_data(alone), alone);
  const Sample sample{1, Stream::train, 0, 50};
  const auto first = draw(features, 0, sample);
  EXPECT_EQ(first, draw(features, 0, sample));
  EXPECT_NE(first, draw(features, 0, {1, Stream::train, 1, 50}));
  EXPECT_NE(first, draw(features, 0, {1, Stream::record, 0, 50}));
  EXPECT_NE(first, draw(features, 0, {2, Stream::train, 0, 50}));
}

TEST(Features, HeldOutRowsAreScaled) {
  const Agents alone(3, 0, 1);
  const Features features(make_data(alone), alone);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), features.test());
  ASSERT_EQ(host.extent(0), 3U);
  EXPECT_EQ(host(2, 1), Real(52.5));
}

TEST(Features, ARankWithoutAgentsHoldsNothing) {
  const Agents agents(3, 3, 4);
  const Features features(make_data(agents), agents);
  EXPECT_EQ(features.test().extent(0), 3U);
}

TEST(Features, RefusesABatchOfAnotherSize) {
  const Agents alone(3, 0, 1);
  const Features features(make_data(alone), alone);
  EXPECT_THROW(features.gather(Exec(), 0, {1, Stream::train, 0, 4}, make_matrix("out", 5, 2)),
               std::logic_error);
}

}  // namespace
}  // namespace parley
