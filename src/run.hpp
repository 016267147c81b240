// SPDX-License-Identifier: BSD-3-Clause
// Runs a deck: builds the objects, iterates, records, saves. With plan.cpp the only file that knows
// every module.
#pragma once

#include "solver/solver.hpp"

namespace parley {

/// Collective over `comm`; Kokkos is up. See Solver::run.
Exit run(const Deck& deck, const RunRequest& request, MPI_Comm comm);

}  // namespace parley
