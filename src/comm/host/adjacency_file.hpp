// SPDX-License-Identifier: BSD-3-Clause
// Reads a graph from a text file that holds its adjacency matrix. Knows nothing of decks beyond the
// place for messages.
#pragma once

#include <cstdint>
#include <string>

#include "comm/host/graph.hpp"

namespace parley {

/// Reads n lines of n numbers from 0 to 1, # starts a comment: entry j of line i is not 0 where
/// agent i reads agent j. With no other numbers than 0 and 1 they are an adjacency matrix, whose
/// diagonal is 0; else they are W itself. Where the graph is not `directed` the matrix must be
/// symmetric. UserError with file:line for entries that cannot be read or do not fit, with `where`
/// in front when the file cannot be opened or read.
Graph read_adjacency_file(const std::string& file, std::int64_t n, bool directed,
                          const std::string& where);

}  // namespace parley
