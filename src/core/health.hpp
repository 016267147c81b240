// SPDX-License-Identifier: BSD-3-Clause
// The first non-finite row that this rank has seen, its own or a neighbour's. The flag word of the
// iteration loop carries it to all ranks. Pure data.
#pragma once

#include <cstdint>
#include <string>

namespace parley {

struct Health {
  bool failed = false;
  std::int64_t agent = -1;
  std::int64_t iteration = -1;
  std::string where;  ///< block or quantity, when the agent is this rank's own

  /// Keeps the first report only.
  void report(std::int64_t bad_agent, std::int64_t k, const std::string& place) {
    if (failed) return;
    failed = true;
    agent = bad_agent;
    iteration = k;
    where = place;
  }
};

}  // namespace parley
