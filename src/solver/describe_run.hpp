// SPDX-License-Identifier: BSD-3-Clause
// What the files of a run say of it: provenance and the graph. Collective where ranks must be
// asked.
#pragma once

#include <mpi.h>

#include <optional>

#include "deck/deck.hpp"
#include "io/recorder.hpp"
#include "plan.hpp"

namespace parley {

/// Version, build, machine and deck; the same on all ranks (collective). UserError on all ranks
/// when they are of different bit classes.
Provenance describe_build(const Deck& deck, MPI_Comm comm);

/// Edges, W and spectrum of the plan's graph, and the contraction that a probe of it measured.
GraphRecord describe_graph(const Deck& deck, const Plan& plan, std::optional<double> measured);

}  // namespace parley
