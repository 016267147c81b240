// SPDX-License-Identifier: BSD-3-Clause
// All registries as the deck reader wants them.
#pragma once

#include "deck/deck.hpp"

namespace parley {

/// Spans of static tables, in the order of `parley list`.
Registries registries();

}  // namespace parley
