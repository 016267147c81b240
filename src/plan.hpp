// SPDX-License-Identifier: BSD-3-Clause
// What a deck would do, before it does it: every object that needs neither MPI nor memory, checked
// against each other. `parley check` prints it, `parley run` starts from it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/host/spectrum.hpp"
#include "comm/mixer.hpp"
#include "games/game.hpp"
#include "methods/method.hpp"
#include "methods/step_plan.hpp"

namespace parley {

struct Plan {
  const GameRow* game = nullptr;
  const MethodRow* method = nullptr;
  std::optional<DataShape> data;
  GamePlan game_plan;
  MethodPlan method_plan;
  StepPlan steps;
  Graph graph;
  Mixing mixing;
  Spectrum spectrum;
  double contraction = 0;  ///< of one mix by the spectrum; without compression
  MixerOptions mixer;
  std::vector<std::string> warnings;  ///< of what is legal but hardly meant
};

/// Builds the plan; UserError with a line for every mistake that is found.
Plan make_plan(const Deck& deck);

/// The plan for a number of ranks as text: graph, spectral gap, rounds, bytes and flops per
/// iteration, memory per rank.
std::string plan_text(const Deck& deck, int ranks);

}  // namespace parley
