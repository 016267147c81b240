// SPDX-License-Identifier: BSD-3-Clause
// [init].
#include "solver/start.hpp"

#include "core/check.hpp"
#include "deck/paths.hpp"
#include "io/snapshot.hpp"
#include "solver/rows.hpp"

namespace parley {

void fill_start(const Deck& deck, const Agents& agents, Game& game, const Matrix& z) {
  const InitOptions& init = deck.init;
  if (!init.snapshot) {
    game.initial(static_cast<std::uint64_t>(init.seed.value_or(deck.run.seed)), init.agents, z);
    return;
  }
  const Layout& layout = game.layout();
  const std::string file = find_input(deck, *init.snapshot, "init.snapshot");
  const SnapshotRows from = read_snapshot(file, init.from, layout);
  const bool one_for_all = from.rows == 1;
  if (!one_for_all && from.rows != agents.total()) {
    fail_user("{}: {} holds {} agents, the deck has run.agents = {}; take init.from = \"mean\"",
              deck.where("init.snapshot"), file, from.rows, agents.total());
  }
  std::vector<Real> rows;
  for (std::int64_t i = 0; i < agents.count(); ++i) {
    const std::int64_t source = one_for_all ? 0 : agents.first() + i;
    for (std::int64_t j = 0; j < layout.dim(); ++j) {
      rows.push_back(
          static_cast<Real>(from.values[static_cast<std::size_t>(source * layout.dim() + j)]));
    }
  }
  unpack_rows(rows, layout, z);
}

}  // namespace parley
