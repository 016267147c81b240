// SPDX-License-Identifier: BSD-3-Clause
// The one symbol that a solver library exports: parley_single or parley_double.
#include "kernels/runtime.hpp"
#include "plan.hpp"
#include "run.hpp"
#include "solver/registries.hpp"
#include "solver/solver.hpp"

namespace parley {

namespace {

Exit start_and_run(const Deck& deck, const RunRequest& request, MPI_Comm comm, KokkosWords kokkos) {
  const Runtime runtime(kokkos.count, kokkos.words, static_cast<int>(deck.run.threads));
  return run(deck, request, comm);
}

}  // namespace

}  // namespace parley

extern "C" __attribute__((visibility("default"))) const parley::Solver* PARLEY_PRECISION() {
  static const parley::Solver solver{parley::registries(), parley::start_and_run,
                                     parley::plan_text};
  return &solver;
}
