// SPDX-License-Identifier: BSD-3-Clause
// Philox normals through Householder QR. Draws: 0 left basis, 1 right basis, 2 and 3 linear terms,
// 16 onwards the caller's.
#include "games/generate.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "kernels/philox.hpp"

namespace parley {

namespace {

using Eigen::MatrixXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Philox normals(std::int64_t seed, std::int64_t agent, std::int64_t draw) {
  return {static_cast<std::uint64_t>(seed), Purpose::generate, agent,
          static_cast<std::uint64_t>(draw)};
}

MatrixXd gaussian(std::int64_t rows, std::int64_t columns, const Philox& normal) {
  MatrixXd g(rows, columns);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      g(i, j) = normal.normal(static_cast<std::uint64_t>(i * columns + j));
    }
  }
  return g;
}

/// An agent's own part; the shared numbers take agent 0 of the generator, agents' own 1, 2, ...
MatrixXd own(std::int64_t rows, std::int64_t columns, const AgentOf& who, std::int64_t seed,
             std::int64_t draw) {
  const std::int64_t next = (who.agent + 1) % who.total;
  return (gaussian(rows, columns, normals(seed, 1 + who.agent, draw)) -
          gaussian(rows, columns, normals(seed, 1 + next, draw))) /
         std::sqrt(2.0);
}

MatrixXd orthogonal(std::int64_t n, const Philox& normal) {
  return Eigen::HouseholderQR<MatrixXd>(gaussian(n, n, normal)).householderQ();
}

Eigen::VectorXd values(std::int64_t n, const Spectrum1d& s) {
  if (n == 1) return Eigen::VectorXd::Constant(1, s.max);
  return Eigen::VectorXd::LinSpaced(n, s.min, s.max);
}

std::vector<double> row_major(const MatrixXd& a) {
  std::vector<double> out(static_cast<std::size_t>(a.size()));
  Eigen::Map<RowMajor>(out.data(), a.rows(), a.cols()) = a;
  return out;
}

}  // namespace

std::vector<double> coupling_matrix(std::int64_t rows, std::int64_t columns, const Spectrum1d& s,
                                    std::int64_t seed) {
  const std::int64_t n = std::min(rows, columns);
  if (rows == columns && s.min == s.max) return row_major(s.max * MatrixXd::Identity(n, n));
  const MatrixXd u = orthogonal(rows, normals(seed, 0, 0));
  const MatrixXd v = orthogonal(columns, normals(seed, 0, 1));
  return row_major(u.leftCols(n) * values(n, s).asDiagonal() * v.leftCols(n).transpose());
}

std::vector<double> symmetric_matrix(std::int64_t n, const Spectrum1d& s, std::int64_t seed,
                                     std::int64_t draw) {
  const MatrixXd u = orthogonal(n, normals(seed, 0, 16 + draw));
  const MatrixXd a = u * values(n, s).asDiagonal() * u.transpose();
  return row_major(0.5 * (a + a.transpose()));
}

std::vector<double> low_rank_factor(std::int64_t n, std::int64_t rank, const Spectrum1d& s,
                                    std::int64_t seed, std::int64_t draw) {
  const MatrixXd u = orthogonal(n, normals(seed, 0, 16 + draw));
  return row_major(u.leftCols(rank) * values(rank, s).asDiagonal());
}

std::vector<double> symmetric_noise(std::int64_t n, std::int64_t seed, const AgentOf& who,
                                    std::int64_t draw) {
  const MatrixXd g = own(n, n, who, seed, 16 + draw);
  return row_major((g + g.transpose()) / std::sqrt(2.0 * static_cast<double>(n)));
}

std::vector<double> matrix_noise(std::int64_t rows, std::int64_t columns, std::int64_t seed,
                                 const AgentOf& who) {
  const double scale = 1 / std::sqrt(static_cast<double>(std::max(rows, columns)));
  return row_major(scale * own(rows, columns, who, seed, 15));
}

void linear_terms(const LinearTerms& terms, const AgentOf& who, std::vector<double>& b,
                  std::vector<double>& c) {
  const auto fill = [&](std::vector<double>& out, std::int64_t n, std::int64_t draw) {
    out = row_major(terms.offset * gaussian(n, 1, normals(terms.seed, 0, draw)) +
                    terms.spread * own(n, 1, who, terms.seed, draw));
  };
  fill(b, terms.dx, 2);
  fill(c, terms.dy, 3);
}

}  // namespace parley
