// SPDX-License-Identifier: BSD-3-Clause
// A min-max game as the methods see it: players x (min) and y (max), a field per agent. No MPI
// here: a game works on the rows that it is given.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/agents.hpp"
#include "core/layout.hpp"
#include "core/sample.hpp"
#include "core/state.hpp"
#include "data/dataset.hpp"
#include "deck/deck.hpp"
#include "kernels/types.hpp"
#include "kernels/vector.hpp"

namespace parley {

/// One number of the log that a game can compute.
struct Measure {
  /// Where it is evaluated: at each agent's own row, or at the mean (given to every agent).
  enum class At { rows, mean };
  /// How the agents' contributions become one number; sums run in agent order.
  enum class Reduce { sum, mean, max };

  std::string name;
  std::string unit;
  std::string meaning;
  At at = At::mean;
  Reduce reduce = Reduce::sum;
  bool root = false;  ///< the logged value is the square root of the reduced one
  /// Writes the contributions of the local agents, local_agents x parts, for the rows of z
  /// (local_agents x width).
  std::function<void(const Exec&, const Matrix& z, std::span<double> out)> evaluate;
  std::int64_t parts = 1;  ///< numbers that an agent contributes, the same for all agents
  /// The logged value out of all contributions, agents x parts in agent order; empty: `reduce` of
  /// the one part. For what is no sum over agents: a maximum over a shared player, say.
  std::function<double(std::span<const double> all)> combine = {};
  /// Another column out of the same contributions.
  struct Derived {
    std::string name, unit, meaning;
    std::function<double(std::span<const double> all)> combine;
  };
  std::vector<Derived> more = {};
};

/// Called as soon as a block of a local agent's field is final, so that its exchange may start.
using Ready = std::function<void(std::int64_t local_agent, std::int64_t block)>;
/// A Ready that does nothing.
inline void not_watched(std::int64_t, std::int64_t) {}

/// Generated samples for a snapshot.
struct Generated {
  std::vector<std::int64_t> shape;  ///< of one sample
  std::vector<Real> values;         ///< n x features
};

class Game {
 public:
  virtual ~Game() = default;

  virtual const Layout& layout() const = 0;

  /// Fills the rows of the local agents: the same start on all agents, or one per agent.
  virtual void initial(std::uint64_t seed, std::string_view agents, const Matrix& z) = 0;

  /// f_m = F_m(z_m; sample) for every local agent: (grad_x, -grad_y) for a zero-sum game, the
  /// gradients of both players' losses for a general one. z, f: local_agents x width; padding of f
  /// stays zero. The work on one agent is the same calls with the same shapes whatever the number
  /// of local agents. `f` is complete, on the device, when the call returns and exec is fenced.
  virtual void field(const Exec& exec, const Matrix& z, const Sample& sample, const Matrix& f,
                     const Ready& ready) = 0;

  /// Losses of both players in the latest field call of the training stream, per local agent.
  virtual void losses(std::span<double> x, std::span<double> y) = 0;

  virtual std::vector<Measure> measures() { return {}; }
  /// True when the log's field norm is that of the full local data (batch 0); else of a batch of
  /// the method's size.
  virtual bool exact_records() const { return false; }
  /// Proximal step of the players' regularisers and projection onto their sets (l1, l2 ball, box,
  /// simplex, a clipped critic), row by row: z = prox_{eta r}(z). Called after every half step and
  /// after mixing, with the step sizes of the half step.
  virtual void prox(const Exec&, const Matrix& /*z*/, const Pair& /*eta*/) {}
  /// Iterates in dual coordinates (logits of a point of the simplex) to the points that they stand
  /// for, in place, and back: averages over iterations are formed of points.
  virtual void to_primal(const Exec&, const Matrix& /*z*/) {}
  virtual void from_primal(const Exec&, const Matrix& /*z*/) {}
  /// n samples from the generator in `z` (one row, width), for a snapshot.
  virtual std::optional<Generated> generate(const Exec&, const Vector&, std::int64_t) {
    return std::nullopt;
  }
  virtual StateList state() { return {}; }
};

/// What a game is built from; the references outlive it.
struct GameContext {
  const Deck& deck;
  const Agents& agents;
  const DataSet* data;  ///< nullptr without [data]
};

/// Constants of a game's mean field F for step rules and warnings.
struct GameConstants {
  double smoothness = 0;      ///< L: Lipschitz constant of F
  double smoothness_max = 0;  ///< L_max: the largest of the agents' own fields
  double monotonicity = 0;    ///< mu: <F(z) - F(u), z - u> >= mu ||z - u||^2; 0: none
  bool bilinear = false;      ///< the Jacobian of F has no symmetric part
  bool symmetric = false;     ///< ... no antisymmetric part: the players are not coupled
};

/// What `parley check` tells of a game, computed without allocating it.
struct GamePlan {
  Layout layout{row_alignment};
  double flops_per_call = 0;      ///< one agent, one oracle call
  std::int64_t bytes = 0;         ///< workspace and constants of one agent besides its rows
  std::int64_t shared_bytes = 0;  ///< of one rank, whatever its number of agents
  bool proximal = false;          ///< Game::prox moves rows: constraints or regularisers
  /// The constants, where they are known in closed form; costs about a dense decomposition.
  std::function<GameConstants()> constants;
};

/// A game of the registry.
struct GameRow {
  Kind kind;
  bool needs_data = false;
  /// `data` is nullptr without [data]; `batch` is the method's (0: the full local data). UserError
  /// names the deck's line when sizes do not fit.
  GamePlan (*plan)(const Deck& deck, const DataShape* data, std::int64_t batch);
  std::unique_ptr<Game> (*make)(const GameContext& context);
};

/// The games that a deck can name, in the order of `parley list`.
std::span<const GameRow> game_registry();
const GameRow& find_game(std::string_view name);

}  // namespace parley
