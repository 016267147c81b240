// SPDX-License-Identifier: BSD-3-Clause
// Rows, field and measures that all affine games share: M_m = [[P,A],[-A',Q]], q_m = (b,-c).
#include "games/affine.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "games/affine_mean.hpp"
#include "games/game_parts.hpp"
#include "games/random_rows.hpp"
#include "kernels/affine.hpp"
#include "kernels/vector.hpp"
#include "solver/rows.hpp"

namespace parley {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd symmetric_eigenvalues(const MatrixXd& matrix) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(matrix, Eigen::EigenvaluesOnly).eigenvalues();
}

double spectral_norm(const MatrixXd& matrix) {
  return std::sqrt(std::max(0.0, symmetric_eigenvalues(matrix.transpose() * matrix).maxCoeff()));
}

class AffineGame : public Game {
 public:
  AffineGame(const AffineProblem& problem, const GameContext& context, const std::string& where)
      : agents_(context.agents),
        layout_(affine_layout(problem.dx, problem.dy)),
        start_(problem.start),
        noise_(problem.noise),
        sets_(problem.sets),
        matrices_(make_matrix("parley::constant::affine_matrices",
                              agents_.count() * layout_.width(), layout_.width())),
        vectors_(
            make_matrix("parley::constant::affine_vectors", agents_.count(), layout_.width())) {
    build(problem, where);
  }

  const Layout& layout() const override { return layout_; }

  void initial(std::uint64_t seed, std::string_view agents, const Matrix& z) override {
    normal_start(agents_, layout_, start_, seed, agents, z);
    if (!sets_.any()) return;
    const Exec exec;
    prox_rows(exec, sets_, layout_, {0, 0}, z);
    fence(exec, "parley::affine::initial");
  }

  void field(const Exec& exec, const Matrix& z, const Sample& sample, const Matrix& f,
             const Ready& ready) override {
    affine_field(exec, matrices_, vectors_, z, f);
    add_oracle_noise(exec, agents_, layout_, noise_, sample, f);
    fence(exec, "parley::affine::field");
    if (sample.stream == Stream::train) seen_ = z;
    all_ready(ready, agents_, layout_);
  }

  void prox(const Exec& exec, const Matrix& z, const Pair& eta) override {
    if (sets_.any()) prox_rows(exec, sets_, layout_, eta, z);
  }

  /// The value f_m at the rows of the latest training call, as they are now, and -f_m.
  void losses(std::span<double> x, std::span<double> y) override {
    if (seen_.data() == nullptr) return;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = affine_value(own_[i], layout_.dim_x(), host_row(seen_, static_cast<std::int64_t>(i)));
      y[i] = -x[i];
    }
  }

  std::vector<Measure> measures() override {
    std::vector<Measure> list;
    if (mean_->solved()) {
      list.push_back(of_mean("distance_to_solution",
                             "distance of zbar to the saddle point of the dense solve, or to the "
                             "subspace of saddle points",
                             &AffineMean::distance));
    }
    if (mean_->has_gap()) {
      list.push_back(
          of_mean("gap", "duality gap: max_y f(xbar, y) - min_x f(x, ybar)", &AffineMean::gap));
    }
    if (!sets_.any()) return list;
    list.push_back(of_mean("residual", "||zbar - prox(zbar - F(zbar))||", &AffineMean::residual));
    list.push_back(of_mean("value", "f(zbar), the mean of the agents' functions and the l1 terms",
                           &AffineMean::value));
    return list;
  }

 private:
  void build(const AffineProblem& problem, const std::string& where) {
    const std::int64_t dim = layout_.dim();
    AffineField mean{MatrixXd::Zero(dim, dim), VectorXd::Zero(dim)};
    for (std::int64_t m = 0; m < agents_.total(); ++m) {
      const AffineField field = assemble(problem.agent(m), problem.dx, problem.dy);
      mean.m += field.m / static_cast<double>(agents_.total());
      mean.q += field.q / static_cast<double>(agents_.total());
      if (!agents_.owns(m)) continue;
      own_.push_back(field);
      place(field, agents_.local(m));
    }
    mean_ = std::make_unique<AffineMean>(problem, std::move(mean), where);
  }

  Measure of_mean(const char* name, const char* meaning,
                  double (AffineMean::*value)(const VectorXd&) const) {
    return measure_of_mean(name, meaning, layout_, [this, value](std::span<const double> z) {
      const Eigen::Map<const VectorXd> at(z.data(), layout_.dim());
      return ((*mean_).*value)(at);
    });
  }

  VectorXd host_row(const Matrix& z, std::int64_t i) const {
    const auto packed = pack_rows(rows(z, i, i + 1), layout_);
    const Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, 1>> row(packed.data(),
                                                                       layout_.dim());
    return row.template cast<double>();
  }

  /// Copies one agent's matrix and vector into padded rows.
  void place(const AffineField& dense, std::int64_t local) {
    const std::int64_t dim = layout_.dim(), width = layout_.width();
    std::vector<Real> vector(dense.q.data(), dense.q.data() + dim);
    unpack_rows(vector, layout_, rows(vectors_, local, local + 1));
    for (const Block& block : layout_.blocks()) {
      std::vector<Real> packed;
      for (std::int64_t i = 0; i < block.size; ++i) {
        for (std::int64_t j = 0; j < dim; ++j) {
          packed.push_back(static_cast<Real>(dense.m(block.packed + i, j)));
        }
      }
      const std::int64_t first = local * width + block.column;
      unpack_rows(packed, layout_, rows(matrices_, first, first + block.size));
    }
  }

  const Agents& agents_;
  Layout layout_;
  double start_;
  Pair noise_;
  PlayerSets sets_;
  Matrix matrices_, vectors_, seen_;
  std::vector<AffineField> own_;
  std::unique_ptr<AffineMean> mean_;
};

}  // namespace

Layout affine_layout(std::int64_t dx, std::int64_t dy) {
  Layout layout(row_alignment);
  layout.add("x", Player::x, {dx});
  layout.add("y", Player::y, {dy});
  return layout;
}

GameConstants affine_constants(const AffineProblem& problem, std::int64_t agents) {
  const std::int64_t dim = problem.dx + problem.dy;
  GameConstants constants;
  MatrixXd mean = MatrixXd::Zero(dim, dim), previous;
  for (std::int64_t m = 0; m < agents; ++m) {
    const MatrixXd own = assemble(problem.agent(m), problem.dx, problem.dy).m;
    mean += own / static_cast<double>(agents);
    if (m > 0 && own == previous) continue;
    constants.smoothness_max = std::max(constants.smoothness_max, spectral_norm(own));
    previous = own;
  }
  constants.smoothness = spectral_norm(mean);
  const VectorXd symmetric = symmetric_eigenvalues((mean + mean.transpose()) / 2);
  const double nothing = 1e-12 * constants.smoothness;
  const double smallest = symmetric.minCoeff();
  constants.monotonicity = smallest > nothing ? smallest : 0;
  constants.bilinear = symmetric.cwiseAbs().maxCoeff() <= nothing;
  constants.symmetric = (mean - mean.transpose()).norm() <= nothing;
  return constants;
}

GamePlan affine_plan(const AffineSizes& sizes, std::int64_t agents,
                     std::function<AffineProblem()> make) {
  GamePlan plan;
  plan.layout = affine_layout(sizes.dx, sizes.dy);
  const std::int64_t dim = plan.layout.dim(), width = plan.layout.width();
  plan.flops_per_call = 2.0 * static_cast<double>(dim * dim);
  plan.bytes = (width * width + width) * static_cast<std::int64_t>(sizeof(Real)) +
               (dim * dim + dim) * static_cast<std::int64_t>(sizeof(double));
  plan.shared_bytes = 6 * dim * dim * static_cast<std::int64_t>(sizeof(double));
  plan.constants = [make, agents] { return affine_constants(make(), agents); };
  return plan;
}

std::unique_ptr<Game> make_affine_game(const AffineProblem& problem, const GameContext& context,
                                       const std::string& where) {
  return std::make_unique<AffineGame>(problem, context, where);
}

}  // namespace parley
