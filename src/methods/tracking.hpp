// SPDX-License-Identifier: BSD-3-Clause
// What methods with gradient tracking share: rows S whose mean over agents is the mean of the
// latest estimates of the fields, whatever the graph. Knows no method.
#pragma once

#include <cstdint>

#include "methods/base.hpp"

namespace parley {

/// Adds the tracker of DIGing (Nedic, Olshevsky, Shi, arXiv 1607.03218, eq. 2) to the verbs. S and
/// the previous estimate begin at 0, so that the first estimate enters whole and
///   mean_m S_m = mean_m (latest estimate)_m
/// holds from then on: by induction, because a mix keeps the mean. The tracker's channel mixes rows
/// as they are, also under push-sum. The iterates are z_, mixed by gossip_.
class TrackingMethod : public MethodBase {
 public:
  const Matrix& iterates() const final { return z_; }

 protected:
  /// Whose columns are mixed: with x alone, y's stay with their agents, and S has the agent's own
  /// latest estimate there.
  enum class Mixed { both, x };

  TrackingMethod(const MethodContext& context, const StepOptions& steps, Mixed mixed = Mixed::both);

  /// S = W (S + estimate - previous), mix number k; previous = estimate.
  void track(std::int64_t k, const Matrix& estimate);

  /// S = W S + estimate - previous in two parts, so that the exchange runs beside the calls that
  /// make the estimate; previous = estimate.
  void start_tracking(std::int64_t k) { start_mix(tracker_, k, s_); }
  void finish_tracking(std::int64_t k, const Matrix& estimate);

  Matrix z_;         ///< state
  Matrix s_;         ///< state: S
  Matrix previous_;  ///< state: the latest estimate that S has taken in
  Matrix mixed_;     ///< scratch of one line
  Channel& gossip_;

 private:
  Channel& tracker_;
};

/// Estimates by differences at one sample: g = F(z; xi) + keep (g_old - F(z_old; xi)), which keep
/// the noise of the latest fresh field small (SPIDER with keep = 1; Cutkosky and Orabona, arXiv
/// 1905.10018, with keep < 1).
class RecursiveTracking : public TrackingMethod {
 protected:
  RecursiveTracking(const MethodContext& context, const StepOptions& steps);

  /// F(z_; sample), to be called before the step that leaves z_old = z_ behind: under push-sum the
  /// weights that belong to the old rows are gone after the mix.
  void look_back(const Sample& sample) { field(z_, sample, behind_); }
  /// g = F(z_; sample) + keep (g - F(z_old; sample)), after the step, with the same sample.
  void look_ahead(const Sample& sample, const Pair& keep, const Matrix& g);

 private:
  Matrix behind_, ahead_;
};

}  // namespace parley
