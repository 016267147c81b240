// SPDX-License-Identifier: BSD-3-Clause
// Rules and stable ranges.
#include "methods/step_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/check.hpp"

namespace parley {

namespace {

/// Constants that cost more multiplications than this are computed only when a rule needs them.
constexpr double little_cost = 2e9;

/// The agents' fields differ by more than round-off.
bool differ(const GameConstants& c) {
  return c.smoothness_max > c.smoothness * (1 + 1e-9);
}

double rule_size(const std::string& rule, double smoothness, double monotonicity) {
  if (rule == "1/L") return 1 / smoothness;
  if (rule == "1/(2L)") return 1 / (2 * smoothness);
  if (rule == "1/(4L)") return 1 / (4 * smoothness);
  if (rule == "1/(8L)") return 1 / (8 * smoothness);
  ensure(rule == "mu/L^2", "step.rule: the deck reader lets only known rules through");
  return monotonicity / (smoothness * smoothness);
}

/// The largest stable eta L: on a bilinear game the imaginary axis counts, on a symmetric one the
/// real axis, else the smaller of both (the real one alone where every step diverges on the
/// imaginary one).
std::optional<double> largest_stable(const MethodPlan& method, const GameConstants& game,
                                     const GossipModes& modes) {
  constexpr double third = 1.0 / 3 - 1e-9;
  const auto value = [&](const std::optional<StableStep>& limit) -> std::optional<double> {
    if (!limit) return std::nullopt;
    if (limit->plain == 0 || method.gossip_vectors == 0) return limit->plain;
    if (!modes.known || modes.lambda_min < -1.0 / 3 - 1e-9) return std::nullopt;
    return modes.lambda_min > third ? limit->lazy : limit->plain;
  };
  const auto imaginary = value(method.stable_bilinear), real = value(method.stable_symmetric);
  if (game.bilinear) return imaginary;
  if (game.symmetric || !real || !imaginary || *imaginary == 0) return real;
  return std::min(*real, *imaginary);
}

}  // namespace

double StepPlan::smoothness() const {
  return differ(*constants) ? constants->smoothness_max : constants->smoothness;
}

StepPlan plan_steps(const Deck& deck, const StepSizes& sizes, const GamePlan& game) {
  StepPlan plan{{sizes.x, sizes.y}, {}, game.proximal};
  const bool given = sizes.rule == "given";
  const std::string where = fmt::format("{} = \"{}\"", deck.where("method.step.rule"), sizes.rule);
  if (!game.constants) {
    if (given) return plan;
    fail_user("{}: game {} does not know its Lipschitz constant; write step = {{ x = .., y = .. }}",
              where, deck.game.kind);
  }
  const double dim = static_cast<double>(game.layout.dim());
  if (given && static_cast<double>(deck.run.agents) * dim * dim * dim > little_cost) return plan;
  plan.constants = game.constants();
  if (given) return plan;
  if (plan.smoothness() <= 0) {
    fail_user("{}: the game's field is constant (L = 0); write step = {{ x = .., y = .. }}", where);
  }
  const double size = rule_size(sizes.rule, plan.smoothness(), plan.constants->monotonicity);
  if (size <= 0) {
    fail_user(
        "{}: the game is not strongly monotone (mu = 0), so the step would be 0; write a rule "
        "in L alone, such as \"1/(4L)\"",
        where);
  }
  plan.size = {size, size};
  return plan;
}

std::string step_text(const StepPlan& steps) {
  std::string text = fmt::format("x {:.6g}, y {:.6g}", steps.size.x, steps.size.y);
  if (!steps.constants) return text;
  const GameConstants& c = *steps.constants;
  text += fmt::format("; L {:.6g}", c.smoothness);
  if (differ(c)) {
    text += fmt::format(", L_max {:.6g} (taken: the agents' fields differ)", c.smoothness_max);
  }
  return text + fmt::format(", mu {:.6g}", c.monotonicity);
}

std::vector<std::string> step_warnings(const Deck& deck, const MethodPlan& method,
                                       const StepPlan& steps, const GossipModes& modes) {
  if (!steps.constants) return {};
  const bool bilinear = steps.constants->bilinear;
  const auto limit = largest_stable(method, *steps.constants, modes);
  if (!limit) return {};
  if (*limit == 0) {
    return {
        fmt::format("{} takes one forward step an iteration and {} on a bilinear game at any step "
                    "size; take an optimistic or extra-step method",
                    deck.method.kind,
                    steps.constrained ? "circles instead of converging" : "diverges")};
  }
  // E M is similar to E^{1/2} M E^{1/2}, whose norm on a bilinear game is sqrt(eta_x eta_y) L.
  const double eta =
      bilinear ? std::sqrt(steps.size.x * steps.size.y) : std::max(steps.size.x, steps.size.y);
  const double product = eta * steps.smoothness();
  if (product <= *limit) return {};
  return {
      fmt::format("eta L = {:.3g} is above {:.3g}, the largest stable step of {}{} here: it may "
                  "diverge; take steps of at most {:.3g}",
                  product, *limit, deck.method.kind, bilinear ? " on a bilinear game" : "",
                  *limit / steps.smoothness())};
}

}  // namespace parley
