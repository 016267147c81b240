// SPDX-License-Identifier: BSD-3-Clause
// Spectra: dense where that is affordable, by power iteration beyond.
#include "comm/host/spectrum.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "core/check.hpp"

namespace parley {

namespace {

constexpr std::int64_t dense_limit = 2048;
constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

using Sequence = std::vector<Weights>;

using Values = Eigen::VectorXd;

Values apply(const Weights& weights, const Values& v) {
  Values out = Values::Zero(v.size());
  for (std::size_t i = 0; i < weights.rows.size(); ++i) {
    const WeightRow& row = weights.rows[i];
    double sum = 0;
    for (std::size_t n = 0; n < row.agent.size(); ++n) sum += row.weight[n] * v[row.agent[n]];
    out[static_cast<Eigen::Index>(i)] = sum;
  }
  return out;
}

Values apply_transposed(const Weights& weights, const Values& v) {
  Values out = Values::Zero(v.size());
  for (std::size_t i = 0; i < weights.rows.size(); ++i) {
    const WeightRow& row = weights.rows[i];
    for (std::size_t n = 0; n < row.agent.size(); ++n) {
      out[row.agent[n]] += row.weight[n] * v[static_cast<Eigen::Index>(i)];
    }
  }
  return out;
}

/// A start that no symmetry of a common graph makes orthogonal to the leading eigenvector.
Values power_start(Eigen::Index n) {
  Values v(n);
  for (Eigen::Index i = 0; i < n; ++i) v[i] = std::sin(1.0 + 1.7 * static_cast<double>(i * i % 97));
  return v;
}

/// Largest eigenvalue of a symmetric positive semidefinite operator on the complement of the mean:
/// a lower bound that power iteration raises until it moves by less than 1e-13, or 20,000 times.
template <class Apply>
double largest_eigenvalue(Eigen::Index n, const Apply& operate) {
  Values v = power_start(n);
  double value = 0;
  for (int step = 0; step < 20000; ++step) {
    v.array() -= v.mean();
    const double norm = v.norm();
    if (norm < 1e-300) return 0;
    v /= norm;
    Values next = operate(v);
    const double estimate = v.dot(next);
    if (step > 100 && std::abs(estimate - value) < 1e-13 * std::abs(estimate)) return estimate;
    value = estimate;
    v = std::move(next);
  }
  return value;
}

/// W v for a dense block of columns.
Eigen::MatrixXd apply(const Weights& weights, const Eigen::MatrixXd& v) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(v.rows(), v.cols());
  for (std::size_t i = 0; i < weights.rows.size(); ++i) {
    const WeightRow& row = weights.rows[i];
    for (std::size_t n = 0; n < row.agent.size(); ++n) {
      out.row(static_cast<Eigen::Index>(i)) += row.weight[n] * v.row(row.agent[n]);
    }
  }
  return out;
}

/// Eigenvalues of a symmetric matrix, ascending.
Values eigenvalues(const Eigen::MatrixXd& matrix) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix, Eigen::EigenvaluesOnly)
      .eigenvalues();
}

/// || W_last ... W_first - J ||_2.
double rho_of_product(const Sequence& sequence) {
  const auto n = static_cast<Eigen::Index>(sequence[0].rows.size());
  if (n > dense_limit) {
    return std::sqrt(largest_eigenvalue(n, [&](Values v) {
      for (const Weights& weights : sequence) v = apply(weights, v);
      for (auto w = sequence.rbegin(); w != sequence.rend(); ++w) v = apply_transposed(*w, v);
      return v;
    }));
  }
  Eigen::MatrixXd product = dense(sequence[0]);
  for (std::size_t r = 1; r < sequence.size(); ++r) product = apply(sequence[r], product);
  product.array() -= 1.0 / static_cast<double>(n);
  return std::sqrt(std::max(0.0, eigenvalues(product.transpose() * product)[n - 1]));
}

/// Second largest modulus of the eigenvalues of column-stochastic W_last ... W_first: dense for few
/// agents, else the growth of a vector of sum 0, which such matrices keep, over 2000 periods.
double second_modulus(const Sequence& sequence) {
  const auto n = static_cast<Eigen::Index>(sequence[0].rows.size());
  if (n <= dense_limit / 4) {
    Eigen::MatrixXd product = dense(sequence[0]);
    for (std::size_t r = 1; r < sequence.size(); ++r) product = apply(sequence[r], product);
    const Eigen::VectorXcd values =
        Eigen::EigenSolver<Eigen::MatrixXd>(product, false).eigenvalues();
    std::vector<double> moduli;
    for (const auto& value : values) moduli.push_back(std::abs(value));
    std::nth_element(moduli.begin(), moduli.begin() + 1, moduli.end(), std::greater<>());
    return moduli[1];
  }
  Values v = power_start(n);
  double growth = 0;
  constexpr int steps = 2000;
  for (int step = 0; step < steps; ++step) {
    v.array() -= v.mean();
    v.normalize();
    for (const Weights& weights : sequence) v = apply(weights, v);
    if (v.norm() < 1e-300) return 0;
    if (step >= steps / 2) growth += std::log(v.norm()) / (steps / 2);
  }
  return std::exp(growth);
}

/// Square root of the largest eigenvalue of the mean of W'W, less J.
double rho_in_the_mean(const Mixing& mixing) {
  const auto n = static_cast<Eigen::Index>(mixing.agents());
  const auto rounds = std::clamp<std::int64_t>((1 << 18) / mixing.agents(), 64, 4096);
  const double share = 1.0 / static_cast<double>(rounds);
  if (n > dense_limit) {
    Sequence drawn;
    for (std::int64_t r = 0; r < rounds; ++r) drawn.push_back(mixing.at(r));
    return std::sqrt(largest_eigenvalue(n, [&](const Values& v) {
      Values sum = Values::Zero(n);
      for (const Weights& weights : drawn) {
        sum += share * apply_transposed(weights, apply(weights, v));
      }
      return sum;
    }));
  }
  Eigen::MatrixXd mean = Eigen::MatrixXd::Constant(n, n, -1.0 / static_cast<double>(n));
  for (std::int64_t r = 0; r < rounds; ++r) {
    for (const WeightRow& row : mixing.at(r).rows) {
      for (std::size_t a = 0; a < row.agent.size(); ++a) {
        for (std::size_t b = 0; b < row.agent.size(); ++b) {
          mean(row.agent[a], row.agent[b]) += share * row.weight[a] * row.weight[b];
        }
      }
    }
  }
  return std::sqrt(std::max(0.0, eigenvalues(mean)[n - 1]));
}

Spectrum spectrum_of_symmetric(const Weights& weights) {
  const auto n = static_cast<Eigen::Index>(weights.rows.size());
  Spectrum out;
  if (n > dense_limit) {
    out.rho = rho_of_product({weights});
    out.lambda_min =
        1 - largest_eigenvalue(n, [&](const Values& v) -> Values { return v - apply(weights, v); });
  } else {
    // Ascending; the last is the 1 of the mean, so that the rest is the complement's.
    const Values values = eigenvalues(dense(weights));
    out.lambda_min = values[0];
    out.rho = std::max(std::abs(values[0]), std::abs(values[n - 2]));
  }
  out.gap = 1 - out.rho;
  return out;
}

}  // namespace

double Spectrum::contraction(std::int64_t t) const {
  return std::pow(rho, static_cast<double>(t) / static_cast<double>(rounds));
}

Spectrum spectrum(const Weights& weights) {
  return spectrum(Mixing(weights));
}

Spectrum spectrum(const Mixing& mixing) {
  ensure(mixing.agents() >= 1, "spectrum: of a matrix");
  if (mixing.agents() == 1) return {};
  if (!mixing.varies() && mixing.symmetric()) return spectrum_of_symmetric(mixing.at(0));
  Spectrum out;
  if (mixing.random()) {
    out.rho = rho_in_the_mean(mixing);
  } else {
    Sequence sequence;
    for (std::int64_t r = 0; r < mixing.period(); ++r) sequence.push_back(mixing.at(r));
    out.rho = mixing.doubly_stochastic() ? rho_of_product(sequence) : second_modulus(sequence);
    out.rounds = mixing.period();
  }
  out.gap = 1 - out.rho;
  out.lambda_min = not_known;
  return out;
}

}  // namespace parley
