// SPDX-License-Identifier: BSD-3-Clause
// The step sizes of a run before it starts: rules in the game's constants, and whether the sizes
// are in the method's stable range. Host only: no rows, no MPI.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "games/game.hpp"
#include "methods/method.hpp"

namespace parley {

/// Step sizes of iteration 1 (before a schedule's factor) and what they come from.
struct StepPlan {
  Pair size;
  /// Present when a rule needs them, or the game knows them at little cost.
  std::optional<GameConstants> constants;
  bool constrained = false;  ///< proximal steps keep the iterates in sets

  /// The L that rules and warnings use: L_max where the agents' fields differ, else L.
  double smoothness() const;
};

/// Applies step.rule. UserError (with the deck's line) when the game does not know its constants,
/// when L = 0, or when the rule would give a step of 0 because mu = 0.
StepPlan plan_steps(const Deck& deck, const StepSizes& sizes, const GamePlan& game);

/// "x 0.25, y 0.25; L 1, L_max 1.2 (taken: the agents' fields differ), mu 0.1".
std::string step_text(const StepPlan& steps);

/// What gossip does to a mode, where it is one symmetric W^t for all iterations.
struct GossipModes {
  bool known = false;
  double lambda_min = 1;  ///< smallest eigenvalue of W^t
};

/// Warnings for sizes outside the method's stable range; none where that or L is not known.
std::vector<std::string> step_warnings(const Deck& deck, const MethodPlan& method,
                                       const StepPlan& steps, const GossipModes& modes);

}  // namespace parley
