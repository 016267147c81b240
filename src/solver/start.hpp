// SPDX-License-Identifier: BSD-3-Clause
// The starting rows of a run: the game's own, or those of a snapshot.
#pragma once

#include "games/game.hpp"

namespace parley {

/// Fills the rows of the local agents as the deck's [init] says. Every rank may call it alone.
/// UserError when the snapshot does not fit.
void fill_start(const Deck& deck, const Agents& agents, Game& game, const Matrix& z);

}  // namespace parley
