// SPDX-License-Identifier: BSD-3-Clause
// Loops over agents and blocks, and copies to the host.
#include "games/game_parts.hpp"

#include <algorithm>

#include "solver/rows.hpp"

namespace parley {

void all_ready(const Ready& ready, const Agents& agents, const Layout& layout) {
  const auto blocks = static_cast<std::int64_t>(layout.blocks().size());
  for (std::int64_t i = 0; i < agents.count(); ++i) {
    for (std::int64_t block = 0; block < blocks; ++block) ready(i, block);
  }
}

void zero_sum_losses(const Doubles& values, std::span<double> x, std::span<double> y) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = host(i);
    y[i] = -x[i];
  }
}

Measure measure_of_mean(const char* name, const char* meaning, const Layout& layout,
                        std::function<double(std::span<const double> z)> value) {
  Measure measure;
  measure.name = name;
  measure.meaning = meaning;
  measure.at = Measure::At::mean;
  measure.reduce = Measure::Reduce::max;
  measure.evaluate = [&layout, value = std::move(value)](const Exec&, const Matrix& z,
                                                         std::span<double> out) {
    if (out.empty()) return;
    const std::vector<Real> packed = pack_rows(rows(z, 0, 1), layout);
    const std::vector<double> mean(packed.begin(), packed.end());
    std::fill(out.begin(), out.end(), value(mean));
  };
  return measure;
}

}  // namespace parley
