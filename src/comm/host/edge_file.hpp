// SPDX-License-Identifier: BSD-3-Clause
// Reads a graph from a text file of edges. Knows nothing of decks beyond the place for messages.
#pragma once

#include <cstdint>
#include <string>

#include "comm/host/graph.hpp"

namespace parley {

/// Reads edges on n agents, one per line: `i j` or `i j weight`, agents 0..n-1, # starts a comment.
/// Where the graph is `directed`, `i j` says that j reads i. All lines or none carry a weight, in
/// (0, 1]; the weight of an agent for itself is 1 less the sum of the edges that it reads.
/// UserError with file:line for a line that cannot be read, agents out of range, an edge from an
/// agent to itself, an edge given twice, weights that exceed 1 in sum; with `where` in front when
/// the file cannot be opened or read.
Graph read_edge_file(const std::string& file, std::int64_t n, bool directed,
                     const std::string& where);

}  // namespace parley
