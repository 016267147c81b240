// SPDX-License-Identifier: BSD-3-Clause
// Step sizes: schedules against their closed forms, rules in L and mu, and the warnings.
#include "methods/steps.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "core/check.hpp"
#include "deck/reader.hpp"
#include "plan.hpp"
#include "solver/registries.hpp"
#include "support/temp_folder.hpp"

namespace parley {
namespace {

TEST(Schedule, ConstantIsConstant) {
  const Schedule schedule({.x = 0.3, .y = 0.2}, 100);
  for (const std::int64_t k : {1, 2, 100, 1000}) {
    EXPECT_EQ(schedule.at(k).x, 0.3);
    EXPECT_EQ(schedule.at(k).y, 0.2);
  }
}

TEST(Schedule, InverseSqrtHalvesAtFourTimesTheDelay) {
  const Schedule schedule({.x = 0.4, .y = 1, .schedule = "inverse-sqrt", .delay = 10}, 5);
  EXPECT_EQ(schedule.at(1).x, 0.4);
  EXPECT_NEAR(schedule.at(31).x, 0.2, 1e-16);   // d + k - 1 = 4 d
  EXPECT_NEAR(schedule.at(991).y, 0.1, 1e-16);  // 100 d
}

TEST(Schedule, CosineGoesFromTheSizeToTheFinalFactor) {
  const StepSizes sizes{.x = 2, .y = 1, .schedule = "cosine", .horizon = 100, .final_factor = 0.5};
  const Schedule schedule(sizes, 7);
  EXPECT_EQ(schedule.at(1).x, 2);
  EXPECT_NEAR(schedule.at(51).x, 1.5, 1e-15);                        // cos(pi/2) = 0
  EXPECT_NEAR(schedule.at(26).y, 0.75 + std::sqrt(2.0) / 8, 1e-15);  // cos(pi/4)
  EXPECT_NEAR(schedule.at(101).x, 1, 1e-15);
  EXPECT_EQ(schedule.at(101).x, schedule.at(100000).x);
}

TEST(Schedule, CosineWithoutHorizonEndsWithTheRun) {
  const Schedule schedule({.x = 1, .y = 1, .schedule = "cosine"}, 40);
  EXPECT_NEAR(schedule.at(21).x, 0.5, 1e-15);
  EXPECT_NEAR(schedule.at(41).x, 0, 1e-15);
}

TEST(Schedule, PiecewiseChangesAfterItsIterations) {
  const StepSizes sizes{
      .x = 1, .y = 2, .schedule = "piecewise", .at = {10, 20}, .factors = {0.5, 0.125}};
  const Schedule schedule(sizes, 100);
  EXPECT_EQ(schedule.at(10).x, 1);
  EXPECT_EQ(schedule.at(11).x, 0.5);
  EXPECT_EQ(schedule.at(20).y, 1);
  EXPECT_EQ(schedule.at(21).y, 0.25);
}

TEST(Schedule, PlayersMayHaveTheirOwn) {
  const StepSizes sizes{
      .x = 1, .y = 3, .schedule = "inverse-sqrt", .schedule_y = "constant", .delay = 1};
  const Schedule schedule(sizes, 100);
  EXPECT_NEAR(schedule.at(4).x, 0.5, 1e-16);
  EXPECT_EQ(schedule.at(4).y, 3);
}

Deck deck_of(const std::string& game, const std::string& method, const std::string& rest = "") {
  return read_deck(
      {"deck.toml", "[run]\nagents = 8\n[game]\n" + game + "[method]\n" + method + rest, "", {}},
      registries());
}

constexpr const char* bilinear = "kind = \"bilinear\"\ndim = 3\nsigma_max = 4\n";
constexpr const char* monotone =
    "kind = \"quadratic\"\nmu = 0.5\nsmoothness = 2\ncoupling = 0\nheterogeneity = 0\n";

std::string with_rule(const std::string& rule, const std::string& kind = "dposg") {
  return "kind = \"" + kind + "\"\nstep.rule = \"" + rule + "\"\n";
}

double size_of_rule(const std::string& rule) {
  const Plan plan = make_plan(deck_of(monotone, with_rule(rule)));
  EXPECT_EQ(plan.steps.size.x, plan.steps.size.y);
  return plan.steps.size.x;
}

TEST(Rule, IsAFormulaInLAndMu) {
  EXPECT_NEAR(size_of_rule("1/L"), 0.5, 1e-12);
  EXPECT_NEAR(size_of_rule("1/(2L)"), 0.25, 1e-12);
  EXPECT_NEAR(size_of_rule("1/(4L)"), 0.125, 1e-12);
  EXPECT_NEAR(size_of_rule("1/(8L)"), 0.0625, 1e-12);
  EXPECT_NEAR(size_of_rule("mu/L^2"), 0.125, 1e-12);
}

TEST(Rule, TakesTheLargestLWhereDataDiffer) {
  const std::string game =
      "kind = \"quadratic\"\nmu = 0.5\nsmoothness = 2\ncoupling = 0\nheterogeneity = 0.5\n";
  const Plan plan = make_plan(deck_of(game, with_rule("1/L")));
  ASSERT_GT(plan.steps.constants->smoothness_max, 2.01);
  EXPECT_EQ(plan.steps.size.x, 1 / plan.steps.constants->smoothness_max);
  EXPECT_NE(plan_text(deck_of(game, with_rule("1/L")), 1).find("L_max"), std::string::npos);
}

std::string refusal(const Deck& deck) {
  try {
    make_plan(deck);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Rule, IsRefusedWhereTheGameDoesNotKnowItsConstants) {
  const std::string gan =
      "kind = \"gan\"\nnoise = 2\ngenerator = [{ kind = \"dense\", width = 2 }]\n"
      "discriminator = [{ kind = \"dense\", width = 1 }]\n";
  const std::string text =
      refusal(deck_of(gan, with_rule("1/L"), "[data]\nkind = \"ring\"\nsamples = 100\n"));
  EXPECT_NE(text.find("deck.toml:10"), std::string::npos) << text;
  EXPECT_NE(text.find("method.step.rule = \"1/L\": game gan does not know"), std::string::npos)
      << text;
}

TEST(Rule, WithMuIsRefusedOnABilinearGame) {
  const std::string text = refusal(deck_of(bilinear, with_rule("mu/L^2")));
  EXPECT_NE(text.find("deck.toml:9: method.step.rule = \"mu/L^2\""), std::string::npos) << text;
  EXPECT_NE(text.find("mu = 0"), std::string::npos) << text;
}

bool warns(const std::string& game, const std::string& method, const std::string& word) {
  const Plan plan = make_plan(deck_of(game, method));
  for (const std::string& warning : plan.warnings) {
    if (warning.find(word) != std::string::npos) return true;
  }
  return false;
}

std::string with_steps(const std::string& kind, const std::string& x, const std::string& y) {
  return "kind = \"" + kind + "\"\nstep = { x = " + x + ", y = " + y + " }\n";
}

TEST(StableStep, IsWarnedOfFromTheMethodsLimitOn) {
  // L = 4: the optimistic step is stable up to eta = 0.577 / 4 = 0.1443 on a bilinear game.
  EXPECT_TRUE(warns(bilinear, with_steps("dposg", "0.146", "0.146"), "eta L"));
  EXPECT_FALSE(warns(bilinear, with_steps("dposg", "0.143", "0.143"), "eta L"));
  // The product of both sizes counts.
  EXPECT_FALSE(warns(bilinear, with_steps("dposg", "0.286", "0.0715"), "eta L"));
  EXPECT_TRUE(warns(bilinear, with_steps("dposg", "0.292", "0.073"), "eta L"));
  // Extra steps are stable up to 1/L.
  EXPECT_FALSE(warns(bilinear, with_steps("extra-step-local-sgd", "0.249", "0.249"), "eta L"));
  EXPECT_TRUE(warns(bilinear, with_steps("extra-step-local-sgd", "0.251", "0.251"), "eta L"));
}

TEST(StableStep, IsNotKnownForAdam) {
  EXPECT_FALSE(warns(bilinear, with_steps("dp-oadam", "10", "10"), "eta L"));
}

TEST(StableStep, AnEigenvalueBelowMinusAThirdAsksForLazyMixing) {
  const test::TempFolder folder("steps");
  std::ofstream(folder.path() / "edges.txt") << "0 1 0.9\n";  // W = [[.1, .9], [.9, .1]]
  const auto asks = [&](const std::string& more) {
    const std::string text = fmt::format(
        "[run]\nagents = 2\n[game]\n{}[method]\n{}[graph]\nkind = \"file\"\nweights = "
        "\"given\"\nfile = \"{}\"\n{}",
        bilinear, with_steps("dposg", "0.01", "0.01"), (folder.path() / "edges.txt").string(),
        more);
    const Plan plan = make_plan(read_deck({"deck.toml", text, "", {}}, registries()));
    return plan.warnings.size() == 1 && plan.warnings[0].find("-0.8 of W^t") != std::string::npos;
  };
  EXPECT_TRUE(asks(""));
  EXPECT_FALSE(asks("lazy = true\n"));
  EXPECT_FALSE(asks("rounds = 2\n"));
}

}  // namespace
}  // namespace parley
