// SPDX-License-Identifier: BSD-3-Clause
// What mixing does to disagreement, measured through the channels that the run uses.
#pragma once

#include <optional>
#include <string>

#include "comm/mixer.hpp"
#include "plan.hpp"

namespace parley {

/// The factor by which one mix shrinks the distance to the mean, ||Z - J Z||_F: random rows are
/// mixed through a channel of the context's own kind (any layout: the rows have their own), scaled
/// back after each mix, and the geometric mean over the second half of the mixes is taken, over
/// whole periods where the graph varies with a period. Comes close to rho^t of a fixed symmetric W
/// from below. 0 once the rows agree to round-off. The same on all ranks and for any number of
/// them; collective, some 32 rounds of short messages.
double measure_contraction(const MixerContext& context);

/// The same for a plan whose method gossips among several agents by linear mixes that divide by no
/// weights; nothing for others.
std::optional<double> measure_contraction(const Plan& plan, const MixerContext& context);

/// One line: what the spectrum promises of one mix beside what was measured.
std::string contraction_text(const Deck& deck, const Plan& plan, double measured);

}  // namespace parley
