// SPDX-License-Identifier: BSD-3-Clause
// An update rule over the rows Z (local_agents x width). Each file of this folder reads like its
// paper's algorithm box; what they share is here and in steps.hpp. No MPI: channels do that.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  /// What the deck's step.rule gives; absent: the sizes of `choice` (Schedule's factors apply).
  std::optional<Pair> step_size = std::nullopt;
};

/// Oracle calls per agent since the start of the run.
struct OracleCount {
  std::int64_t calls = 0;    ///< all of them
  std::int64_t full = 0;     ///< of those: on the agent's full data
  std::int64_t samples = 0;  ///< rows that the others drew, together
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
  /// methods (of the latest step, none before the first), z() elsewhere.
  virtual const Matrix& to_average() const { return z(); }
  virtual StateList state() = 0;
  virtual const OracleCount& oracle() const = 0;
  virtual Traffic traffic() const = 0;  ///< of this rank, since the start of the program
  virtual Sampler& sampler() = 0;
};

/// Largest eta L with which a method converges on affine games whose agents have equal Jacobians,
/// by the modes of W and of the field: W^t has no eigenvalue below -1/3 (a ring of 1/3), or below
/// 1/3 (the lazy ring). 0: the method diverges at any step.
struct StableStep {
  double plain = 0, lazy = 0;
};
/// The same whatever W.
constexpr StableStep stable_up_to(double limit) {
  return {limit, limit};
}
/// Of one forward step: it diverges on bilinear games; |1 - eta L| < 1 on symmetric ones.
inline constexpr StableStep forward_bilinear = stable_up_to(0), forward_symmetric = stable_up_to(2);
/// Of the optimistic step: 1/sqrt(3) on bilinear games, 2/3 on symmetric ones.
inline constexpr StableStep optimistic_bilinear = stable_up_to(0.5773502691896258),
                            optimistic_symmetric = stable_up_to(2.0 / 3);
/// Of the extra step: |1 - i s - s^2| < 1 and 1 - s + s^2 < 1 for s < 1.
inline constexpr StableStep extra_step_stable = stable_up_to(1);

/// A batch size that the deck gives under [method] besides `batch`; 0: the full local data.
struct BatchKey {
  std::string key;
  std::int64_t value = 0;
};

/// What `parley check` and the refusal of wrong pairs need to know.
struct MethodPlan {
  double oracle_calls = 1;      ///< per agent and iteration
  double gossip_vectors = 0;    ///< mixes W^t of a row, per iteration
  bool mixes_x_alone = false;   ///< the gossip mixes send x's part of a row and leave y's
  double mean_vectors = 0;      ///< means over all agents of a row, per iteration
  std::int64_t state_rows = 2;  ///< rows per agent besides those of the channels
  /// Properties that the mixer of its gossip channels must have (true = required).
  MixerProperties needs{.linear = false,
                        .symmetric = false,
                        .doubly_stochastic = true,
                        .stateless = false,
                        .keeps_mean = true,
                        .convex = false};
  StepOptions steps;  ///< the choice's shared keys
  std::vector<BatchKey> batches = {};
  /// On bilinear games, and on games whose Jacobian is symmetric; absent: not known.
  std::optional<StableStep> stable_bilinear = std::nullopt, stable_symmetric = std::nullopt;
  bool random_graph = false;  ///< refuses graphs that are not drawn anew in each round
  bool proximal = true;       ///< takes proximal steps; false: refuses games that need them
};

/// A method of the registry.
struct MethodRow {
  Kind kind;
  MethodPlan (*plan)(const Choice& choice);
  std::unique_ptr<Method> (*make)(const MethodContext& context);
};

/// All methods, in the order of `parley list`.
std::span<const MethodRow> method_registry();
const MethodRow& find_method(std::string_view name);

}  // namespace parley
