// SPDX-License-Identifier: BSD-3-Clause
// The verbs that the methods' steps are written in: allocate, field, move, mix. Knows no method.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/optimizer.hpp"
#include "kernels/vector.hpp"
#include "methods/method.hpp"

namespace parley {

/// Owns what every method owns: the sampler, the schedule, the list of its state, its channels and
/// counters. A method fills in begin(), update(k) and iterates().
class MethodBase : public Method {
 public:
  void start() final;
  void step(std::int64_t k) final;
  const Matrix& z() const final;
  StateList state() override;
  const OracleCount& oracle() const override { return oracle_; }
  Traffic traffic() const override;
  Sampler& sampler() override { return sampler_; }

 protected:
  MethodBase(const MethodContext& context, const StepOptions& steps);

  /// First oracle calls and copies of the start; iterates() is filled.
  virtual void begin() {}
  /// Iteration k = 1, 2, ...; eta() is the iteration's.
  virtual void update(std::int64_t k) = 0;
  /// The rows that the method starts from and that the answer speaks of (before push-sum's
  /// division).
  virtual const Matrix& iterates() const = 0;

  /// Rows that a restart must hold, zeroed.
  Matrix state_rows(const std::string& name);
  /// Rows whose content does not outlive a step.
  Matrix scratch_rows(const std::string& name) const;
  /// A counter that a restart must hold.
  void state_scalar(const std::string& name, std::int64_t& value) { state_.scalar(name, value); }

  /// A channel for iterates, at whose rows (or close by) fields are evaluated. Under push-sum a
  /// method has one of these, mixed once per iteration, and fields see its rows divided by its
  /// weights.
  Channel& open_iterates(const std::string& name);
  /// A channel for anything else: trackers, moments, directions.
  Channel& open_gossip(const std::string& name) { return open_gossip(name, {}); }
  /// The same for x's columns alone; y's are copied.
  Channel& open_gossip_of_x(const std::string& name);
  /// A channel whose mix is the mean over all agents.
  Channel& open_mean(const std::string& name);

  /// The draw of the next oracle call, of the deck's batch size or of `batch` samples (0: all).
  Sample fresh() { return sampler_.next(); }
  Sample fresh(std::int64_t batch);
  /// g = G(z; sample), clipped where the deck says so: one oracle call per agent. Calls with one
  /// sample see the same data and noise.
  void field(const Matrix& z, const Sample& sample, const Matrix& g);
  /// g = G(z; fresh sample).
  void field(const Matrix& z, const Matrix& g) { field(z, fresh(), g); }
  /// out = sum of terms.
  template <std::size_t N>
  void move(const Matrix& out, const Term (&terms)[N]) {
    combine(context_.exec, layout().y_begin(), terms, out);
  }
  /// z = prox of eta times the players' regularisers, and the projection onto their sets; under
  /// push-sum of the rows divided by their weights.
  void prox(const Matrix& z) { prox(z, eta_); }
  /// The same with step sizes of its own: 0 for a player that did not move.
  void prox(const Matrix& z, const Pair& eta);
  /// Starts mix k of all of `in`, which travels beside what follows until channel.end(k, out).
  static void start_mix(Channel& channel, std::int64_t k, const Matrix& in) {
    for (std::int64_t s = 0; s < channel.segments(); ++s) channel.begin(k, in, s);
  }
  void copy(const Matrix& from, const Matrix& to) { parley::copy(context_.exec, from, to); }

  const Layout& layout() const { return context_.game.layout(); }

  MethodContext context_;
  Pair eta_;  ///< step sizes of the iteration

 private:
  Channel& open_gossip(const std::string& name, const std::vector<Segment>& segments);
  Channel& keep(std::unique_ptr<Channel> channel, const std::string& name);

  Sampler sampler_;
  Schedule schedule_;
  ClipOptions clip_;
  StateList state_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<std::string> channel_names_;
  std::vector<Channel*> iterates_channels_;
  Channel* weighted_ = nullptr;  ///< the iterates' channel under push-sum
  Matrix ratio_, answer_;        ///< under push-sum: where fields are evaluated; z()
  OracleCount oracle_;
};

/// The row of a method whose class M is made from a context and its Options, of which `plan` tells.
template <class M, class Options, MethodPlan (*plan)(const Options&)>
MethodRow method_row(std::string_view name, std::string_view summary, std::string_view source) {
  return {make_kind<Options>(name, summary, source),
          [](const Choice& choice) { return plan(choice.as<Options>()); },
          [](const MethodContext& context) -> std::unique_ptr<Method> {
            return std::make_unique<M>(context, context.choice.as<Options>());
          }};
}

}  // namespace parley
