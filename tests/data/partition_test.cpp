// SPDX-License-Identifier: BSD-3-Clause
// Properties of every partition over many sizes and seeds, and the refusals.
#include "data/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>

#include "core/check.hpp"

namespace parley {
namespace {

using Rows = std::vector<std::int64_t>;

Choice plain(const std::string& kind) {
  return {kind, PlainPartitionOptions{}};
}
Choice by_label(std::int64_t each) {
  return {"label", LabelPartitionOptions{each}};
}
Choice dirichlet(double alpha, std::int64_t minimum) {
  return {"dirichlet", DirichletPartitionOptions{alpha, minimum}};
}

/// Labels that alternate, as many rows of each as of any other, or one more; classes below 11, not
/// 7.
Rows make_labels(std::int64_t rows, std::int64_t classes) {
  Rows labels;
  for (std::int64_t row = 0; row < rows; ++row) labels.push_back(row * 7 % classes);
  return labels;
}

void expect_complete(const Partition& partition, std::int64_t rows) {
  Rows seen;
  for (const Rows& mine : partition) {
    EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
    seen.insert(seen.end(), mine.begin(), mine.end());
  }
  std::sort(seen.begin(), seen.end());
  Rows all(static_cast<std::size_t>(rows));
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(seen, all);
}

std::string message_of(const Choice& kind, const Rows& labels, std::int64_t rows,
                       std::int64_t agents) {
  try {
    make_partition(kind, labels, rows, agents, 1, "deck.toml:9: data.partition");
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Partition, IsDisjointAndCompleteForEverySize) {
  for (const std::int64_t agents : {1, 2, 3, 7, 16}) {
    for (const std::int64_t rows : {agents, agents + 1, std::int64_t{50}, std::int64_t{997}}) {
      const Rows labels = make_labels(rows, 5);
      for (const std::uint64_t seed : {1U, 2U, 77U}) {
        for (const Choice& kind : {plain("iid"), plain("contiguous")}) {
          const auto partition = make_partition(kind, labels, rows, agents, seed, "here");
          expect_complete(partition, rows);
          EXPECT_EQ(partition, make_partition(kind, labels, rows, agents, seed, "here"));
          for (const Rows& mine : partition) {
            EXPECT_GE(static_cast<std::int64_t>(mine.size()), rows / agents);
            EXPECT_LE(static_cast<std::int64_t>(mine.size()), (rows + agents - 1) / agents);
          }
        }
        if (rows < 50) continue;
        expect_complete(make_partition(dirichlet(0.5, 1), labels, rows, agents, seed, "here"),
                        rows);
        if (2 * agents >= 5) {
          expect_complete(make_partition(by_label(2), labels, rows, agents, seed, "here"), rows);
        }
      }
    }
  }
}

TEST(Partition, DependsOnTheSeed) {
  const Rows labels = make_labels(400, 4);
  for (const Choice& kind : {plain("iid"), by_label(2), dirichlet(0.5, 1)}) {
    EXPECT_NE(make_partition(kind, labels, 400, 5, 1, "here"),
              make_partition(kind, labels, 400, 5, 2, "here"))
        << kind.kind;
  }
}

TEST(Partition, IidMixesTheOrderOfTheFile) {
  const auto partition = make_partition(plain("iid"), {}, 10000, 2, 3, "here");
  const auto low = std::count_if(partition[0].begin(), partition[0].end(),
                                 [](std::int64_t row) { return row < 5000; });
  // Hypergeometric: mean 2500, standard deviation 25.
  EXPECT_NEAR(static_cast<double>(low), 2500, 125);
}

TEST(Partition, ContiguousKeepsTheOrder) {
  const auto partition = make_partition(plain("contiguous"), {}, 7, 3, 1, "here");
  EXPECT_EQ(partition, (Partition{{0, 1, 2}, {3, 4}, {5, 6}}));
}

TEST(Partition, LabelGivesEachAgentExactlyItsLabels) {
  struct Case {
    std::int64_t agents, classes, each;
  };
  for (const Case& c : {Case{8, 8, 2}, Case{5, 10, 2}, Case{4, 6, 3}, Case{3, 3, 1}, Case{6, 4, 4},
                        Case{7, 5, 3}}) {
    const std::int64_t rows = 100 * c.classes;
    const Rows labels = make_labels(rows, c.classes);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto partition = make_partition(by_label(c.each), labels, rows, c.agents, seed, "here");
      expect_complete(partition, rows);
      std::vector<std::int64_t> holders(static_cast<std::size_t>(c.classes), 0);
      for (const Rows& mine : partition) {
        std::set<std::int64_t> held;
        for (const std::int64_t row : mine) held.insert(labels[static_cast<std::size_t>(row)]);
        EXPECT_EQ(static_cast<std::int64_t>(held.size()), c.each);
        for (const std::int64_t label : held) ++holders[static_cast<std::size_t>(label)];
      }
      const auto [least, most] = std::minmax_element(holders.begin(), holders.end());
      EXPECT_LE(*most - *least, c.agents * c.each % c.classes == 0 ? 0 : 1);
    }
  }
}

TEST(Partition, LabelSplitsTheRowsOfALabelEvenly) {
  const Rows labels = make_labels(1600, 8);
  for (const Rows& mine : make_partition(by_label(2), labels, 1600, 8, 5, "here")) {
    EXPECT_EQ(mine.size(), 200U);
  }
}

TEST(Partition, LabelRefusesToLoseRows) {
  const Rows labels = make_labels(100, 10);
  EXPECT_EQ(message_of(by_label(2), labels, 100, 4),
            "deck.toml:9: data.partition: labels_per_agent = 2 on 4 agents covers 8 of 10 labels, "
            "and the rows of the others would be lost; raise it to 3 or more");
  EXPECT_NE(message_of(by_label(11), labels, 100, 4).find("lower it to 10"), std::string::npos);
  // Two rows of each label cannot serve five holders each.
  EXPECT_NE(message_of(by_label(1), {0, 0, 0, 0, 0, 0, 0, 0, 1, 1}, 10, 10).find("gets no row"),
            std::string::npos);
}

TEST(Partition, DirichletKeepsTheMinimum) {
  const Rows labels = make_labels(1000, 10);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto partition = make_partition(dirichlet(0.3, 20), labels, 1000, 8, seed, "here");
    expect_complete(partition, 1000);
    for (const Rows& mine : partition) EXPECT_GE(mine.size(), 20U);
  }
}

TEST(Partition, DirichletSharesHaveTheMomentsOfTheDistribution) {
  constexpr std::int64_t rows = 2000, agents = 4;
  const Rows labels(static_cast<std::size_t>(rows), 0);
  for (const double alpha : {0.7, 3.0}) {
    double sum = 0, squares = 0;
    int draws = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
      // A Dirichlet draw may leave an agent without a row: the smallest minimum of all.
      const auto partition =
          make_partition(dirichlet(alpha, 1), labels, rows, agents, seed, "here");
      for (const Rows& mine : partition) {
        const double share = static_cast<double>(mine.size()) / rows;
        sum += share;
        squares += share * share;
        ++draws;
      }
    }
    const double mean = sum / draws, variance = squares / draws - mean * mean;
    const double expected = 0.25 * 0.75 / (agents * alpha + 1);
    EXPECT_NEAR(mean, 0.25, 1e-12);
    EXPECT_NEAR(variance, expected, 0.06 * expected) << alpha;
  }
}

TEST(Partition, DirichletEndsForATinyAlpha) {
  const Rows labels = make_labels(1000, 10);
  const auto begin = std::chrono::steady_clock::now();
  const std::string message = message_of(dirichlet(1e-6, 1), labels, 1000, 20);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(message,
            "deck.toml:9: data.partition: alpha = 1e-06: no draw out of 1000 gave each of 20 "
            "agents minimum = 1 rows; raise alpha, lower minimum or use fewer agents");
  EXPECT_LT(seconds.count(), 20);
  EXPECT_NE(message_of(dirichlet(1, 100), labels, 1000, 20).find("needs 2000 rows"),
            std::string::npos);
}

TEST(Partition, DirichletWithALargeAlphaIsEven) {
  const Rows labels = make_labels(10000, 10);
  for (const Rows& mine : make_partition(dirichlet(1e6, 1), labels, 10000, 5, 1, "here")) {
    EXPECT_NEAR(static_cast<double>(mine.size()), 2000, 20);
  }
}

TEST(Partition, ReplicatedGivesEveryAgentAllRows) {
  const auto partition = make_partition(plain("replicated"), {}, 9, 3, 1, "here");
  ASSERT_EQ(partition.size(), 3U);
  for (const Rows& mine : partition) EXPECT_EQ(mine, (Rows{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(Partition, RefusesMoreAgentsThanRowsAndMissingLabels) {
  for (const Choice& kind :
       {plain("iid"), plain("contiguous"), plain("replicated"), by_label(1), dirichlet(1, 1)}) {
    EXPECT_NE(message_of(kind, {0, 0, 0}, 3, 4).find("4 agents cannot share 3 rows"),
              std::string::npos)
        << kind.kind;
  }
  for (const Choice& kind : {by_label(1), dirichlet(1, 1)}) {
    EXPECT_NE(message_of(kind, {}, 10, 2).find("needs labels"), std::string::npos);
  }
}

}  // namespace
}  // namespace parley
