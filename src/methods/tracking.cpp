// SPDX-License-Identifier: BSD-3-Clause
// The tracker's lines.
#include "methods/tracking.hpp"

namespace parley {

TrackingMethod::TrackingMethod(const MethodContext& context, const StepOptions& steps, Mixed mixed)
    : MethodBase(context, steps),
      z_(state_rows("z")),
      s_(state_rows("s")),
      previous_(state_rows("previous")),
      mixed_(scratch_rows("mixed")),
      gossip_(mixed == Mixed::both ? open_iterates("z") : open_gossip_of_x("z")),
      tracker_(mixed == Mixed::both ? open_gossip("s") : open_gossip_of_x("s")) {}

void TrackingMethod::track(std::int64_t k, const Matrix& estimate) {
  move(mixed_, {{one, s_}, {one, estimate}, {-1 * one, previous_}});
  tracker_.mix(k, mixed_, s_);
  copy(estimate, previous_);
}

void TrackingMethod::finish_tracking(std::int64_t k, const Matrix& estimate) {
  tracker_.end(k, mixed_);
  move(s_, {{one, mixed_}, {one, estimate}, {-1 * one, previous_}});
  copy(estimate, previous_);
}

RecursiveTracking::RecursiveTracking(const MethodContext& context, const StepOptions& steps)
    : TrackingMethod(context, steps),
      behind_(scratch_rows("behind")),
      ahead_(scratch_rows("ahead")) {}

void RecursiveTracking::look_ahead(const Sample& sample, const Pair& keep, const Matrix& g) {
  field(z_, sample, ahead_);
  move(g, {{one, ahead_}, {keep, g}, {-1 * keep, behind_}});
}

}  // namespace parley
