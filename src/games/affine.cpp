// SPDX-License-Identifier: BSD-3-Clause
// Assembles M_m = [[P,A],[-A',Q]], q_m = (b,-c) (shared by all affine games), the dense saddle
// point and the measures.
#include "games/affine.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "kernels/affine.hpp"
#include "kernels/vector.hpp"
#include "solver/rows.hpp"

namespace parley {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Dense {
  MatrixXd m;
  VectorXd q;
};

Dense assemble(const AffineAgent& agent, std::int64_t dx, std::int64_t dy) {
  const Eigen::Map<const RowMajor> p(agent.p.data(), dx, dx), a(agent.a.data(), dx, dy),
      q(agent.q.data(), dy, dy);
  Dense dense{MatrixXd(dx + dy, dx + dy), VectorXd(dx + dy)};
  dense.m << p, a, -a.transpose(), q;
  dense.q << Eigen::Map<const VectorXd>(agent.b.data(), dx),
      -Eigen::Map<const VectorXd>(agent.c.data(), dy);
  return dense;
}

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
        matrices_(make_matrix("parley::constant::affine_matrices",
                              agents_.count() * layout_.width(), layout_.width())),
        vectors_(
            make_matrix("parley::constant::affine_vectors", agents_.count(), layout_.width())) {
    build(problem, where);
  }

  const Layout& layout() const override { return layout_; }

  void initial(std::uint64_t seed, std::string_view agents, const Matrix& z) override {
    std::vector<Real> rows;
    for (std::int64_t i = 0; i < agents_.count(); ++i) {
      const Philox normal{seed, Purpose::init, agents == "same" ? 0 : agents_.first() + i, 0};
      for (std::int64_t j = 0; j < layout_.dim(); ++j) {
        rows.push_back(static_cast<Real>(start_ * normal.normal(static_cast<std::uint64_t>(j))));
      }
    }
    unpack_rows(rows, layout_, z);
  }

  void field(const Exec& exec, const Matrix& z, const Sample& sample, const Matrix& f,
             const Ready& ready) override {
    affine_field(exec, matrices_, vectors_, z, f);
    if (noise_ > 0 && sample.stream == Stream::train) {
      add_noise(exec, sample, f);
    }
    fence(exec, "parley::affine::field");
    if (sample.stream == Stream::train) seen_ = z;
    for (std::int64_t i = 0; i < agents_.count(); ++i) {
      ready(i, 0);
      ready(i, 1);
    }
  }

  /// The value f_m at the rows of the latest training call, as they are now, and -f_m.
  void losses(std::span<double> x, std::span<double> y) override {
    if (seen_.data() == nullptr) return;
    const auto z = pack_rows(seen_, layout_);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, 1>> row(
          z.data() + i * static_cast<std::size_t>(layout_.dim()), layout_.dim());
      const VectorXd v = row.template cast<double>();
      // x'F_x - y'F_y counts the linear terms once and the quadratic ones twice.
      const VectorXd twice = signs_.cwiseProduct(own_[i].m * v + 2 * own_[i].q);
      x[i] = 0.5 * v.dot(twice);
      y[i] = -x[i];
    }
  }

  std::vector<Measure> measures() override {
    return {{"distance_to_solution", "", "||zbar - z*||, Euclidean, z* from the dense solve",
             Measure::At::mean, Measure::Reduce::max, false,
             [this](const Exec& exec, const Matrix& z, std::span<double> out) {
               const auto distances = row_distances(exec, layout_.y_begin(), z, solution_);
               for (std::size_t i = 0; i < out.size(); ++i) {
                 out[i] = std::sqrt(distances[i].x + distances[i].y);
               }
             }}};
  }

 private:
  void build(const AffineProblem& problem, const std::string& where) {
    const std::int64_t dim = layout_.dim();
    MatrixXd mean_m = MatrixXd::Zero(dim, dim);
    VectorXd mean_q = VectorXd::Zero(dim);
    std::vector<Real> matrices, vectors;
    for (std::int64_t m = 0; m < agents_.total(); ++m) {
      const Dense dense = assemble(problem.agent(m), problem.dx, problem.dy);
      mean_m += dense.m;
      mean_q += dense.q;
      if (!agents_.owns(m)) continue;
      own_.push_back(dense);
      place(dense, agents_.local(m));
    }
    const Eigen::FullPivLU<MatrixXd> lu(mean_m);
    if (!lu.isInvertible()) {
      fail_user(
          "{}: the mean over agents of [[P, A], [-A', Q]] is singular (rank {} of {}): the game "
          "has no unique saddle point; change the spectrum or the file",
          where, lu.rank(), dim);
    }
    const VectorXd z = lu.solve(-mean_q);
    solution_ = make_vector("parley::constant::affine_solution", layout_.width());
    const Matrix as_row(solution_.data(), 1, solution_.extent(0));
    std::vector<Real> packed(static_cast<std::size_t>(dim));
    for (std::int64_t j = 0; j < dim; ++j) packed[static_cast<std::size_t>(j)] = Real(z(j));
    unpack_rows(packed, layout_, as_row);
    signs_ = VectorXd::Ones(dim);
    signs_.tail(problem.dy).setConstant(-1);
  }

  /// Copies one agent's matrix and vector into padded rows.
  void place(const Dense& dense, std::int64_t local) {
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

  void add_noise(const Exec& exec, const Sample& sample, const Matrix& f) {
    for (std::int64_t i = 0; i < agents_.count(); ++i) {
      const Philox normal{sample.seed, Purpose::oracle_noise, agents_.first() + i, sample.draw};
      for (const Block& block : layout_.blocks()) {
        add_normal(exec, normal, {block.packed, block.column, block.size},
                   static_cast<Real>(noise_), row(f, i));
      }
    }
  }

  const Agents& agents_;
  Layout layout_;
  double start_, noise_;
  Matrix matrices_, vectors_, seen_;
  Vector solution_;
  VectorXd signs_;
  std::vector<Dense> own_;
};

}  // namespace

Layout affine_layout(std::int64_t dx, std::int64_t dy) {
  Layout layout(row_alignment);
  layout.add("x", Player::x, {dx});
  layout.add("y", Player::y, {dy});
  return layout;
}

GamePlan affine_plan(std::int64_t dx, std::int64_t dy) {
  GamePlan plan;
  plan.layout = affine_layout(dx, dy);
  const std::int64_t dim = dx + dy, width = plan.layout.width();
  plan.flops_per_call = 2.0 * static_cast<double>(dim * dim);
  plan.bytes = (width * width + width) * static_cast<std::int64_t>(sizeof(Real)) +
               (dim * dim + dim) * static_cast<std::int64_t>(sizeof(double));
  plan.shared_bytes = 4 * dim * dim * static_cast<std::int64_t>(sizeof(double));
  return plan;
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
  return constants;
}

std::unique_ptr<Game> make_affine_game(const AffineProblem& problem, const GameContext& context,
                                       const std::string& where) {
  return std::make_unique<AffineGame>(problem, context, where);
}

}  // namespace parley
