// SPDX-License-Identifier: BSD-3-Clause
// What local methods share: iterations of each agent by itself, and the averagings between them.
// Knows no method.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "methods/base.hpp"

namespace parley {

/// When the agents average, and how.
struct AveragingOptions {
  std::string average = "mean";       ///< none, mean (J) or gossip (W^t)
  std::vector<std::int64_t> moments;  ///< iterations that an averaging ends, ascending
  std::int64_t local_steps = 1;       ///< H: without moments, every H-th iteration
};
/// [method] average, moments, local_steps.
void describe(Fields& fields, AveragingOptions& options);
/// [method] moments and local_steps alone, of methods that always take the mean.
void describe_moments(Fields& fields, AveragingOptions& options);
/// Adds to a plan what averaging `vectors` rows at a time sends.
void add_averaging(MethodPlan& plan, const AveragingOptions& options, double vectors = 1);

/// The number of the averaging that ends iteration k >= 1: 1, 2, ... in order; 0: none does.
std::int64_t averaging_after(const AveragingOptions& options, std::int64_t k);

/// Local steps with averagings in between. A method fills in local_step(k). An iteration with an
/// averaging takes its last proximal step after it: P(mean(z_m - eta g_m)), which at H = 1 is the
/// centralized step.
class LocalMethod : public MethodBase {
 public:
  const Matrix& iterates() const final { return z_; }

 protected:
  LocalMethod(const MethodContext& context, const StepOptions& steps,
              const AveragingOptions& averaging);

  /// Iteration k of every agent by itself: moves z_, up to the last proximal step.
  virtual void local_step(std::int64_t k) = 0;
  /// Called after averaging n of the iterates.
  virtual void averaged(std::int64_t /*n*/) {}
  void update(std::int64_t k) final;

  /// Whether iteration k is the first after an averaging, or the first of all.
  bool begins_round(std::int64_t k) const;
  /// rows = their mean or mix number n.
  void average(Channel& channel, std::int64_t n, const Matrix& rows);
  /// The iterates' channel; absent with average = "none".
  Channel* iterates_channel() const { return channel_; }

  Matrix z_;

 private:
  AveragingOptions averaging_;
  Matrix mixed_;
  Channel* channel_ = nullptr;
};

}  // namespace parley
