// SPDX-License-Identifier: BSD-3-Clause
// The verbs that the methods' steps are written in: allocate, field, move, mix. Knows no method.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/optimizer.hpp"
#include "kernels/vector.hpp"
#include "methods/method.hpp"

namespace parley {

/// Owns what every method owns: the sampler, the list of its state, its channels and counters.
class MethodBase : public Method {
 public:
  StateList state() override;
  std::int64_t oracle_calls() const override { return oracle_calls_; }
  Traffic traffic() const override;
  Sampler& sampler() override { return sampler_; }

 protected:
  MethodBase(const MethodContext& context, const StepOptions& steps);

  /// Rows that a restart must hold, zeroed.
  Matrix state_rows(const std::string& name);
  /// Rows whose content does not outlive a step.
  Matrix scratch_rows(const std::string& name) const;
  /// A counter that a restart must hold.
  void state_scalar(const std::string& name, std::int64_t& value) { state_.scalar(name, value); }
  Channel& open_gossip(const std::string& name);
  Channel& open_mean(const std::string& name);

  /// g = G(z; fresh sample): one oracle call per agent.
  void field(const Matrix& z, const Matrix& g);
  /// out = sum of terms.
  template <std::size_t N>
  void move(const Matrix& out, const Term (&terms)[N]) {
    combine(context_.exec, layout().y_begin(), terms, out);
  }
  /// P(z), where the game has a constraint.
  void project(const Matrix& z) { context_.game.project(context_.exec, z); }
  void copy(const Matrix& from, const Matrix& to) { parley::copy(context_.exec, from, to); }

  const Layout& layout() const { return context_.game.layout(); }

  MethodContext context_;
  Pair eta_;

 private:
  Sampler sampler_;
  StateList state_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<std::string> channel_names_;
  std::int64_t oracle_calls_ = 0;
};

}  // namespace parley
