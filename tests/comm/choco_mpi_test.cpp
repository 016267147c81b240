// SPDX-License-Identifier: BSD-3-Clause
// Compressed mixing on 1, 2, 4 ranks: plain mixing with the identity, the round of the header for
// every rule, mean, bits of one rank, bytes as planned, flagged rows, memory in the state.
#include <algorithm>
#include <functional>
#include <optional>
#include <type_traits>

#include "comm/compressor.hpp"
#include "comm/host/subset.hpp"
#include "comm/mixing.hpp"
#include "core/check.hpp"
#include "deck/fields_of.hpp"

namespace parley::test {
namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr double epsilon = std::numeric_limits<Real>::epsilon();

MixerOptions options_of(const std::string& rule, double step, double share = 0.1) {
  MixerOptions options;
  options.seed = 5;
  const Kind& kind = find_compressor(rule).kind;
  options.compression = {rule, kind.defaults()};
  SetFields fields;
  fields.reals = {{"step", step}, {"share", share}};
  kind.describe(fields, options.compression.options);
  return options;
}

Mixing ring_of(std::int64_t n) {
  return Mixing(weights_of("ring", n));
}

/// `mixes` mixes, each on the rows that the one before returned.
Rows mixed(Team& team, std::int64_t mixes) {
  const auto channel = team.mixer->open("z");
  for (std::int64_t k = 1; k <= mixes; ++k) {
    channel->mix(k, team.in, team.out);
    std::swap(team.in, team.out);
  }
  return take_rows(team.in, team.layout);
}

constexpr const char* rules[] = {"identity", "top-k", "rand-k", "bf16"};

TEST(Choco, with_the_identity_is_plain_mixing) {
  for (const std::int64_t rounds : {1, 3}) {
    Team plain(world, ring_of(8), rounds);
    Team choco(world, ring_of(8), rounds, options_of("identity", 1));
    const Rows expected = mixed(plain, 6), found = mixed(choco, 6);
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (std::size_t p = 0; p < found[i].size(); ++p) {
        ASSERT_NEAR(found[i][p], expected[i][p], 20 * epsilon);
      }
    }
  }
}

TEST(Choco, has_the_bits_of_one_rank_and_keeps_the_mean) {
  for (const auto* rule : rules) {
    for (const std::int64_t rounds : {1, 2}) {
      SCOPED_TRACE(fmt::format("{}, {} rounds", rule, rounds));
      const MixerOptions options = options_of(rule, 0.1, 0.3);
      Team team(world, ring_of(7), rounds, options),
          alone(MPI_COMM_SELF, ring_of(7), rounds, options);
      const Rows before = take_rows(alone.in, alone.layout);
      const Rows all = mixed(alone, 20);
      EXPECT_TRUE(same_bits(mixed(team, 20), own(all, team.agents)));
      EXPECT_FALSE(team.health.failed);
      double moved = 0;
      for (std::size_t p = 0; p < before[0].size(); ++p) {
        double drift = 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
          drift += static_cast<double>(all[i][p]) - static_cast<double>(before[i][p]);
          moved = std::max(moved, std::abs(static_cast<double>(all[i][p] - before[i][p])));
        }
        ASSERT_LT(std::abs(drift) / 7, 40 * epsilon) << "column " << p;
      }
      EXPECT_GT(moved, 0.1);
    }
  }
}

/// Consensus error of the rows over that of the start.
double shrinkage(const std::string& rule, double step, double share, std::int64_t mixes) {
  Team team(MPI_COMM_SELF, ring_of(8), 1, options_of(rule, step, share));
  const auto spread_of = [](const Rows& rows) {
    double sum = 0;
    for (std::size_t p = 0; p < rows[0].size(); ++p) {
      double mean = 0;
      for (const auto& row : rows) mean += static_cast<double>(row[p]) / 8;
      for (const auto& row : rows) sum += std::pow(static_cast<double>(row[p]) - mean, 2);
    }
    return std::sqrt(sum);
  };
  const double before = spread_of(take_rows(team.in, team.layout));
  return spread_of(mixed(team, mixes)) / before;
}

TEST(Choco, agrees_where_the_step_suits_the_rule) {
  // Errors fall to rounding: nothing that a message leaves out is lost.
  EXPECT_LT(shrinkage("bf16", 1, 1, 300), 1e-3);
  EXPECT_LT(shrinkage("top-k", 0.2, 0.1, 800), 1e-2);
  EXPECT_LT(shrinkage("rand-k", 0.1, 0.1, 2000), 1e-2);
}

TEST(Choco, equal_rows_from_an_equal_start_send_nothing_new) {
  Team team(world, ring_of(5), 1, options_of("top-k", 0.2));
  const Rows rows(static_cast<std::size_t>(team.agents.count()),
                  std::vector<Real>(static_cast<std::size_t>(team.layout.dim()), Real(0.3)));
  put_rows(team.in, team.layout, rows);
  const auto channel = team.mixer->open("z");
  channel->start_at(team.in);
  for (std::int64_t k = 1; k <= 3; ++k) {
    channel->mix(k, team.in, team.out);
    EXPECT_TRUE(same_bits(take_rows(team.out, team.layout), rows));
  }
}

TEST(Choco, bytes_equal_the_plan) {
  for (const auto* rule : rules) {
    const MixerOptions options = options_of(rule, 0.1);
    Team team(world, ring_of(8), 3, options);
    const auto channel = team.mixer->open("z");
    for (std::int64_t k = 1; k <= 4; ++k) {
      channel->mix(k, team.in, team.out);
      std::swap(team.in, team.out);
    }
    EXPECT_EQ(channel->traffic().rounds, 12);
    std::int64_t bytes = channel->traffic().bytes;
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, world);
    const std::int64_t payload = message_bytes(options, team.layout.dim());
    const MixPlan plan = plan_gossip(team.mixing.at(0), 3, payload, size_of_comm(world));
    EXPECT_EQ(static_cast<double>(bytes), 4 * plan.bytes_between_ranks) << rule;
  }
}

TEST(Choco, messages_hold_what_their_rules_say) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(Real));
  EXPECT_EQ(message_bytes(options_of("identity", 1), 1000), 1000 * size);
  EXPECT_EQ(message_bytes(options_of("top-k", 1), 1000), 100 * (size + 4));
  EXPECT_EQ(message_bytes(options_of("rand-k", 1), 1000), 100 * size);
  EXPECT_EQ(message_bytes(options_of("bf16", 1), 1000), 2000);
  EXPECT_EQ(message_bytes(options_of("top-k", 1, 0.001), 10), size == 4 ? 8 : 16);
}

TEST(Choco, rows_that_would_include_a_bad_one_are_copied) {
  for (const auto* rule : rules) {
    for (const std::int64_t rounds : {1, 2}) {
      SCOPED_TRACE(fmt::format("{}, {} rounds", rule, rounds));
      Team team(world, ring_of(8), rounds, options_of(rule, 0.5));
      team.spoil(3, "c", std::numeric_limits<Real>::quiet_NaN());
      const Rows before = take_rows(team.in, team.layout);
      team.mixer->open("z")->mix(5, team.in, team.out);
      const Rows found = take_rows(team.out, team.layout);
      for (std::size_t i = 0; i < found.size(); ++i) {
        const std::int64_t agent = team.agents.first() + static_cast<std::int64_t>(i);
        const bool copied = std::abs(agent - 3) <= 1;
        EXPECT_EQ(same_bits({found[i]}, {before[i]}), copied) << agent;
        EXPECT_TRUE(team.health.failed || !copied);
        if (agent == 3) {
          EXPECT_EQ(team.health.where, "z, block c");
        }
      }
      if (team.health.failed) {
        EXPECT_EQ(team.health.agent, 3);
        EXPECT_EQ(team.health.iteration, 5);
      }
    }
  }
}

TEST(Choco, the_state_goes_on) {
  for (const auto* rule : rules) {
    Team team(world, ring_of(6), 2, options_of(rule, 0.1));
    // The same number, hence the same draws, as the first channel of a mixer.
    Team other(world, ring_of(6), 2, options_of(rule, 0.1));
    const auto from = team.mixer->open("z"), to = other.mixer->open("z");
    for (std::int64_t k = 1; k <= 3; ++k) {
      from->mix(k, team.in, team.out);
      std::swap(team.in, team.out);
    }
    const StateList saved = from->state(), loaded = to->state();
    ASSERT_EQ(saved.entries().size(), 2U);
    for (std::size_t e = 0; e < 2; ++e) {
      const StateEntry& entry = saved.entries()[e];
      std::vector<std::byte> bytes(static_cast<std::size_t>(team.agents.count() * entry.width) *
                                   size_of(entry.type));
      entry.save(bytes);
      loaded.entries()[e].load(bytes);
    }
    from->mix(4, team.in, team.out);
    to->mix(4, team.in, other.out);
    EXPECT_TRUE(same_bits(take_rows(team.out, team.layout), take_rows(other.out, other.layout)));
  }
}

TEST(Choco, mistakes_of_the_caller_are_refused) {
  Team team(MPI_COMM_SELF, ring_of(3), 1, options_of("bf16", 1));
  EXPECT_THROW(team.mixer->open("z", {{0, 2}, {2, 5}}), std::logic_error);
  const auto channel = team.mixer->open("z");
  channel->begin(1, team.in, 0);
  EXPECT_THROW(channel->begin(1, team.in, 0), std::logic_error);
  EXPECT_THROW(channel->end(1, team.in), std::logic_error);
  channel->end(1, team.out);
}

TEST(Subset, is_floyds_and_every_number_is_alike_likely) {
  const Philox random{7, Purpose::compression, 3, 11};
  EXPECT_TRUE(random_subset(random, 5, 0).empty());
  EXPECT_EQ(random_subset(random, 4, 4), (std::vector<std::int32_t>{0, 1, 2, 3}));
  std::vector<int> count(10, 0);
  constexpr int draws = 4000;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    const auto subset = random_subset({7, Purpose::compression, 3, draw}, 10, 3);
    ASSERT_EQ(subset.size(), 3U);
    ASSERT_TRUE(std::is_sorted(subset.begin(), subset.end()));
    ASSERT_EQ(std::adjacent_find(subset.begin(), subset.end()), subset.end());
    for (const std::int32_t i : subset) ++count[static_cast<std::size_t>(i)];
  }
  // Binomial of mean 1200 and deviation 29.
  for (const int c : count) EXPECT_NEAR(c, 1200, 120);
}

}  // namespace
}  // namespace parley::test
