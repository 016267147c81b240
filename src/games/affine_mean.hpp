// SPDX-License-Identifier: BSD-3-Clause
// The mean over agents of an affine game, dense and in double on every rank: its exact solution and
// its merit functions. Host only; knows no rows.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/QR>
#include <optional>
#include <string>

#include "games/affine.hpp"

namespace parley {

/// An affine field M z + q with z = [x ; y].
struct AffineField {
  Eigen::MatrixXd m;
  Eigen::VectorXd q;
};

/// [[P, A], [-A', Q]] and (b, -c) of one agent.
AffineField assemble(const AffineAgent& agent, std::int64_t dx, std::int64_t dy);

/// x'Px/2 + x'Ay - y'Qy/2 + b'x + c'y of the game that a field belongs to; dx: numbers of x.
double affine_value(const AffineField& field, std::int64_t dx, const Eigen::VectorXd& z);

class AffineMean {
 public:
  /// UserError with `where` in front when M is singular, the game asks for a unique saddle point
  /// and no set bounds it.
  AffineMean(const AffineProblem& problem, AffineField mean, const std::string& where);
  AffineMean(const AffineMean&) = delete;
  AffineMean& operator=(const AffineMean&) = delete;

  /// False when only the sets make a solution, which then is not known.
  bool solved() const { return solved_; }
  /// ||z - z*||; where saddle points are a subspace, the distance to it.
  double distance(const Eigen::VectorXd& z) const;

  /// True when the best answers to any z have a closed form: on bounded sets where the player's own
  /// quadratic term is 0, on the whole space where it is definite.
  bool has_gap() const { return x_.answers != Answers::unknown && y_.answers != Answers::unknown; }
  /// max over y' of f(x, y') - min over x' of f(x', y), z in the sets.
  double gap(const Eigen::VectorXd& z) const;
  /// ||z - prox(z - F(z))||, 0 at saddle points alone.
  double residual(const Eigen::VectorXd& z) const;
  /// f(z) + l1 terms.
  double value(const Eigen::VectorXd& z) const;

 private:
  enum class Answers { unknown, on_set, definite };
  /// One player's part of z, its set, and how its best answer is found.
  struct Player {
    std::int64_t begin = 0, size = 0;
    const PlayerSet* set = nullptr;
    Answers answers = Answers::unknown;
    Eigen::LLT<Eigen::MatrixXd> factor = {};  ///< of P or Q, where definite
  };
  Player plan_answers(std::int64_t begin, std::int64_t size, const PlayerSet& set) const;
  /// What the player gains by its best answer to z.
  double best(const Player& player, const Eigen::VectorXd& z) const;
  Eigen::VectorXd field(const Eigen::VectorXd& z) const { return mean_.m * z + mean_.q; }

  std::int64_t dx_, dy_;
  PlayerSets sets_;
  AffineField mean_;
  bool solved_ = true;
  Eigen::VectorXd solution_;
  std::optional<Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>> inverse_;
  Player x_, y_;
};

}  // namespace parley
