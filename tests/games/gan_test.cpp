// SPDX-License-Identifier: BSD-3-Clause
// The gan game with data: rows that do not depend on how agents are dealt to ranks, samples as
// identities, clipping, measures, samples for snapshots, and the plan's figures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "games/game.hpp"
#include "games/gan_options.hpp"
#include "kernels/philox.hpp"
#include "support/layer_list.hpp"

namespace parley {
namespace {

constexpr std::int64_t agents_total = 4, rows_per_agent = 40, test_rows = 60;

Deck make_deck(const std::string& loss) {
  GanOptions options;
  options.loss = loss;
  options.noise = 3;
  options.clip = 0.05;
  options.generator = {make_layer_options("dense", 16), make_layer_options("relu"),
                       make_layer_options("dense", 2)};
  options.discriminator = {make_layer_options("dense", 20), make_layer_options("leaky_relu"),
                           make_layer_options("dense", 1)};
  Deck deck;
  deck.run.agents = agents_total;
  deck.run.seed = 9;
  deck.game = {"gan", options};
  return deck;
}

/// Gaussian rows around two centers; agent m's rows are the same on any rank.
DataSet make_data(const Agents& agents) {
  DataSet data;
  data.shape.shape = {2};
  data.shape.features = 2;
  data.shape.train_rows = agents_total * rows_per_agent;
  data.shape.test_rows = test_rows;
  const auto append = [](std::vector<std::byte>& to, std::int64_t agent, std::int64_t count) {
    const Philox random{1, Purpose::generate, agent, 0};
    for (std::int64_t i = 0; i < 2 * count; ++i) {
      const float center = (i / 2) % 2 == 0 ? 1.0F : -1.0F;
      const float value =
          center + 0.1F * static_cast<float>(random.normal(static_cast<std::uint64_t>(i)));
      std::byte bytes[sizeof value];
      std::memcpy(bytes, &value, sizeof value);
      to.insert(to.end(), bytes, bytes + sizeof value);
    }
  };
  for (std::int64_t local = 0; local < agents.count(); ++local) {
    append(data.rows, agents.first() + local, rows_per_agent);
    data.begin.push_back(local * rows_per_agent);
  }
  data.agent_rows.assign(agents_total, rows_per_agent);
  append(data.test, 1000, test_rows);
  data.mixture = Mixture{{1, 1, -1, -1}, 0.1, 2};
  return data;
}

struct World {
  World(const std::string& loss, int rank, int ranks)
      : deck(make_deck(loss)),
        agents(agents_total, rank, ranks),
        data(make_data(agents)),
        game(find_game("gan").make({deck, agents, &data})),
        z(make_matrix("test::z", agents.count(), game->layout().width())),
        f(make_matrix("test::f", agents.count(), game->layout().width())) {
    game->initial(5, "per_agent", z);
  }

  /// The field's rows of the local agents on the host.
  HostMatrix field(const Sample& sample) {
    game->field(exec, z, sample, f, not_watched);
    HostMatrix host("test::field", f.extent(0), f.extent(1));
    Kokkos::deep_copy(host, f);
    return host;
  }

  Exec exec;
  Deck deck;
  Agents agents;
  DataSet data;
  std::unique_ptr<Game> game;
  Matrix z, f;
};

const Sample training{7, Stream::train, 3, 16};

class Game4 : public ::testing::TestWithParam<std::string> {};

TEST_P(Game4, RowsDoNotDependOnTheNumberOfRanks) {
  World one(GetParam(), 0, 1);
  for (const Sample& sample : {training, Sample{7, Stream::train, 4, 0}}) {
    const HostMatrix all = one.field(sample);
    for (int rank = 0; rank < 3; ++rank) {
      World part(GetParam(), rank, 3);
      const HostMatrix own = part.field(sample);
      for (std::size_t local = 0; local < own.extent(0); ++local) {
        const std::size_t agent = local + static_cast<std::size_t>(part.agents.first());
        for (std::size_t j = 0; j < own.extent(1); ++j) ASSERT_EQ(own(local, j), all(agent, j));
      }
    }
  }
}

TEST_P(Game4, ASampleIsAnIdentity) {
  World world(GetParam(), 0, 1);
  const HostMatrix first = world.field(training);
  std::vector<double> x(agents_total), y(agents_total), x2(agents_total), y2(agents_total);
  world.game->losses(x, y);
  const HostMatrix record = world.field({7, Stream::record, 3, 16});
  world.game->losses(x2, y2);
  EXPECT_EQ(x, x2);  // records leave the training losses alone
  EXPECT_EQ(y, y2);
  const HostMatrix other = world.field({7, Stream::train, 4, 16});
  const HostMatrix again = world.field(training);
  double moved = 0, recorded = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    ASSERT_EQ(first.data()[i], again.data()[i]);
    moved += std::abs(static_cast<double>(first.data()[i] - other.data()[i]));
    recorded += std::abs(static_cast<double>(first.data()[i] - record.data()[i]));
  }
  EXPECT_GT(moved, 1e-3);
  EXPECT_GT(recorded, 1e-3);
  for (const double loss : x) EXPECT_TRUE(std::isfinite(loss));
}

INSTANTIATE_TEST_SUITE_P(Losses, Game4, ::testing::Values("non-saturating", "wgan", "wgan-gp"));

TEST(Gan, SameOrPerAgentStart) {
  World world("wgan", 0, 1);
  const auto differ = [&] {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), world.z);
    double sum = 0;
    for (std::size_t j = 0; j < host.extent(1); ++j) {
      sum += std::abs(static_cast<double>(host(0, j) - host(3, j)));
    }
    return sum;
  };
  EXPECT_GT(differ(), 1);
  world.game->initial(5, "same", world.z);
  EXPECT_EQ(differ(), 0);
}

TEST(Gan, ClipsTheDiscriminatorOfWganOnly) {
  for (const std::string loss : {"wgan", "wgan-gp"}) {
    World world(loss, 0, 1);
    world.game->prox(world.exec, world.z, one);
    fence(world.exec, "test");
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), world.z);
    double largest_x = 0, largest_y = 0;
    for (std::size_t j = 0; j < host.extent(1); ++j) {
      const bool is_y = static_cast<std::int64_t>(j) >= world.game->layout().y_begin();
      double& largest = is_y ? largest_y : largest_x;
      largest = std::max(largest, std::abs(static_cast<double>(host(1, j))));
    }
    EXPECT_GT(largest_x, 0.05);
    if (loss == "wgan") {
      EXPECT_EQ(largest_y, static_cast<double>(static_cast<Real>(0.05)));
    } else {
      EXPECT_GT(largest_y, 0.05);
    }
  }
}

TEST(Gan, MeasuresAddUpOverRanks) {
  World one("wgan", 0, 1);
  std::set<std::string> names;
  for (Measure& whole : one.game->measures()) {
    names.insert(whole.name);
    for (const Measure::Derived& derived : whole.more) names.insert(derived.name);
    // At the mean, every agent is given the same row.
    for (std::int64_t m = 1; m < agents_total; ++m) {
      Kokkos::deep_copy(row(one.z, m), row(one.z, 0));
    }
    std::vector<double> all(static_cast<std::size_t>(agents_total * whole.parts));
    whole.evaluate(one.exec, one.z, all);
    double sum = 0;
    std::size_t number = 0;
    for (int rank = 0; rank < 2; ++rank) {
      World part("wgan", rank, 2);
      for (std::int64_t m = 0; m < part.agents.count(); ++m) {
        Kokkos::deep_copy(row(part.z, m), row(one.z, 0));
      }
      std::vector<double> own(static_cast<std::size_t>(part.agents.count() * whole.parts));
      for (Measure& measure : part.game->measures()) {
        if (measure.name == whole.name) measure.evaluate(part.exec, part.z, own);
      }
      for (const double value : own) {
        EXPECT_EQ(value, all[number++]) << whole.name;
        sum += value;
      }
    }
    EXPECT_EQ(number, all.size());
    EXPECT_TRUE(std::isfinite(sum));
    if (whole.name == "swd") {
      EXPECT_GT(sum, 0.05);
    }
  }
  EXPECT_EQ(names, (std::set<std::string>{"swd", "modes", "share", "kl"}));
}

TEST(Gan, GeneratesTheSameSamplesAgain) {
  World world("wgan", 0, 1);
  const auto few = world.game->generate(world.exec, row(world.z, 0), 5);
  const auto many = world.game->generate(world.exec, row(world.z, 0), 300);
  ASSERT_TRUE(few && many);
  EXPECT_EQ(few->shape, Shape{2});
  ASSERT_EQ(many->values.size(), 600U);
  EXPECT_TRUE(std::equal(few->values.begin(), few->values.end(), many->values.begin()));
}

// The counts of the speed table: 112 MFLOP for the 2-D mixture's products at batch 256.
TEST(Gan, PlanCountsParametersAndWork) {
  Deck deck = make_deck("wgan-gp");
  GanOptions options = deck.game.as<GanOptions>();
  options.noise = 2;
  options.generator = {make_layer_options("dense", 128), make_layer_options("relu"),
                       make_layer_options("dense", 128), make_layer_options("relu"),
                       make_layer_options("dense", 2)};
  options.discriminator = {make_layer_options("dense", 128), make_layer_options("leaky_relu"),
                           make_layer_options("dense", 128), make_layer_options("leaky_relu"),
                           make_layer_options("dense", 1)};
  deck.game.options = options;
  const DataShape shape = make_data(Agents(agents_total, 0, 1)).shape;
  const GamePlan plan = find_game("gan").plan(deck, &shape, 256);
  EXPECT_EQ(plan.layout.dim(), 34179);
  EXPECT_NEAR(plan.flops_per_call, 111.5e6, 0.2e6);
  EXPECT_GT(plan.shared_bytes, 3 * 256 * 256 * static_cast<std::int64_t>(sizeof(Real)));
  const GamePlan full = find_game("gan").plan(deck, &shape, 0);
  EXPECT_NEAR(full.flops_per_call / plan.flops_per_call, 40.0 / 256, 1e-12);
}

}  // namespace
}  // namespace parley
