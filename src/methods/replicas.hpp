// SPDX-License-Identifier: BSD-3-Clause
// What centralized methods share: agents that are replicas of one point and move by the mean of
// their fields, and the order in which the players take their turns. One agent is the serial
// method. Knows no method.
#pragma once

#include <cstdint>
#include <string>

#include "methods/base.hpp"

namespace parley {

/// A method of replicas. Agents that start apart start from the mean.
class ReplicaMethod : public MethodBase {
 public:
  const Matrix& iterates() const final { return z_; }

 protected:
  ReplicaMethod(const MethodContext& context, const StepOptions& steps);

  void begin() override;
  /// g = mean_m F_m(z; fresh sample), on every row: one oracle call and one mean.
  void mean_field(const Matrix& z, const Matrix& g);

  Matrix z_;

 private:
  void mean(const Matrix& in, const Matrix& out);

  Matrix own_;
  Channel& to_mean_;
  std::int64_t means_ = 0;
};

/// Who moves when.
struct TurnOptions {
  std::string updates = "simultaneous";
  std::int64_t n_critic = 1;
};
/// [method] updates, n_critic.
void describe(Fields& fields, TurnOptions& options);
/// The plan of a method of turns: oracle calls and means per iteration.
MethodPlan plan_turns(const TurnOptions& options);

/// A method in which both players move by one field, or y (a GAN's discriminator) moves n_critic
/// times, each time by a fresh field, and then x by another one (Goodfellow et al., NeurIPS 2014,
/// Algorithm 1). A method fills in play().
class TurnMethod : public ReplicaMethod {
 protected:
  TurnMethod(const MethodContext& context, const StepOptions& steps, const TurnOptions& turns)
      : ReplicaMethod(context, steps), turns_(turns) {}

  void update(std::int64_t k) final;
  /// Moves the players whose factor in `who` is 1 (not 0) by a fresh field, with `eta` their steps
  /// and 0 that of the other.
  virtual void play(const Pair& who, const Pair& eta) = 0;

 private:
  void turn(const Pair& who);

  TurnOptions turns_;
};

}  // namespace parley
