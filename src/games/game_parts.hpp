// SPDX-License-Identifier: BSD-3-Clause
// Small parts that several games are put together from. Knows no game.
#pragma once

#include <functional>
#include <span>

#include "games/game.hpp"

namespace parley {

/// Calls `ready` for every block of every local agent: of a field that is final as a whole.
void all_ready(const Ready& ready, const Agents& agents, const Layout& layout);

/// x(m) = values(m), y(m) = -values(m): the losses of a zero-sum game, from the device.
void zero_sum_losses(const Doubles& values, std::span<double> x, std::span<double> y);

/// A measure of the mean row alone, which every agent holds: `value` sees its packed numbers, in
/// double, once per rank. The layout outlives the measure.
Measure measure_of_mean(const char* name, const char* meaning, const Layout& layout,
                        std::function<double(std::span<const double> z)> value);

}  // namespace parley
