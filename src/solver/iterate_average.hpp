// SPDX-License-Identifier: BSD-3-Clause
// One running average of every agent's iterates, in the space of points (Game::to_primal): the
// exponential one of a run's answers, or one of those that convergence theorems speak of.
#pragma once

#include "methods/method.hpp"

namespace parley {

/// After iteration k = 1, 2, ... with points p_1, p_2, ... (p_0: the start) the rows are
///   ema:     e_k = decay e_{k-1} + (1 - decay) p_k, e_0 = p_0, of the iterates Method::z();
///   uniform: (p_1 + ... + p_k) / k;
///   linear:  (1 p_1 + 2 p_2 + ... + k p_k) 2 / (k (k + 1));
///   random:  one of p_1, ..., p_k, each with probability 1/k, the same index on all agents;
/// the last three of Method::to_average(), and p_0 while k = 0.
class IterateAverage {
 public:
  /// The keys `ema` and `iterate_average` decide which; with neither on() is false and nothing is
  /// kept. `seed` keys the random choice.
  IterateAverage(const StepOptions& options, std::int64_t agents, Game& game, std::uint64_t seed);

  bool on() const { return kind_ != "none"; }
  /// Name of the data set in a snapshot: "ema" or "average".
  std::string name() const { return kind_ == "ema" ? "ema" : "average"; }
  /// Ending of the columns in the log: "_ema" or "_avg".
  std::string suffix() const { return kind_ == "ema" ? "_ema" : "_avg"; }
  /// local_agents x width points; Game::from_primal makes iterates of them, or of their mean.
  const Matrix& rows() const { return rows_; }

  void start(const Exec& exec, const Method& method);
  /// To be called after iteration k of the method.
  void update(const Exec& exec, std::int64_t k, const Method& method);
  StateList state() const;

 private:
  void take(const Exec& exec, const Matrix& iterates) const;

  std::string kind_;  ///< none, ema, uniform, linear, random
  double decay_;
  Game& game_;
  std::uint64_t seed_;
  Matrix rows_, point_;
};

}  // namespace parley
