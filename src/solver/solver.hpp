// SPDX-License-Identifier: BSD-3-Clause
// What one precision's solver library hands to the command: its registries, the run and the plan.
// Host only: main() includes no Kokkos.
#pragma once

#include <mpi.h>

#include <string>

#include "core/check.hpp"
#include "deck/deck.hpp"

namespace parley {

enum class Resume { never, automatic, require };

/// What the command line adds to a run.
struct RunRequest {
  Resume resume = Resume::never;
  bool inexact = false;    ///< allow a resume in another bit class
  bool overwrite = false;  ///< replace the output of an earlier run
};

/// Command-line words that belong to Kokkos.
struct KokkosWords {
  int count = 0;
  char** words = nullptr;
};

struct Solver {
  Registries registries;
  /// Runs the deck on all ranks of `comm` (collective). Throws UserError, RunError or Diverged.
  Exit (*run)(const Deck& deck, const RunRequest& request, MPI_Comm comm, KokkosWords kokkos);
  /// What a run on `ranks` ranks would do, as text; UserError with every mistake. No MPI, no Kokkos
  /// start, writes nothing.
  std::string (*plan)(const Deck& deck, int ranks);
};

}  // namespace parley

/// The exported functions of the two libraries.
extern "C" const parley::Solver* parley_single();
extern "C" const parley::Solver* parley_double();
