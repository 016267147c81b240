// SPDX-License-Identifier: BSD-3-Clause
// IterateAverage.
#include "solver/iterate_average.hpp"

#include "kernels/philox.hpp"
#include "solver/rows.hpp"

namespace parley {

IterateAverage::IterateAverage(const StepOptions& options, std::int64_t agents, Game& game,
                               std::uint64_t seed)
    : kind_(options.ema > 0 ? "ema" : options.iterate_average),
      decay_(options.ema),
      game_(game),
      seed_(seed) {
  if (!on()) return;
  rows_ = make_matrix("parley::average::rows", agents, game.layout().width());
  point_ = make_matrix("parley::average::point", agents, game.layout().width());
}

/// point = the points of the iterates.
void IterateAverage::take(const Exec& exec, const Matrix& iterates) const {
  copy(exec, iterates, point_);
  game_.to_primal(exec, point_);
}

void IterateAverage::start(const Exec& exec, const Method& method) {
  if (!on()) return;
  take(exec, method.z());
  copy(exec, point_, rows_);
}

void IterateAverage::update(const Exec& exec, std::int64_t k, const Method& method) {
  if (!on()) return;
  const auto count = static_cast<double>(k);
  if (kind_ == "ema") {
    take(exec, method.z());
    combine(exec, 0, {{decay_ * one, rows_}, {(1 - decay_) * one, point_}}, rows_);
  } else if (kind_ == "random") {
    const Philox draw{seed_, Purpose::average, 0, static_cast<std::uint64_t>(k)};
    if (draw.uniform(0) * count > 1) return;
    take(exec, method.to_average());
    copy(exec, point_, rows_);
  } else {
    take(exec, method.to_average());
    const double share = kind_ == "uniform" ? 1 / count : 2 / (count + 1);
    if (k == 1) return copy(exec, point_, rows_);
    // The difference form: rounding of 1 - share would add up over iterations.
    combine(exec, 0, {{one, rows_}, {share * one, point_}, {-share * one, rows_}}, rows_);
  }
}

StateList IterateAverage::state() const {
  StateList list;
  if (on()) list_rows(list, "rows", rows_, game_.layout());
  return list;
}

}  // namespace parley
