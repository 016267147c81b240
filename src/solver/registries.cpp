// SPDX-License-Identifier: BSD-3-Clause
// Collects the kinds of the registries' rows.
#include "solver/registries.hpp"

#include <vector>

#include "comm/compressor.hpp"
#include "comm/host/graph.hpp"
#include "data/dataset.hpp"
#include "games/game.hpp"
#include "methods/method.hpp"

namespace parley {

namespace {

template <class Row>
std::vector<Kind> kinds_of(std::span<const Row> rows) {
  std::vector<Kind> kinds;
  for (const Row& row : rows) kinds.push_back(row.kind);
  return kinds;
}

}  // namespace

Registries registries() {
  static const auto games = kinds_of(game_registry());
  static const auto methods = kinds_of(method_registry());
  static const auto compressors = kinds_of(compressor_registry());
  return {games, methods, graph_kinds(), source_kinds(), partition_kinds(), compressors};
}

}  // namespace parley
