// SPDX-License-Identifier: BSD-3-Clause
// A look at the bytes of a deck before the TOML parser sees them: refuses what makes the parser
// assert, recurse without bound or read wrong characters. Not a parser: knows strings, comments and
// brackets only.
#pragma once

#include <string>

namespace parley {

/// Throws UserError ("file:line: what; remedy") at the first byte that a deck may not have there:
/// not UTF-8, NUL and other control characters, anything but ASCII outside strings and comments,
/// a section header without a name, more than 32 nested brackets, 16 parts of a dotted key, 1 MiB.
void scan_deck(const std::string& file, const std::string& text);

}  // namespace parley
