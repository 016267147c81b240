// SPDX-License-Identifier: BSD-3-Clause
// Philox numbers by (agent, draw, packed index): the same on any number of ranks.
#include "games/random_rows.hpp"

#include <vector>

#include "kernels/affine.hpp"
#include "kernels/philox.hpp"
#include "solver/rows.hpp"

namespace parley {

void normal_start(const Agents& agents, const Layout& layout, double deviation, std::uint64_t seed,
                  std::string_view agents_of_init, const Matrix& z) {
  std::vector<Real> rows;
  for (std::int64_t i = 0; i < agents.count(); ++i) {
    const std::int64_t agent = agents_of_init == "same" ? 0 : agents.first() + i;
    const Philox normal{seed, Purpose::init, agent, 0};
    for (std::int64_t j = 0; j < layout.dim(); ++j) {
      rows.push_back(static_cast<Real>(deviation * normal.normal(static_cast<std::uint64_t>(j))));
    }
  }
  unpack_rows(rows, layout, z);
}

void add_oracle_noise(const Exec& exec, const Agents& agents, const Layout& layout,
                      const Pair& deviation, const Sample& sample, const Matrix& f) {
  if (sample.stream != Stream::train) return;
  for (std::int64_t i = 0; i < agents.count(); ++i) {
    const Philox normal{sample.seed, Purpose::oracle_noise, agents.first() + i, sample.draw};
    for (const Block& block : layout.blocks()) {
      const double own = block.player == Player::x ? deviation.x : deviation.y;
      if (own == 0) continue;
      add_normal(exec, normal, {block.packed, block.column, block.size}, static_cast<Real>(own),
                 row(f, i));
    }
  }
}

}  // namespace parley
