// SPDX-License-Identifier: BSD-3-Clause
// Deck and registries to text: the annotated reference deck, the JSON Schema (draft 2020-12) and
// the comparison of two decks for --resume. No TOML parser, no MPI.
#pragma once

#include <string>
#include <vector>

#include "deck/deck.hpp"

namespace parley {

/// inputs/reference.toml: every key of every kind with type, default, range, unit and sentence.
std::string reference_deck(const Registries& registries);

/// The JSON Schema of a deck, pretty-printed.
std::string json_schema(const Registries& registries);

/// Keys on which two decks differ though they may not for a resume, as "key: old -> new".
std::vector<std::string> resume_conflicts(const Deck& before, const Deck& now,
                                          const Registries& registries);

}  // namespace parley
