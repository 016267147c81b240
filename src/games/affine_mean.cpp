// SPDX-License-Identifier: BSD-3-Clause
// The dense saddle point and the merit functions.
#include "games/affine_mean.hpp"

#include <Eigen/LU>
#include <cmath>

#include "core/check.hpp"

namespace parley {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::span<const double> span_of(const VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

}  // namespace

AffineField assemble(const AffineAgent& agent, std::int64_t dx, std::int64_t dy) {
  const Eigen::Map<const RowMajor> p(agent.p.data(), dx, dx), a(agent.a.data(), dx, dy),
      q(agent.q.data(), dy, dy);
  AffineField field{MatrixXd(dx + dy, dx + dy), VectorXd(dx + dy)};
  field.m << p, a, -a.transpose(), q;
  field.q << Eigen::Map<const VectorXd>(agent.b.data(), dx),
      -Eigen::Map<const VectorXd>(agent.c.data(), dy);
  return field;
}

double affine_value(const AffineField& field, std::int64_t dx, const VectorXd& z) {
  // x'F_x - y'F_y counts the linear terms once and the quadratic ones twice.
  const VectorXd twice = field.m * z + 2 * field.q;
  const std::int64_t dy = z.size() - dx;
  return 0.5 * (z.head(dx).dot(twice.head(dx)) - z.tail(dy).dot(twice.tail(dy)));
}

AffineMean::AffineMean(const AffineProblem& problem, AffineField mean, const std::string& where)
    : dx_(problem.dx), dy_(problem.dy), sets_(problem.sets), mean_(std::move(mean)) {
  const Eigen::FullPivLU<MatrixXd> lu(mean_.m);
  if (lu.isInvertible()) {
    solution_ = lu.solve(-mean_.q);
    solved_ = is_free(sets_.x, span_of(solution_.head(dx_))) &&
              is_free(sets_.y, span_of(solution_.tail(dy_)));
  } else if (sets_.any()) {
    solved_ = false;
  } else if (problem.unique) {
    fail_user(
        "{}: the mean over agents of [[P, A], [-A', Q]] is singular (rank {} of {}): the game "
        "has no unique saddle point; change the spectrum or the file",
        where, lu.rank(), dx_ + dy_);
  } else {
    inverse_.emplace(mean_.m);
  }
  x_ = plan_answers(0, dx_, sets_.x);
  y_ = plan_answers(dx_, dy_, sets_.y);
}

AffineMean::Player AffineMean::plan_answers(std::int64_t begin, std::int64_t size,
                                            const PlayerSet& set) const {
  Player player{begin, size, &set};
  const MatrixXd own = mean_.m.block(begin, begin, size, size);
  if (own.isZero(0) && set.bounded()) {
    player.answers = Answers::on_set;
  } else if (!set.any()) {
    player.factor.compute(own);
    const bool definite = player.factor.info() == Eigen::Success && player.factor.rcond() > 1e-13;
    if (definite) player.answers = Answers::definite;
  }
  return player;
}

double AffineMean::distance(const VectorXd& z) const {
  if (!inverse_) return (z - solution_).norm();
  return inverse_->solve(field(z)).norm();
}

double AffineMean::best(const Player& player, const VectorXd& z) const {
  const VectorXd ascent = -field(z).segment(player.begin, player.size);
  if (player.answers == Answers::definite) {
    return 0.5 * ascent.dot(player.factor.solve(ascent));
  }
  const VectorXd own = z.segment(player.begin, player.size);
  const double now = ascent.dot(own) - player.set->l1 * own.lpNorm<1>();
  return support(*player.set, span_of(ascent)) - now;
}

double AffineMean::gap(const VectorXd& z) const {
  return best(x_, z) + best(y_, z);
}

double AffineMean::residual(const VectorXd& z) const {
  VectorXd moved = z - field(z);
  const auto prox = [&](const Player& player) {
    prox_vector(*player.set, 1,
                {moved.data() + player.begin, static_cast<std::size_t>(player.size)});
  };
  prox(x_);
  prox(y_);
  return (z - moved).norm();
}

double AffineMean::value(const VectorXd& z) const {
  return affine_value(mean_, dx_, z) + sets_.x.l1 * z.head(dx_).lpNorm<1>() -
         sets_.y.l1 * z.tail(dy_).lpNorm<1>();
}

}  // namespace parley
