// SPDX-License-Identifier: BSD-3-Clause
// The GAN's field: derivatives of its own losses, blocks announced once, bits that depend on the
// batch alone, and refusals that name layer and shapes.
#include "games/gan_oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "kernels/noise.hpp"
#include "support/layer_list.hpp"

namespace parley {
namespace {

constexpr double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());

GanOptions options(const std::string& loss) {
  GanOptions result;
  result.loss = loss;
  result.penalty = 2;
  result.noise = 5;
  result.init = "uniform";
  result.generator = {make_layer_options("dense", 12), make_layer_options("tanh"),
                      make_layer_options("dense", 6)};
  result.discriminator = {make_layer_options("dense", 16), make_layer_options("tanh"),
                          make_layer_options("dense", 8), make_layer_options("leaky_relu"),
                          make_layer_options("dense", 1)};
  return result;
}

struct Problem {
  explicit Problem(const GanOptions& chosen)
      : oracle(chosen, {6}, {"deck.toml:3: game.generator", "deck.toml:4: game.discriminator"}),
        z(make_vector("test::z", oracle.layout().width())) {
    HostVector host("test::host", z.size());
    oracle.initialize({3, 0}, host);
    Kokkos::deep_copy(z, host);
  }

  void fill(std::int64_t batch) {
    oracle.reserve(batch);
    fill_normal(exec, {5, Purpose::batch, 0, 0}, oracle.real(batch));
    fill_normal(exec, {5, Purpose::noise, 0, 0}, oracle.noise(batch));
    fill_uniform(exec, {5, Purpose::interpolation, 0, 0}, oracle.mix(batch));
  }

  HostVector field(const Vector& at, std::int64_t batch) {
    fill(batch);
    const Vector f = make_vector("test::f", oracle.layout().width());
    blocks.clear();
    oracle.evaluate(exec, at, batch, f, losses, [&](std::int64_t b) { blocks.push_back(b); });
    fence(exec, "test");
    HostVector host("test::field", f.size());
    Kokkos::deep_copy(host, f);
    return host;
  }

  double loss_at(const Vector& direction, double step, Player player, std::int64_t batch) {
    const Vector at = make_vector("test::at", oracle.layout().width());
    Kokkos::parallel_for(Range(exec, 0, oracle.layout().width()), [=, this](std::int64_t i) {
      at(i) = z(i) + static_cast<Real>(step) * direction(i);
    });
    field(at, batch);
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), losses);
    return host(player == Player::x ? 0 : 1);
  }

  Exec exec;
  GanOracle oracle;
  Vector z;
  Doubles losses{"test::losses", 2};
  std::vector<std::int64_t> blocks;
};

class Loss : public ::testing::TestWithParam<std::string> {};

TEST_P(Loss, FieldIsTheDerivativeOfTheLosses) {
  if (!on_host) GTEST_SKIP() << "the test moves parameters by a host loop";
  const std::int64_t batch = 24;
  Problem problem(options(GetParam()));
  const HostVector f = problem.field(problem.z, batch);
  const double h = std::cbrt(epsilon);
  for (const Player player : {Player::x, Player::y}) {
    // The direction of the field itself: the derivative along it is its length.
    const Vector direction = make_vector("test::direction", problem.oracle.layout().width());
    double length = 0;
    for (const Block& block : problem.oracle.layout().blocks()) {
      if (block.player != player) continue;
      for (std::int64_t i = block.column; i < block.column + block.size; ++i) {
        direction(i) = f(i);
        length += static_cast<double>(f(i)) * static_cast<double>(f(i));
      }
    }
    const double difference = (problem.loss_at(direction, h, player, batch) -
                               problem.loss_at(direction, -h, player, batch)) /
                              (2 * h);
    EXPECT_GT(length, 1e-6);
    EXPECT_NEAR(difference, length, 100 * h * h * (1 + length));
  }
}

TEST_P(Loss, BlocksAreAnnouncedOnceAndPaddingStaysZero) {
  Problem problem(options(GetParam()));
  const HostVector f = problem.field(problem.z, 10);
  const auto& blocks = problem.oracle.layout().blocks();
  std::vector<std::int64_t> announced = problem.blocks;
  std::sort(announced.begin(), announced.end());
  ASSERT_EQ(announced.size(), blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(announced[i], static_cast<std::int64_t>(i));
  }
  std::vector<bool> inside(f.size(), false);
  for (const Block& block : blocks) {
    for (std::int64_t i = 0; i < block.size; ++i) {
      inside[static_cast<std::size_t>(block.column + i)] = true;
    }
  }
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (!inside[i]) {
      EXPECT_EQ(f(i), 0);
    }
  }
}

// Room for larger batches, reserved before or after, must not change a bit.
TEST_P(Loss, BitsDependOnTheBatchAlone) {
  Problem small(options(GetParam())), large(options(GetParam()));
  large.field(large.z, 50);
  const HostVector a = small.field(small.z, 13), b = large.field(large.z, 13);
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a(i), b(i));
}

INSTANTIATE_TEST_SUITE_P(All, Loss,
                         ::testing::Values("minimax", "non-saturating", "least-squares", "hinge",
                                           "wgan", "wgan-gp"));

TEST(Generate, SamplesDoNotDependOnHowManyAreAskedFor) {
  Problem problem(options("wgan"));
  const Matrix noise = make_matrix("test::noise", 600, 5);
  fill_normal(problem.exec, {6, Purpose::noise, 0, 0}, noise);
  const Matrix all = make_matrix("test::all", 600, 6), some = make_matrix("test::some", 7, 6);
  problem.oracle.generate(problem.exec, problem.z, noise, all);
  problem.oracle.generate(problem.exec, problem.z, rows(noise, 256, 263), some);
  fence(problem.exec, "test");
  const auto a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all);
  const auto b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), some);
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(a(256 + i, j), b(i, j));
  }
}

TEST(Shapes, MistakesNameLayerShapesAndPlace) {
  const auto message = [](const GanOptions& chosen, Shape sample) {
    try {
      const GanOracle oracle(chosen, sample,
                             {"deck.toml:3: game.generator", "deck.toml:4: game.discriminator"});
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string generator = message(options("wgan"), {1, 8, 8});
  EXPECT_NE(generator.find("deck.toml:3: game.generator"), std::string::npos) << generator;
  EXPECT_NE(generator.find("layer 2 (dense)"), std::string::npos) << generator;
  EXPECT_NE(generator.find("[6]"), std::string::npos) << generator;
  EXPECT_NE(generator.find("[1, 8, 8]"), std::string::npos) << generator;
  GanOptions wide = options("wgan");
  wide.discriminator.back() = make_layer_options("dense", 3);
  const std::string critic = message(wide, {6});
  EXPECT_NE(critic.find("deck.toml:4: game.discriminator"), std::string::npos) << critic;
  EXPECT_NE(critic.find("[3]"), std::string::npos) << critic;
  GanOptions empty = options("wgan");
  empty.generator = {make_layer_options("relu")};
  EXPECT_NE(message(empty, {6}).find("no layer with parameters"), std::string::npos);
  EXPECT_EQ(message(options("wgan"), {6}), "");
}

TEST(Initialize, FollowsItsRuleAndItsAgent) {
  GanOptions chosen = options("wgan");
  chosen.generator = {make_layer_options("dense", 400), make_layer_options("relu"),
                      make_layer_options("dense", 6)};
  chosen.noise = 50;
  const auto weights = [&](const std::string& init, std::int64_t agent) {
    chosen.init = init;
    const GanOracle oracle(chosen, {6}, {"a", "b"});
    HostVector z("test::z", static_cast<std::size_t>(oracle.layout().width()));
    oracle.initialize({3, agent}, z);
    const Block& block = oracle.layout().block("generator.0.weight");
    return std::vector<Real>(z.data() + block.column, z.data() + block.column + block.size);
  };
  const auto deviation = [](const std::vector<Real>& values) {
    double square = 0;
    for (const Real v : values) square += static_cast<double>(v) * static_cast<double>(v);
    return std::sqrt(square / static_cast<double>(values.size()));
  };
  EXPECT_NEAR(deviation(weights("he", 0)), std::sqrt(2.0 / 50), 0.004);
  EXPECT_NEAR(deviation(weights("xavier", 0)), std::sqrt(2.0) * std::sqrt(2.0 / 450), 0.002);
  EXPECT_NEAR(deviation(weights("uniform", 0)), std::sqrt(1.0 / 150), 0.002);
  EXPECT_NE(weights("he", 0), weights("he", 1));
}

}  // namespace
}  // namespace parley
