// SPDX-License-Identifier: BSD-3-Clause
// Generated matrices have the spectra that the deck asks for, agents' own parts cancel in the sum.
#include "games/generate.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <utility>
#include <vector>

namespace parley {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::MatrixXd matrix(const std::vector<double>& values, std::int64_t rows, std::int64_t columns) {
  EXPECT_EQ(values.size(), static_cast<std::size_t>(rows * columns));
  return Eigen::Map<const RowMajor>(values.data(), rows, columns);
}

void expect_even(const Eigen::VectorXd& sorted, double min, double max) {
  const Eigen::Index n = sorted.size();
  for (Eigen::Index i = 0; i < n; ++i) {
    const double step = n == 1 ? 1 : static_cast<double>(i) / static_cast<double>(n - 1);
    EXPECT_NEAR(sorted(i), min + step * (max - min), 1e-12);
  }
}

TEST(Generate, CouplingsHaveTheSingularValues) {
  constexpr std::pair<std::int64_t, std::int64_t> shapes[] = {{6, 6}, {7, 4}, {3, 8}};
  for (const auto& [rows, columns] : shapes) {
    const auto a = matrix(coupling_matrix(rows, columns, {0.5, 3}, 2), rows, columns);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(a);
    expect_even(svd.singularValues().reverse(), 0.5, 3);
  }
}

TEST(Generate, ACouplingOfOneValueIsAMultipleOfTheIdentity) {
  EXPECT_TRUE(matrix(coupling_matrix(4, 4, {2, 2}, 1), 4, 4)
                  .isApprox(2 * Eigen::MatrixXd::Identity(4, 4), 0));
}

TEST(Generate, SymmetricMatricesHaveTheEigenvalues) {
  const auto a = matrix(symmetric_matrix(9, {-1, 4}, 3, 0), 9, 9);
  EXPECT_EQ(a, a.transpose());
  expect_even(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a).eigenvalues(), -1, 4);
  EXPECT_GT((a - matrix(symmetric_matrix(9, {-1, 4}, 3, 1), 9, 9)).norm(), 0.1);
  EXPECT_GT((a - matrix(symmetric_matrix(9, {-1, 4}, 4, 0), 9, 9)).norm(), 0.1);
}

TEST(Generate, OwnPartsCancelInTheSum) {
  for (const std::int64_t total : {1, 2, 7}) {
    Eigen::MatrixXd p = Eigen::MatrixXd::Zero(5, 5), a = Eigen::MatrixXd::Zero(5, 3);
    for (std::int64_t m = 0; m < total; ++m) {
      const auto own = matrix(symmetric_noise(5, 1, {m, total}, 0), 5, 5);
      EXPECT_EQ(own, own.transpose());
      EXPECT_EQ(own.norm() > 0.1, total > 1);
      p += own;
      a += matrix(matrix_noise(5, 3, 1, {m, total}), 5, 3);
    }
    EXPECT_LT(p.norm(), 1e-13);
    EXPECT_LT(a.norm(), 1e-13);
  }
}

TEST(Generate, NoiseHasTheVarianceOfItsKind) {
  constexpr std::int64_t n = 60, total = 5;
  double symmetric = 0, plain = 0;
  for (std::int64_t m = 0; m < total; ++m) {
    symmetric += matrix(symmetric_noise(n, 4, {m, total}, 0), n, n).squaredNorm();
    plain += matrix(matrix_noise(n, n / 2, 4, {m, total}), n, n / 2).squaredNorm();
  }
  // Entries of variance 1/n: expected squared norms n + 1 (a diagonal twice as wide) and n / 2.
  EXPECT_NEAR(symmetric / total, n + 1, 4);
  EXPECT_NEAR(plain / total, n / 2, 3);
}

TEST(Generate, LinearTermsHaveASharedAndAnOwnPart) {
  constexpr std::int64_t total = 6;
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(40), shared, first;
  std::vector<double> b, c;
  linear_terms({40, 8, 2, 0, 9}, {3, total}, b, c);
  shared = matrix(b, 40, 1);
  EXPECT_EQ(c.size(), 8U);
  EXPECT_NEAR(shared.squaredNorm() / 40, 4, 3);
  for (std::int64_t m = 0; m < total; ++m) {
    linear_terms({40, 8, 2, 0.5, 9}, {m, total}, b, c);
    const Eigen::VectorXd own = matrix(b, 40, 1) - shared;
    EXPECT_NEAR(own.squaredNorm() / 40, 0.25, 0.2);
    mean += matrix(b, 40, 1) / total;
  }
  EXPECT_LT((mean - shared).norm(), 1e-12);
}

TEST(Generate, LowRankFactorsHaveOrthogonalColumnsOfTheGivenLengths) {
  constexpr std::size_t n = 7, rank = 3;
  const auto u = low_rank_factor(n, rank, {0.5, 2}, 4, 9);
  ASSERT_EQ(u.size(), n * rank);
  const double lengths[] = {0.5, 1.25, 2};
  for (std::size_t a = 0; a < rank; ++a) {
    for (std::size_t b = 0; b < rank; ++b) {
      double product = 0;
      for (std::size_t i = 0; i < n; ++i) product += u[i * rank + a] * u[i * rank + b];
      EXPECT_NEAR(product, a == b ? lengths[a] * lengths[a] : 0, 1e-13);
    }
  }
  EXPECT_NE(low_rank_factor(n, rank, {0.5, 2}, 4, 10), u);
}

}  // namespace
}  // namespace parley
