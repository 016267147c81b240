// SPDX-License-Identifier: BSD-3-Clause
// pl-game: x'P_m x/2 + x'R_m y - y'Q_m y/2 with sample covariances of low rank, neither strongly
// convex nor strongly concave but with the Polyak-Lojasiewicz property on both sides (Yang,
// Kiyavash and He, NeurIPS 2020).
#include <Eigen/Eigenvalues>
#include <cmath>

#include "core/check.hpp"
#include "games/affine.hpp"
#include "games/generate.hpp"
#include "kernels/philox.hpp"

namespace parley {

namespace {

using Eigen::MatrixXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Draws of the generator (see generate.cpp): bases 48 to 50, samples 51 to 53.
enum Which : std::int64_t { of_p = 0, of_q = 1, of_r = 2 };
constexpr std::int64_t bases = 32, samples_from = 51;

struct PlGameOptions {
  std::int64_t dim = 10, rank = 5, samples = 8000;
  double mu = 0.1, smoothness = 1, coupling = 0.5, shift = 0;
  double start = 1, noise = 0;
  std::int64_t seed = 1;
};

void describe(Fields& fields, PlGameOptions& o) {
  fields.key("dim", o.dim, {.sentence = "Dimension of x and of y.", .min = 1, .max = 4096});
  fields.key("rank", o.rank, {.sentence = "Rank of P, and of Q before the shift.", .min = 1});
  fields.key("samples", o.samples,
             {.sentence = "Samples behind the covariances, dealt to the agents in order.",
              .min = 1,
              .max = 1 << 24});
  fields.key("mu", o.mu,
             {.sentence = "Smallest nonzero eigenvalue of the covariances of the samples.",
              .min = 0,
              .min_excluded = true});
  fields.key("smoothness", o.smoothness,
             {.sentence = "Largest eigenvalue of the covariances of the samples.", .min = 0});
  fields.key(
      "coupling", o.coupling,
      {.sentence = "Without a shift the norm of K in R = P^(1/2) K Q^(1/2), which keeps max_y "
                   "f finite; with one the largest eigenvalue of the covariance of full "
                   "rank whose samples give R.",
       .min = 0});
  fields.key(
      "shift", o.shift,
      {.sentence = "Added to the diagonal of Q (20 in the published comparison).", .min = 0});
  fields.key("start", o.start,
             {.sentence = "Standard deviation of the starting point's coordinates.", .min = 0});
  fields.key("noise", o.noise,
             {.sentence = "Standard deviation of the noise in each coordinate of an oracle call.",
              .min = 0});
  fields.key("seed", o.seed, {.sentence = "Seed of the samples.", .min = 0});
  if (o.rank > o.dim) fields.mistake("rank", "must not be above dim");
  if (o.smoothness < o.mu) fields.mistake("smoothness", "must not be below mu");
}

/// First sample of agent m.
std::int64_t first_sample(const PlGameOptions& o, std::int64_t m, std::int64_t total) {
  return o.samples * m / total;
}

/// (1/n) sum of s s' over an agent's samples s = U g, U the factor (dim x rank) of the covariance.
MatrixXd covariance(const MatrixXd& factor, const PlGameOptions& o, Which which,
                    const AgentOf& who) {
  const Philox normal{static_cast<std::uint64_t>(o.seed), Purpose::generate, 0,
                      static_cast<std::uint64_t>(samples_from + which)};
  const std::int64_t rank = factor.cols(), first = first_sample(o, who.agent, who.total),
                     end = first_sample(o, who.agent + 1, who.total);
  MatrixXd inner = MatrixXd::Zero(rank, rank);
  Eigen::VectorXd g(rank);
  for (std::int64_t i = first; i < end; ++i) {
    for (std::int64_t j = 0; j < rank; ++j) {
      g(j) = normal.normal(static_cast<std::uint64_t>(i * rank + j));
    }
    inner += g * g.transpose();
  }
  return factor * inner * factor.transpose() / static_cast<double>(end - first);
}

/// U with U U' of rank columns(U) and the given nonzero eigenvalues.
MatrixXd factor_of(const PlGameOptions& o, Which which) {
  const std::int64_t rank = which == of_r ? o.dim : o.rank;
  const Spectrum1d roots = which == of_r
                               ? Spectrum1d{std::sqrt(o.coupling / 10), std::sqrt(o.coupling)}
                               : Spectrum1d{std::sqrt(o.mu), std::sqrt(o.smoothness)};
  const auto values = low_rank_factor(o.dim, rank, roots, o.seed, bases + which);
  return Eigen::Map<const RowMajor>(values.data(), o.dim, rank);
}

MatrixXd root(const MatrixXd& a) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(a);
  const Eigen::VectorXd roots = eigen.eigenvalues().cwiseMax(0).cwiseSqrt();
  return eigen.eigenvectors() * roots.asDiagonal() * eigen.eigenvectors().transpose();
}

std::vector<double> row_major(const MatrixXd& a) {
  std::vector<double> out(static_cast<std::size_t>(a.size()));
  Eigen::Map<RowMajor>(out.data(), a.rows(), a.cols()) = a;
  return out;
}

AffineProblem problem_of(const Deck& deck) {
  const auto& o = deck.game.as<PlGameOptions>();
  const std::int64_t total = deck.run.agents;
  if (o.samples < total) {
    fail_user("{} = {}: leaves some of the {} agents without a sample; take at least {}",
              deck.where("game.samples"), o.samples, total, total);
  }
  AffineProblem problem{o.dim, o.dim, {}, o.start, {o.noise, o.noise}};
  problem.unique = false;
  const MatrixXd to_p = factor_of(o, of_p), to_q = factor_of(o, of_q),
                 to_r = o.shift > 0 ? factor_of(o, of_r) : MatrixXd();
  const auto k = coupling_matrix(o.dim, o.dim, {o.coupling / 2, o.coupling}, o.seed);
  problem.agent = [o, total, to_p, to_q, to_r, k](std::int64_t m) {
    const AgentOf who{m, total};
    const MatrixXd p = covariance(to_p, o, of_p, who);
    MatrixXd q = covariance(to_q, o, of_q, who), r;
    if (o.shift > 0) {
      r = covariance(to_r, o, of_r, who);
    } else {
      r = root(p) * Eigen::Map<const RowMajor>(k.data(), o.dim, o.dim) * root(q);
    }
    q.diagonal().array() += o.shift;
    const std::vector<double> zero(static_cast<std::size_t>(o.dim), 0.0);
    return AffineAgent{row_major(p), row_major(r), row_major(q), zero, zero};
  };
  return problem;
}

}  // namespace

GameRow pl_game_row() {
  return {make_kind<PlGameOptions>("pl-game",
                                   "x'Px/2 + x'Ry - y'Qy/2 with sample covariances of low rank",
                                   "Yang et al., NeurIPS 2020; saddle point 0, up to null spaces"),
          false,
          [](const Deck& deck, const DataShape*, std::int64_t) {
            const std::int64_t dim = deck.game.as<PlGameOptions>().dim;
            return affine_plan({dim, dim}, deck.run.agents, [deck] { return problem_of(deck); });
          },
          [](const GameContext& context) {
            return make_affine_game(problem_of(context.deck), context,
                                    context.deck.where("game.kind"));
          }};
}

}  // namespace parley
