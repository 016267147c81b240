// SPDX-License-Identifier: BSD-3-Clause
// The matrices by round.
#include "comm/host/mixing.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace parley {

Mixing::Mixing(Weights weights) : Mixing(std::vector<Weights>{std::move(weights)}) {}

Mixing::Mixing(std::vector<Weights> period) : period_(std::move(period)) {
  ensure(!period_.empty(), "Mixing: at least one matrix");
  for (const Weights& weights : period_) {
    ensure(weights.rows.size() == period_[0].rows.size(), "Mixing: matrices of one size");
  }
  symmetric_ = std::all_of(period_.begin(), period_.end(),
                           [](const Weights& weights) { return weights.symmetric; });
}

Mixing::Mixing(Draw draw, bool symmetric)
    : draw_(std::move(draw)), symmetric_(symmetric), drawn_(draw_(0)) {}

const Weights& Mixing::at(std::int64_t round) const {
  if (!random()) return period_[static_cast<std::size_t>(varies() ? round % period() : 0)];
  if (round != drawn_round_) {
    drawn_ = draw_(round);
    drawn_round_ = round;
  }
  return drawn_;
}

}  // namespace parley
