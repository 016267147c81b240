// SPDX-License-Identifier: BSD-3-Clause
// Where a file named in a deck lies.
#pragma once

#include <string>

#include "deck/deck.hpp"

namespace parley {

/// The file `name` of the deck's key `path` ("data.file"): as it is when absolute, else beside the
/// deck, else in the working directory. UserError naming the key's place and both folders when it
/// is in neither.
std::string find_input(const Deck& deck, const std::string& name, const std::string& path);

}  // namespace parley
