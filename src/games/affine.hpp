// SPDX-License-Identifier: BSD-3-Clause
// What bilinear and quadratic games share: f_m(x,y) = x'P_m x/2 + x'A_m y - y'Q_m y/2 + b_m'x +
// c_m'y, whose field is affine, and the measures that follow from the dense saddle point.
#pragma once

#include <functional>
#include <vector>

#include "games/game.hpp"
#include "games/player_sets.hpp"

namespace parley {

/// Coefficients of one agent, row-major.
struct AffineAgent {
  std::vector<double> p, a, q;  ///< dx x dx, dx x dy, dy x dy
  std::vector<double> b, c;     ///< dx, dy
};

/// An affine game, before it is spread over agents: agent m's coefficients on demand, so that a
/// rank holds its own agents' only.
struct AffineProblem {
  std::int64_t dx = 1, dy = 1;
  std::function<AffineAgent(std::int64_t agent)> agent;
  double start = 1;  ///< standard deviation of the starting point's coordinates
  Pair noise = {};   ///< standard deviation of the noise that an oracle call adds per coordinate
  PlayerSets sets = {};
  bool unique = true;  ///< a mean M without an inverse is a mistake, unless sets bound the players
};

/// Layout of every affine game: block x of dx, block y of dy.
Layout affine_layout(std::int64_t dx, std::int64_t dy);
/// L = ||mean M||_2, L_max = max_m ||M_m||_2, mu = the smallest eigenvalue of the symmetric part of
/// mean M (0 where it is not positive to working precision). Costs a symmetric eigenvalue problem
/// of dx + dy for every agent whose M differs from the one before.
GameConstants affine_constants(const AffineProblem& problem, std::int64_t agents);

/// Sizes of a game's players.
struct AffineSizes {
  std::int64_t dx = 1, dy = 1;
};
/// Layout, flops (2 d^2 per call), bytes, and the constants of the problem that `make` gives when
/// they are asked for.
GamePlan affine_plan(const AffineSizes& sizes, std::int64_t agents,
                     std::function<AffineProblem()> make);

/// The game; z* = -(mean M)^{-1} mean q is solved densely once, on every rank alike. UserError
/// (with `where` in front) when mean M is singular to working precision and the problem asks for
/// one saddle point.
std::unique_ptr<Game> make_affine_game(const AffineProblem& problem, const GameContext& context,
                                       const std::string& where);

}  // namespace parley
