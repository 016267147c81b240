// SPDX-License-Identifier: BSD-3-Clause
// Checks a row block by block.
#include "comm/bad_block.hpp"

#include "kernels/mix.hpp"

namespace parley {

std::string bad_block(const Exec& exec, const Layout& layout, const Real* row, std::int64_t begin,
                      std::int64_t end) {
  for (const Block& block : layout.blocks()) {
    if (block.packed < begin || block.packed >= end) continue;
    const Chunks chunks = make_chunks(layout, block.packed, block.packed + block.size);
    if (!all_finite(exec, chunks, row)) return block.name;
  }
  return {};
}

}  // namespace parley
