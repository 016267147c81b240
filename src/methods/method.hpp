// SPDX-License-Identifier: BSD-3-Clause
// An update rule over the rows Z (local_agents x width). Each file of this folder reads like its
// paper's algorithm box; what they share is here and in steps.hpp. No MPI: channels do that.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "comm/mixer.hpp"
#include "games/game.hpp"
#include "methods/steps.hpp"

namespace parley {

/// Keys of the methods with Adam moments.
struct AdamOptions {
  double beta1 = 0.5, beta2 = 0.9, epsilon = 1e-8;
};
void describe(Fields& fields, AdamOptions& options);

/// The keys of a method with Adam moments and nothing else.
struct AdamMethodOptions {
  StepOptions common;
  AdamOptions adam;
};
void describe(Fields& fields, AdamMethodOptions& options);

/// What a method is built from; the references outlive it.
struct MethodContext {
  const Choice& choice;
  const Exec& exec;
  Game& game;
  Mixer& mixer;
  const Agents& agents;
  std::uint64_t seed;
  std::int64_t iterations = 0;  ///< of the run, for schedules that end with it
  bool equal_start = true;      ///< all agents start at one point
};

class Method {
 public:
  virtual ~Method() = default;
  /// First oracle calls and copies of the start; `z()` is filled before.
  virtual void start() = 0;
  /// Iteration k = 1, 2, ...
  virtual void step(std::int64_t k) = 0;
  /// The iterate that the log, the snapshots and the answer speak of.
  virtual const Matrix& z() const = 0;
  /// The point whose average over iterations the theory speaks of: the half point of extra-step
  /// methods, z() elsewhere.
  virtual const Matrix& to_average() const { return z(); }
  virtual StateList state() = 0;
  virtual std::int64_t oracle_calls() const = 0;  ///< per agent, since the start
  virtual Traffic traffic() const = 0;            ///< of this rank, since the start of the program
  virtual Sampler& sampler() = 0;
};

/// What `parley check` and the refusal of wrong pairs need to know.
struct MethodPlan {
  double oracle_calls = 1;      ///< per agent and iteration
  double gossip_vectors = 0;    ///< mixes W^t of a row, per iteration
  double mean_vectors = 0;      ///< means over all agents of a row, per iteration
  std::int64_t state_rows = 2;  ///< rows per agent besides those of the channels
  bool one_agent_only = false;
  /// Properties that the mixer of its gossip channels must have (true = required).
  MixerProperties needs{.linear = false,
                        .symmetric = false,
                        .doubly_stochastic = true,
                        .stateless = false,
                        .keeps_mean = true,
                        .convex = false};
  StepOptions steps;  ///< the choice's shared keys
};

/// A method of the registry.
struct MethodRow {
  Kind kind;
  MethodPlan (*plan)(const Choice& choice);
  std::unique_ptr<Method> (*make)(const MethodContext& context);
};

/// dposg, dp-oadam, cp-osg, cp-oadam, extra-step-local-sgd, adam.
std::span<const MethodRow> method_registry();
const MethodRow& find_method(std::string_view name);

}  // namespace parley
