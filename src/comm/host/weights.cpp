// SPDX-License-Identifier: BSD-3-Clause
// Metropolis and given weights, their check, and the spectrum of W.
#include "comm/host/weights.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/check.hpp"

namespace parley {

namespace {

constexpr double stochastic_tolerance = 1e-12;
constexpr std::int64_t dense_limit = 2048;

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// Row i with agents ascending, i among them.
WeightRow make_row(std::int64_t i, const std::vector<std::int64_t>& in,
                   const std::vector<double>& weights, double self) {
  WeightRow row;
  bool placed = false;
  for (std::size_t n = 0; n < in.size(); ++n) {
    if (!placed && in[n] > i) {
      row.agent.push_back(i);
      row.weight.push_back(self);
      placed = true;
    }
    row.agent.push_back(in[n]);
    row.weight.push_back(weights[n]);
  }
  if (!placed) {
    row.agent.push_back(i);
    row.weight.push_back(self);
  }
  return row;
}

/// W_ij = 1 / (1 + max(d_i, d_j)) (Xiao, Boyd, Kim 2007, Metropolis weights).
Weights metropolis(const Graph& graph) {
  Weights weights;
  for (std::int64_t i = 0; i < graph.agents; ++i) {
    const auto& in = graph.in[at(i)];
    std::vector<double> row;
    double self = 1;
    for (const std::int64_t j : in) {
      const std::size_t degree = std::max(in.size(), graph.in[at(j)].size());
      row.push_back(1.0 / (1.0 + static_cast<double>(degree)));
      self -= row.back();
    }
    weights.rows.push_back(make_row(i, in, row, std::max(0.0, self)));
  }
  return weights;
}

Weights given(const Graph& graph) {
  Weights weights;
  weights.symmetric = !graph.directed;
  for (std::int64_t i = 0; i < graph.agents; ++i) {
    weights.rows.push_back(
        make_row(i, graph.in[at(i)], graph.given[at(i)], graph.given_self[at(i)]));
  }
  return weights;
}

/// Each agent shares its row among its readers and itself: columns sum to 1.
Weights push_sum(const Graph& graph) {
  std::vector<double> readers(at(graph.agents), 0.0);
  for (const auto& in : graph.in) {
    for (const std::int64_t j : in) readers[at(j)] += 1;
  }
  Weights weights;
  weights.symmetric = weights.doubly_stochastic = false;
  for (std::int64_t i = 0; i < graph.agents; ++i) {
    std::vector<double> row;
    for (const std::int64_t j : graph.in[at(i)]) row.push_back(1 / (1 + readers[at(j)]));
    weights.rows.push_back(make_row(i, graph.in[at(i)], row, 1 / (1 + readers[at(i)])));
  }
  return weights;
}

void make_lazy(Weights& weights) {
  for (std::size_t i = 0; i < weights.rows.size(); ++i) {
    WeightRow& row = weights.rows[i];
    for (std::size_t n = 0; n < row.agent.size(); ++n) {
      row.weight[n] /= 2;
      if (at(row.agent[n]) == i) row.weight[n] += 0.5;
    }
  }
}

void check_doubly_stochastic(const Weights& weights, const std::string& where) {
  std::vector<double> columns(weights.rows.size(), 0.0);
  for (std::size_t i = 0; i < weights.rows.size(); ++i) {
    const WeightRow& row = weights.rows[i];
    double sum = 0;
    for (std::size_t n = 0; n < row.agent.size(); ++n) {
      sum += row.weight[n];
      columns[at(row.agent[n])] += row.weight[n];
    }
    if (!(std::abs(sum - 1) <= stochastic_tolerance)) {
      fail_user("{}: the weights that agent {} gives sum to {:.15g} instead of 1", where, i, sum);
    }
  }
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (!(std::abs(columns[j] - 1) <= stochastic_tolerance)) {
      fail_user(
          "{}: the weights that agent {} gets sum to {:.15g} instead of 1, so that mixing "
          "would move the mean; W must be doubly stochastic",
          where, j, columns[j]);
    }
  }
}

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

/// Largest eigenvalue of a symmetric positive semidefinite operator on the complement of the mean:
/// a lower bound that power iteration raises until it moves by less than 1e-13, or 20,000 times.
template <class Apply>
double largest_eigenvalue(Eigen::Index n, const Apply& operate) {
  // A start that no symmetry of a common graph makes orthogonal to the leading eigenvector.
  Values v(n);
  for (Eigen::Index i = 0; i < n; ++i) v[i] = std::sin(1.0 + 1.7 * static_cast<double>(i * i % 97));
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

/// Second largest modulus of a column-stochastic W's eigenvalues: dense for few agents, else the
/// growth of a vector of sum 0, which such a W keeps, over 2000 rounds.
double second_modulus(const Weights& weights) {
  const auto n = static_cast<Eigen::Index>(weights.rows.size());
  if (n <= dense_limit / 4) {
    const Eigen::VectorXcd values =
        Eigen::EigenSolver<Eigen::MatrixXd>(dense(weights), false).eigenvalues();
    std::vector<double> moduli;
    for (const auto& value : values) moduli.push_back(std::abs(value));
    std::nth_element(moduli.begin(), moduli.begin() + 1, moduli.end(), std::greater<>());
    return moduli[1];
  }
  Values v(n);
  for (Eigen::Index i = 0; i < n; ++i) v[i] = std::sin(1.0 + 1.7 * static_cast<double>(i * i % 97));
  double growth = 0;
  constexpr int steps = 2000;
  for (int step = 0; step < steps; ++step) {
    v.array() -= v.mean();
    v.normalize();
    v = apply(weights, v);
    if (v.norm() < 1e-300) return 0;
    if (step >= steps / 2) growth += std::log(v.norm()) / (steps / 2);
  }
  return std::exp(growth);
}

Spectrum spectrum_by_power(const Weights& weights) {
  const auto n = static_cast<Eigen::Index>(weights.rows.size());
  Spectrum out;
  out.rho = std::sqrt(largest_eigenvalue(
      n, [&](const Values& v) { return apply_transposed(weights, apply(weights, v)); }));
  out.lambda_min = std::numeric_limits<double>::quiet_NaN();
  if (weights.symmetric) {
    out.lambda_min =
        1 - largest_eigenvalue(n, [&](const Values& v) -> Values { return v - apply(weights, v); });
  }
  out.gap = 1 - out.rho;
  return out;
}

}  // namespace

Weights make_weights(const Graph& graph, const GraphOptions& options, const std::string& where) {
  const bool has_given = !graph.given.empty();
  if (options.weights == "given" && !has_given) {
    fail_user(
        "{}: weights = \"given\" needs a graph that has weights: kind = \"exponential\", or "
        "kind = \"file\" with a third column; this one ({}) has none",
        where, options.kind.kind);
  }
  if (options.weights != "given" && has_given && options.kind.kind == "file") {
    fail_user(
        "{}: the edge list has weights, which weights = \"{}\" would ignore; set "
        "weights = \"given\" or remove the third column",
        where, options.weights);
  }
  const bool pushes = options.weights == "push-sum";
  Weights weights = pushes ? push_sum(graph) : has_given ? given(graph) : metropolis(graph);
  if (options.lazy) make_lazy(weights);
  if (!pushes) check_doubly_stochastic(weights, where);
  return weights;
}

Eigen::MatrixXd dense(const Weights& weights) {
  const auto n = static_cast<Eigen::Index>(weights.rows.size());
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, n);
  for (std::size_t i = 0; i < weights.rows.size(); ++i) {
    const WeightRow& row = weights.rows[i];
    for (std::size_t k = 0; k < row.agent.size(); ++k) {
      out(static_cast<Eigen::Index>(i), row.agent[k]) = row.weight[k];
    }
  }
  return out;
}

std::vector<double> dense_rows(const Weights& weights) {
  const std::size_t n = weights.rows.size();
  std::vector<double> out(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const WeightRow& row = weights.rows[i];
    for (std::size_t k = 0; k < row.agent.size(); ++k) {
      out[i * n + at(row.agent[k])] = row.weight[k];
    }
  }
  return out;
}

Spectrum spectrum(const Weights& weights) {
  const auto n = static_cast<Eigen::Index>(weights.rows.size());
  if (n == 1) return {};
  if (!weights.doubly_stochastic) {
    const double rho = second_modulus(weights);
    return {rho, 1 - rho, std::numeric_limits<double>::quiet_NaN()};
  }
  if (n > dense_limit) return spectrum_by_power(weights);
  Eigen::MatrixXd w = dense(weights);
  Spectrum out;
  if (weights.symmetric) {
    // Ascending; the last is the 1 of the mean, so that the rest is the complement's.
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(w, Eigen::EigenvaluesOnly).eigenvalues();
    out.lambda_min = values[0];
    out.rho = std::max(std::abs(values[0]), std::abs(values[n - 2]));
  } else {
    w.array() -= 1.0 / static_cast<double>(n);
    const Eigen::MatrixXd product = w.transpose() * w;
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(product, Eigen::EigenvaluesOnly)
            .eigenvalues();
    out.rho = std::sqrt(std::max(0.0, values[n - 1]));
    out.lambda_min = std::numeric_limits<double>::quiet_NaN();
  }
  out.gap = 1 - out.rho;
  return out;
}

}  // namespace parley
