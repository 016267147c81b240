// SPDX-License-Identifier: BSD-3-Clause
// The affine games: field and losses against the functions they belong to, the dense saddle point,
// the start, the noise, and what does not depend on ranks.
#include "games/affine.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "deck/reader.hpp"
#include "kernels/philox.hpp"
#include "solver/registries.hpp"
#include "solver/rows.hpp"

namespace parley {
namespace {

constexpr double tolerance = sizeof(Real) == 4 ? 2e-5 : 1e-12;
constexpr std::int64_t dx = 3, dy = 2;
using Numbers = std::vector<double>;

double number(std::int64_t a, std::int64_t b) {
  return std::sin(1.7 * static_cast<double>(a) + 0.9 * static_cast<double>(b));
}

Numbers numbers(std::int64_t seed, std::int64_t size) {
  Numbers out;
  for (std::int64_t i = 0; i < size; ++i) out.push_back(number(seed, i));
  return out;
}

/// A symmetric matrix with a dominant diagonal: positive definite.
Numbers definite(std::int64_t seed, std::int64_t n) {
  Numbers a(static_cast<std::size_t>(n * n));
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      a[static_cast<std::size_t>(i * n + j)] =
          i == j ? static_cast<double>(n) + 1 : 0.5 * (number(seed + i, j) + number(seed + j, i));
    }
  }
  return a;
}

AffineAgent agent_of(std::int64_t m) {
  return {definite(10 * m, dx), numbers(10 * m + 5, dx * dy), definite(10 * m + 6, dy),
          numbers(10 * m + 7, dx), numbers(10 * m + 8, dy)};
}

/// x'Px/2 + x'Ay - y'Qy/2 + b'x + c'y by its definition.
double value(const AffineAgent& g, const Numbers& z) {
  const auto at = [](const Numbers& v, std::int64_t i) { return v[static_cast<std::size_t>(i)]; };
  double f = 0;
  for (std::int64_t i = 0; i < dx; ++i) {
    f += at(g.b, i) * at(z, i);
    for (std::int64_t j = 0; j < dx; ++j) f += at(z, i) * at(g.p, i * dx + j) * at(z, j) / 2;
    for (std::int64_t j = 0; j < dy; ++j) f += at(z, i) * at(g.a, i * dy + j) * at(z, dx + j);
  }
  for (std::int64_t i = 0; i < dy; ++i) {
    f += at(g.c, i) * at(z, dx + i);
    for (std::int64_t j = 0; j < dy; ++j) {
      f -= at(z, dx + i) * at(g.q, i * dy + j) * at(z, dx + j) / 2;
    }
  }
  return f;
}

/// (grad_x f, -grad_y f): central differences are exact on quadratics but for round-off.
Numbers field_by_differences(const AffineAgent& g, const Numbers& z) {
  Numbers out;
  for (std::size_t i = 0; i < z.size(); ++i) {
    Numbers up = z, down = z;
    up[i] += 0.5;
    down[i] -= 0.5;
    const double slope = value(g, up) - value(g, down);
    out.push_back(i < static_cast<std::size_t>(dx) ? slope : -slope);
  }
  return out;
}

Deck deck_of(std::int64_t agents) {
  const std::string text = fmt::format(
      "[run]\nagents = {}\n[game]\nkind = \"bilinear\"\n[method]\nkind = \"dposg\"\n", agents);
  return read_deck({"affine.toml", text, "", {}}, registries());
}

/// The game on one rank of several, with rows for its agents.
struct Table {
  explicit Table(std::int64_t total, double noise = 0, int rank = 0, int ranks = 1)
      : deck(deck_of(total)),
        agents(total, rank, ranks),
        game(make_affine_game({dx, dy, agent_of, 1.5, {noise, noise}}, {deck, agents, nullptr},
                              "here")),
        z(make_matrix("z", agents.count(), game->layout().width())),
        f(make_matrix("f", agents.count(), game->layout().width())) {
    game->initial(7, "per_agent", z);
  }
  std::vector<Real> field(const Sample& sample) {
    game->field(exec, z, sample, f, not_watched);
    fence(exec, "test");
    return pack_rows(f, game->layout());
  }
  Deck deck;
  Agents agents;
  Exec exec;
  std::unique_ptr<Game> game;
  Matrix z, f;
};

Numbers packed_row(const std::vector<Real>& rows, std::int64_t i) {
  return {rows.begin() + i * (dx + dy), rows.begin() + (i + 1) * (dx + dy)};
}

TEST(Affine, FieldAndLossesBelongToTheFunction) {
  Table table(3);
  const auto z = pack_rows(table.z, table.game->layout());
  const auto f = table.field({1, Stream::train, 0, 0});
  Numbers loss_x(3), loss_y(3);
  table.game->losses(loss_x, loss_y);
  for (std::int64_t m = 0; m < 3; ++m) {
    const Numbers row = packed_row(z, m), got = packed_row(f, m);
    const Numbers expected = field_by_differences(agent_of(m), row);
    for (std::size_t j = 0; j < row.size(); ++j) {
      EXPECT_NEAR(got[j], expected[j], 20 * tolerance) << "agent " << m << ", number " << j;
    }
    const auto at = static_cast<std::size_t>(m);
    EXPECT_NEAR(loss_x[at], value(agent_of(m), row), 20 * tolerance);
    EXPECT_EQ(loss_y[at], -loss_x[at]);
  }
}

TEST(Affine, TheMeanFieldVanishesAtTheSolution) {
  Table table(4);
  const auto measures = table.game->measures();
  ASSERT_EQ(measures.size(), 2U);
  EXPECT_EQ(measures[0].name, "distance_to_solution");
  // Descend along the mean field by extragradient steps until it vanishes, then ask the measure.
  Numbers z = packed_row(pack_rows(table.z, table.game->layout()), 0);
  const auto mean_field = [](const Numbers& at) {
    Numbers sum(at.size(), 0.0);
    for (std::int64_t m = 0; m < 4; ++m) {
      const Numbers own = field_by_differences(agent_of(m), at);
      for (std::size_t j = 0; j < at.size(); ++j) sum[j] += own[j] / 4;
    }
    return sum;
  };
  const auto moved = [](const Numbers& from, const Numbers& along) {
    Numbers out = from;
    for (std::size_t j = 0; j < out.size(); ++j) out[j] -= 0.08 * along[j];
    return out;
  };
  for (int k = 0; k < 300; ++k) z = moved(z, mean_field(moved(z, mean_field(z))));
  std::vector<Real> rows;
  for (int m = 0; m < 4; ++m) rows.insert(rows.end(), z.begin(), z.end());
  Numbers before(4), after(4);
  measures[0].evaluate(table.exec, table.z, before);
  unpack_rows(rows, table.game->layout(), table.z);
  measures[0].evaluate(table.exec, table.z, after);
  for (std::size_t m = 0; m < 4; ++m) {
    EXPECT_GT(before[m], 0.1);
    EXPECT_LT(after[m], 20 * tolerance);
  }
}

TEST(Affine, StartsAreSharedOrOnesOwn) {
  Table table(3);
  const auto own = pack_rows(table.z, table.game->layout());
  EXPECT_NE(packed_row(own, 0), packed_row(own, 1));
  table.game->initial(7, "same", table.z);
  const auto same = pack_rows(table.z, table.game->layout());
  for (std::int64_t m = 0; m < 3; ++m) EXPECT_EQ(packed_row(same, m), packed_row(own, 0));
  table.game->initial(8, "same", table.z);
  EXPECT_NE(pack_rows(table.z, table.game->layout()), same);
}

TEST(Affine, NoiseFollowsTheSampleAndSparesRecords) {
  Table noisy(2, 0.5), quiet(2);
  const Sample first{3, Stream::train, 4, 0}, next{3, Stream::train, 5, 0};
  const Sample record{3, Stream::record, 4, 0};
  const auto f = noisy.field(first);
  EXPECT_EQ(noisy.field(first), f);
  EXPECT_NE(noisy.field(next), f);
  EXPECT_EQ(noisy.field(record), quiet.field(record));
  const auto without = quiet.field(first);
  const Philox normal{3, Purpose::oracle_noise, 1, 4};
  for (std::int64_t j = 0; j < dx + dy; ++j) {
    const auto at = static_cast<std::size_t>(dx + dy + j);
    EXPECT_NEAR(static_cast<double>(f[at]) - static_cast<double>(without[at]),
                0.5 * normal.normal(static_cast<std::uint64_t>(j)), 10 * tolerance);
  }
}

TEST(Affine, AnAgentDoesNotKnowItsRank) {
  Table all(5, 0.3);
  const Sample sample{3, Stream::train, 4, 0};
  const auto expected = all.field(sample);
  std::vector<Real> got;
  for (int rank = 0; rank < 3; ++rank) {
    Table part(5, 0.3, rank, 3);
    const auto rows = part.field(sample);
    got.insert(got.end(), rows.begin(), rows.end());
  }
  EXPECT_EQ(got, expected);
}

TEST(Affine, AGameWithoutSolutionIsRefused) {
  const Deck deck = deck_of(2);
  const Agents agents(2, 0, 1);
  const AffineProblem flat{dx, dy,
                           [](std::int64_t) {
                             return AffineAgent{Numbers(dx * dx), Numbers(dx * dy),
                                                Numbers(dy * dy), Numbers(dx, 1), Numbers(dy, 1)};
                           },
                           1};
  try {
    make_affine_game(flat, {deck, agents, nullptr}, "deck.toml:4: game.file");
    FAIL() << "a singular game was accepted";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("deck.toml:4"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("singular"), std::string::npos);
  }
}

TEST(Affine, ThePlanCountsWhatTheGameHolds) {
  const GamePlan plan = affine_plan({dx, dy}, 2, nullptr);
  EXPECT_EQ(plan.layout.dim(), dx + dy);
  EXPECT_EQ(plan.layout.dim_x(), dx);
  EXPECT_EQ(plan.flops_per_call, 50);
}

/// Agents with [[p, a], [-a, q]], one dimension each.
AffineProblem scalar_problem(const std::vector<std::array<double, 3>>& agents) {
  return {1, 1, [agents](std::int64_t m) {
            const auto [p, a, q] = agents[static_cast<std::size_t>(m)];
            return AffineAgent{{p}, {a}, {q}, {0}, {0}};
          }};
}

TEST(Constants, OfNormalMatricesAreThoseOfTheirEigenvalues) {
  // p = q: eigenvalues p +- i a, of modulus 5, 15 and, in the mean, |6 +- 8i| = 10.
  const GameConstants c = affine_constants(scalar_problem({{3, 4, 3}, {9, 12, 9}}), 2);
  EXPECT_NEAR(c.smoothness, 10, 1e-12);
  EXPECT_NEAR(c.smoothness_max, 15, 1e-12);
  EXPECT_NEAR(c.monotonicity, 6, 1e-12);
  EXPECT_FALSE(c.bilinear);
}

TEST(Constants, OnlyTheMeanMustBeMonotone) {
  const GameConstants good = affine_constants(scalar_problem({{-1, 0, 3}, {5, 0, 1}}), 2);
  EXPECT_NEAR(good.monotonicity, 2, 1e-12);
  EXPECT_NEAR(good.smoothness, 2, 1e-12);
  EXPECT_NEAR(good.smoothness_max, 5, 1e-12);
  const GameConstants bad = affine_constants(scalar_problem({{-1, 7, 3}}), 1);
  EXPECT_EQ(bad.monotonicity, 0);
  EXPECT_FALSE(bad.bilinear);
  EXPECT_FALSE(bad.symmetric);
  EXPECT_TRUE(good.symmetric);
}

GameConstants constants_of(const std::string& game) {
  const std::string text = "[run]\nagents = 5\n[method]\nkind = \"dposg\"\n[game]\n" + game;
  const Deck deck = read_deck({"deck.toml", text, "", {}}, registries());
  return find_game(deck.game.kind).plan(deck, nullptr, 0).constants();
}

TEST(Constants, OfGeneratedGamesAreTheDecks) {
  const GameConstants b = constants_of("kind = \"bilinear\"\ndim = 6\nsigma_max = 3.5\n");
  EXPECT_NEAR(b.smoothness, 3.5, 1e-12);
  EXPECT_NEAR(b.smoothness_max, 3.5, 1e-12);
  EXPECT_EQ(b.monotonicity, 0);
  EXPECT_TRUE(b.bilinear);
  const std::string quadratic =
      "kind = \"quadratic\"\ndim_x = 7\ndim_y = 4\nmu = 0.25\nsmoothness = 2\ncoupling = 0\n";
  const GameConstants q = constants_of(quadratic);
  EXPECT_NEAR(q.smoothness, 2, 1e-12);
  EXPECT_NEAR(q.smoothness_max, 2, 1e-12);
  EXPECT_NEAR(q.monotonicity, 0.25, 1e-12);
  const GameConstants h = constants_of(quadratic + "heterogeneity = 0.5\n");
  EXPECT_NEAR(h.smoothness, 2, 1e-12);
  EXPECT_GT(h.smoothness_max, 2.01);
}

}  // namespace
}  // namespace parley
