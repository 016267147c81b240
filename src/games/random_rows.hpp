// SPDX-License-Identifier: BSD-3-Clause
// Random starts and oracle noise of the games without data, agent by agent.
#pragma once

#include <string_view>

#include "core/agents.hpp"
#include "core/layout.hpp"
#include "core/sample.hpp"
#include "kernels/types.hpp"
#include "kernels/vector.hpp"

namespace parley {

/// Rows of independent normal numbers: those of agent 0 on every agent when agents_of_init is
/// "same", each agent's own when it is "per_agent".
void normal_start(const Agents& agents, const Layout& layout, double deviation, std::uint64_t seed,
                  std::string_view agents_of_init, const Matrix& z);

/// Adds independent normal noise of a standard deviation per player to every coordinate of every
/// local agent's row, the same for equal samples; none to records. Asynchronous.
void add_oracle_noise(const Exec& exec, const Agents& agents, const Layout& layout,
                      const Pair& deviation, const Sample& sample, const Matrix& f);

}  // namespace parley
