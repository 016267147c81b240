// SPDX-License-Identifier: BSD-3-Clause
// TOML text to Deck. The only file whose .cpp sees toml++. No MPI: rank 0 reads the bytes, every
// rank parses the same ones.
#pragma once

#include <string>
#include <vector>

#include "deck/deck.hpp"

namespace parley {

/// What the command line adds to a deck.
struct DeckRequest {
  std::string file;                   ///< name for messages
  std::string text;                   ///< bytes of the deck
  std::string variant;                ///< --variant NAME; empty: none
  std::vector<std::string> settings;  ///< --set K=V, in order
};

/// Parses, merges the variant and the settings, fills and validates. Throws UserError whose text
/// has one line per mistake, all of them: file:line, key, value, what is allowed, the nearest name.
Deck read_deck(const DeckRequest& request, const Registries& registries);

/// Only run.precision of a deck ("single" where absent or wrong): tells which solver's registries
/// to read it with. Throws UserError when the text is not TOML.
std::string peek_precision(const DeckRequest& request);

}  // namespace parley
