// SPDX-License-Identifier: BSD-3-Clause
// Metropolis, max-degree and given weights, and their check.
#include "comm/host/weights.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"

namespace parley {

namespace {

constexpr double stochastic_tolerance = 1e-12;

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
  weights.symmetric = !graph.directed;
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

/// I - Lap/(1 + d_max): W_ij = 1/(1 + d_max) along every edge.
Weights max_degree(const Graph& graph) {
  std::size_t degree = 0;
  for (const auto& in : graph.in) degree = std::max(degree, in.size());
  const double weight = 1.0 / (1.0 + static_cast<double>(degree));
  Weights weights;
  weights.symmetric = !graph.directed;
  for (std::int64_t i = 0; i < graph.agents; ++i) {
    const auto& in = graph.in[at(i)];
    const double self = 1 - weight * static_cast<double>(in.size());
    weights.rows.push_back(make_row(i, in, std::vector<double>(in.size(), weight), self));
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
          "would move the mean; W must be doubly stochastic (for a directed graph without such "
          "weights: weights = \"push-sum\")",
          where, j, columns[j]);
    }
  }
}

}  // namespace

void make_lazy(Weights& weights) {
  for (std::size_t i = 0; i < weights.rows.size(); ++i) {
    WeightRow& row = weights.rows[i];
    for (std::size_t n = 0; n < row.agent.size(); ++n) {
      row.weight[n] /= 2;
      if (at(row.agent[n]) == i) row.weight[n] += 0.5;
    }
  }
}

Weights make_weights(const Graph& graph, const GraphOptions& options, const std::string& where) {
  const bool has_given = !graph.given.empty();
  if (options.weights == "given" && !has_given) {
    fail_user(
        "{}: weights = \"given\" needs a graph that has weights: kind = \"exponential\", or a file "
        "with a third column or a matrix of weights; this one ({}) has none",
        where, options.kind.kind);
  }
  const bool pushes = options.weights == "push-sum";
  const bool is_file = options.kind.kind == "file" || options.kind.kind == "files";
  const bool own = has_given && !is_file && (options.weights == "metropolis" || pushes);
  if (options.weights != "given" && has_given && !own) {
    fail_user("{}: the graph ({}) has weights of its own, which weights = \"{}\" would ignore; {}",
              where, options.kind.kind, options.weights,
              is_file ? "set weights = \"given\" or remove them from the file" : "remove the key");
  }
  Weights weights = pushes                            ? push_sum(graph)
                    : has_given                       ? given(graph)
                    : options.weights == "max-degree" ? max_degree(graph)
                                                      : metropolis(graph);
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

}  // namespace parley
