// SPDX-License-Identifier: BSD-3-Clause
// Accelerated mixing on 1, 2, 4 ranks: the channel applied to the identity is the polynomial of W
// that Eigen makes from its definition, its norms are the published ones, the mean stays.
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "comm/host/acceleration.hpp"
#include "comm/host/spectrum.hpp"
#include "comm/mixing.hpp"
#include "core/check.hpp"

namespace parley::test {
namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr double epsilon = std::numeric_limits<Real>::epsilon();

Layout columns(std::int64_t n) {
  Layout layout(row_alignment);
  layout.add("z", Player::x, {n});
  return layout;
}

MixerOptions options_of(const std::string& acceleration, const Mixing& mixing) {
  return {.acceleration = acceleration, .rho = spectrum(mixing.at(0)).rho};
}

/// The matrix that a mix applies: the channel on the rows of the identity, on all ranks.
Eigen::MatrixXd applied(MPI_Comm comm, const std::string& acceleration, const Mixing& mixing,
                        std::int64_t rounds) {
  const std::int64_t n = mixing.agents();
  Team team(comm, mixing, rounds, options_of(acceleration, mixing), 60, columns(n));
  Rows identity;
  for (std::int64_t i = 0; i < team.agents.count(); ++i) {
    identity.emplace_back(static_cast<std::size_t>(n), Real(0));
    identity.back()[static_cast<std::size_t>(team.agents.first() + i)] = 1;
  }
  put_rows(team.in, team.layout, identity);
  const auto channel = team.mixer->open("z");
  channel->mix(1, team.in, team.out);
  EXPECT_FALSE(team.health.failed);
  EXPECT_TRUE(same_bits(take_rows(team.in, team.layout), identity)) << "the rows given changed";
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, n);
  const Rows found = take_rows(team.out, team.layout);
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      out(team.agents.first() + static_cast<std::int64_t>(i), j) =
          static_cast<double>(found[i][static_cast<std::size_t>(j)]);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, out.data(), static_cast<int>(out.size()), MPI_DOUBLE, MPI_SUM, comm);
  return out;
}

/// Largest singular value on the complement of the mean.
double norm_of(Eigen::MatrixXd matrix) {
  matrix.array() -= 1.0 / static_cast<double>(matrix.rows());
  return Eigen::BDCSVD<Eigen::MatrixXd>(matrix).singularValues()[0];
}

Mixing mixing_of(std::string_view kind, std::int64_t n) {
  return Mixing(weights_of(kind, n));
}

TEST(Accelerated, norms_on_a_ring_of_16_with_40_rounds) {
  // In single precision the smallest of them drown in rounding.
  if constexpr (sizeof(Real) == 4) GTEST_SKIP();
  const Mixing ring = mixing_of("ring", 16);
  EXPECT_NEAR(norm_of(applied(world, "fastmix", ring, 40)) / 2.68e-5, 1, 0.01);
  EXPECT_NEAR(norm_of(applied(world, "chebyshev", ring, 40)) / 4.42e-6, 1, 0.01);
  EXPECT_NEAR(norm_of(applied(world, "none", ring, 40)) / 1.245e-1, 1, 0.01);
}

TEST(Accelerated, fastmix_amplifies_where_chebyshev_does_not) {
  const Mixing ring = mixing_of("ring", 20);
  EXPECT_NEAR(norm_of(applied(world, "fastmix", ring, 1)), 1.13, 0.01);
  const double rho = spectrum(ring.at(0)).rho;
  EXPECT_NEAR(norm_of(applied(world, "chebyshev", ring, 1)), rho, 100 * epsilon);
}

/// T_t(W/rho)/T_t(1/rho) by the three-term recurrence of its definition.
Eigen::MatrixXd chebyshev(const Eigen::MatrixXd& w, double rho, std::int64_t t) {
  Eigen::MatrixXd before = Eigen::MatrixXd::Identity(w.rows(), w.cols()), now = w / rho;
  double before_at = 1, now_at = 1 / rho;
  for (std::int64_t h = 1; h < t; ++h) {
    const Eigen::MatrixXd next = 2 / rho * w * now - before;
    const double next_at = 2 / rho * now_at - before_at;
    before = now;
    now = next;
    before_at = now_at;
    now_at = next_at;
  }
  return now / now_at;
}

TEST(Accelerated, chebyshev_is_the_polynomial_of_its_name) {
  for (const auto& [kind, n] : {std::pair{"ring", 8}, {"star", 5}, {"torus", 12}, {"ring", 2}}) {
    const Mixing mixing = mixing_of(kind, n);
    const double rho = spectrum(mixing.at(0)).rho;
    if (rho < 1e-9) continue;
    for (const std::int64_t t : {1, 2, 3, 7}) {
      SCOPED_TRACE(fmt::format("{} of {}, {} rounds", kind, n, t));
      const Eigen::MatrixXd expected = chebyshev(dense(mixing.at(0)), rho, t);
      const Eigen::MatrixXd found = applied(world, "chebyshev", mixing, t);
      EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 50 * epsilon);
    }
  }
}

TEST(Accelerated, fastmix_is_the_recursion_of_its_paper) {
  const Mixing mixing = mixing_of("torus", 9);
  const Eigen::MatrixXd w = dense(mixing.at(0));
  const double rho = spectrum(mixing.at(0)).rho, root = std::sqrt(1 - rho * rho);
  const double e = (1 - root) / (1 + root);
  Eigen::MatrixXd before = Eigen::MatrixXd::Identity(9, 9), now = before;
  for (std::int64_t t = 1; t <= 6; ++t) {
    const Eigen::MatrixXd next = (1 + e) * w * now - e * before;
    before = now;
    now = next;
    const Eigen::MatrixXd found = applied(world, "fastmix", mixing, t);
    EXPECT_LT((found - now).cwiseAbs().maxCoeff(), 50 * epsilon) << t << " rounds";
  }
}

TEST(Accelerated, closed_forms_at_the_ends_of_the_spectrum) {
  const double rho = 0.9, root = std::sqrt(1 - rho * rho);
  const double r = std::sqrt((1 - root) / (1 + root));
  for (const std::int64_t t : {1, 2, 5, 40}) {
    const double n = static_cast<double>(t);
    const auto fast = round_factors("fastmix", rho, t), best = round_factors("chebyshev", rho, t);
    EXPECT_NEAR(mode_factor(fast, t, rho), std::pow(r, n) * (1 + n * (1 - r)), 1e-14);
    EXPECT_NEAR(std::abs(mode_factor(fast, t, -rho)), std::pow(r, n) * (1 + n * (1 + r)), 1e-14);
    const double at = std::cosh(n * std::acosh(1 / rho));
    EXPECT_NEAR(mode_factor(best, t, rho) * at, 1, 1e-10);
    EXPECT_NEAR(mode_factor(best, t, 0.3) * at, std::cos(n * std::acos(0.3 / rho)), 1e-10);
    EXPECT_NEAR(mix_contraction(best, t, rho, -0.3) * at, 1, 1e-10);
    EXPECT_DOUBLE_EQ(mode_factor({}, t, 0.5), std::pow(0.5, n));
  }
}

TEST(Accelerated, one_round_is_exact_on_a_complete_graph) {
  for (const auto* acceleration : {"chebyshev", "fastmix"}) {
    for (const std::int64_t t : {1, 3}) {
      const Eigen::MatrixXd found = applied(world, acceleration, mixing_of("complete", 6), t);
      EXPECT_LT((found.array() - 1.0 / 6).abs().maxCoeff(), 20 * epsilon);
    }
  }
}

TEST(Accelerated, keeps_the_mean_and_the_bits_of_one_rank) {
  for (const auto* acceleration : {"chebyshev", "fastmix"}) {
    for (const std::int64_t t : {1, 2, 3, 10}) {
      SCOPED_TRACE(fmt::format("{}, {} rounds", acceleration, t));
      const Mixing ring = mixing_of("ring", 8);
      const MixerOptions options = options_of(acceleration, ring);
      Team team(world, ring, t, options), alone(MPI_COMM_SELF, ring, t, options);
      const auto mix = [](Team& of) {
        of.mixer->open("z")->mix(1, of.in, of.out);
        return take_rows(of.out, of.layout);
      };
      const Rows found = mix(team), all = mix(alone);
      EXPECT_TRUE(same_bits(found, own(all, team.agents)));
      const Rows before = take_rows(alone.in, alone.layout);
      for (std::size_t p = 0; p < before[0].size(); ++p) {
        double drift = 0;
        for (std::size_t i = 0; i < 8; ++i) {
          drift += static_cast<double>(all[i][p]) - static_cast<double>(before[i][p]);
        }
        ASSERT_LT(std::abs(drift) / 8, 20 * epsilon) << "column " << p;
      }
    }
  }
}

TEST(Accelerated, equal_rows_stay_to_the_last_bit) {
  const Mixing ring = mixing_of("ring", 6);
  Team team(world, ring, 7, options_of("chebyshev", ring));
  const Rows one(static_cast<std::size_t>(team.agents.count()),
                 std::vector<Real>(static_cast<std::size_t>(team.layout.dim()), Real(0.1)));
  put_rows(team.in, team.layout, one);
  team.mixer->open("z")->mix(1, team.in, team.out);
  EXPECT_TRUE(same_bits(take_rows(team.out, team.layout), one));
}

TEST(Accelerated, rows_that_would_include_a_bad_one_are_copied) {
  const Mixing ring = mixing_of("ring", 8);
  Team team(world, ring, 2, options_of("chebyshev", ring));
  team.spoil(3, "c", std::numeric_limits<Real>::infinity());
  const Rows before = take_rows(team.in, team.layout);
  team.mixer->open("z")->mix(1, team.in, team.out);
  const Rows found = take_rows(team.out, team.layout);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::int64_t agent = team.agents.first() + static_cast<std::int64_t>(i);
    const bool copied = std::abs(agent - 3) <= 2;
    EXPECT_EQ(same_bits({found[i]}, {before[i]}), copied) << agent;
    EXPECT_TRUE(team.health.failed || !copied);
  }
}

std::string reason_of(const MixerOptions& options, const Mixing& mixing) {
  const auto refusal = mixer_refusal(options, mixing);
  return refusal ? refusal->key + ": " + refusal->reason : "";
}

TEST(Refusals, name_the_key_and_the_reason) {
  const MixerOptions fast{.acceleration = "fastmix", .rho = 0.5};
  const MixerOptions short_messages{.compression = {"bf16", {}}};
  const auto has = [](const std::string& text, std::string_view word) {
    return text.find(word) != std::string::npos;
  };
  const Mixing ring = mixing_of("ring", 8);
  EXPECT_EQ(reason_of(fast, ring), "");
  EXPECT_EQ(reason_of(short_messages, ring), "");
  // Up to three agents the static exponential graph is symmetric.
  EXPECT_EQ(reason_of(fast, mixing_of("exponential", 3)), "");
  EXPECT_TRUE(has(reason_of(fast, mixing_of("exponential", 4)), "acceleration: \"fastmix\" needs"));
  EXPECT_EQ(reason_of(short_messages, mixing_of("exponential", 4)), "");
  const Mixing turns(std::vector<Weights>{weights_of("ring", 8), weights_of("star", 8)});
  EXPECT_TRUE(has(reason_of(fast, turns), "varies from round to round"));
  EXPECT_TRUE(has(reason_of(short_messages, turns), "compression.kind: \"bf16\" needs one W"));
  const Mixing pushed(weights_of("star", 8, "push-sum"));
  EXPECT_TRUE(has(reason_of(fast, pushed), "push-sum's are not"));
  EXPECT_TRUE(has(reason_of(short_messages, pushed), "doubly stochastic"));
  EXPECT_EQ(reason_of({}, pushed), "");
}

TEST(Properties, say_what_each_mixer_keeps) {
  const Mixing ring = mixing_of("ring", 8), pushed(weights_of("star", 8, "push-sum"));
  const MixerProperties plain = mixer_properties({}, ring);
  EXPECT_TRUE(plain.linear && plain.symmetric && plain.doubly_stochastic && plain.stateless &&
              plain.keeps_mean && plain.convex);
  const MixerProperties fast = mixer_properties({.acceleration = "fastmix", .rho = 0.5}, ring);
  EXPECT_TRUE(fast.linear && fast.symmetric && fast.doubly_stochastic && fast.stateless);
  EXPECT_FALSE(fast.convex);
  const MixerProperties choco = mixer_properties({.compression = {"top-k", {}}}, ring);
  EXPECT_TRUE(choco.doubly_stochastic && choco.keeps_mean);
  EXPECT_FALSE(choco.linear || choco.symmetric || choco.stateless || choco.convex);
  const MixerProperties push = mixer_properties({}, pushed);
  EXPECT_TRUE(push.linear && push.keeps_mean);
  EXPECT_FALSE(push.symmetric || push.doubly_stochastic || push.stateless || push.convex);
}

TEST(Accelerated, make_mixer_refuses_what_plans_refuse) {
  EXPECT_THROW(
      Team(world, mixing_of("exponential", 8), 2, {.acceleration = "chebyshev", .rho = 0.5}),
      std::logic_error);
}

}  // namespace
}  // namespace parley::test
