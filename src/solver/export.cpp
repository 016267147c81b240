// SPDX-License-Identifier: BSD-3-Clause
// The one symbol that a solver library exports: parley_single or parley_double.
#include <algorithm>
#include <vector>

#include "comm/host/graph.hpp"
#include "data/dataset.hpp"
#include "games/game.hpp"
#include "kernels/runtime.hpp"
#include "methods/method.hpp"
#include "plan.hpp"
#include "run.hpp"
#include "solver/solver.hpp"

namespace parley {

namespace {

template <class Row>
std::vector<Kind> kinds_of(std::span<const Row> rows) {
  std::vector<Kind> kinds;
  for (const Row& row : rows) kinds.push_back(row.kind);
  return kinds;
}

Registries registries() {
  static const auto games = kinds_of(game_registry());
  static const auto methods = kinds_of(method_registry());
  return {games, methods, graph_kinds(), source_kinds(), partition_kinds()};
}

Exit start_and_run(const Deck& deck, const RunRequest& request, MPI_Comm comm,
                   KokkosWords kokkos) {
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
