// SPDX-License-Identifier: BSD-3-Clause
// Which rank owns which agents: contiguous blocks, any number of agents on any number of ranks.
// Pure arithmetic.
#pragma once

#include <algorithm>
#include <cstdint>

namespace parley {

/// M agents on R ranks in contiguous blocks; the first M mod R ranks own one more. A rank may own
/// none.
class Agents {
 public:
  Agents(std::int64_t total, int rank, int ranks) : total_(total), rank_(rank), ranks_(ranks) {}

  std::int64_t total() const { return total_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  /// First agent of a rank; first_of(ranks()) == total().
  std::int64_t first_of(int rank) const {
    const std::int64_t share = total_ / ranks_, rest = total_ % ranks_;
    return rank * share + std::min<std::int64_t>(rank, rest);
  }
  std::int64_t count_of(int rank) const { return first_of(rank + 1) - first_of(rank); }

  std::int64_t first() const { return first_of(rank_); }
  std::int64_t count() const { return count_of(rank_); }
  bool owns(std::int64_t agent) const { return agent >= first() && agent < first() + count(); }
  std::int64_t local(std::int64_t agent) const { return agent - first(); }

  int owner(std::int64_t agent) const {
    const std::int64_t share = total_ / ranks_, rest = total_ % ranks_;
    const std::int64_t edge = rest * (share + 1);
    if (agent < edge) return static_cast<int>(agent / (share + 1));
    return static_cast<int>(rest + (agent - edge) / share);
  }

 private:
  std::int64_t total_;
  int rank_;
  int ranks_;
};

}  // namespace parley
