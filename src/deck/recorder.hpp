// SPDX-License-Identifier: BSD-3-Clause
// A Deck as a tree of its values: all keys that apply, defaults included. The resolved deck and the
// resume check are made of it. Knows no TOML.
#pragma once

#include "deck/deck.hpp"
#include "deck/node.hpp"

namespace parley {

/// Every key of a deck that its choices and conditions make legal, in the order of reference.toml;
/// optional keys without a value are left out.
Node record_deck(const Deck& deck, const Registries& registries);

/// The same for the keys that `body` visits.
Node record_table(const std::function<void(Fields&)>& body);

}  // namespace parley
