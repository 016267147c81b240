// SPDX-License-Identifier: BSD-3-Clause
// The mixing matrix W of a graph as sparse rows and its declared properties. Pure data and Eigen;
// no MPI, no Kokkos.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <string>
#include <vector>

#include "comm/host/graph.hpp"
#include "deck/deck.hpp"

namespace parley {

/// Row i of W: agents j ascending (i among them) with W_ij. Mixing sums in this order.
struct WeightRow {
  std::vector<std::int64_t> agent;
  std::vector<double> weight;
};

struct Weights {
  std::vector<WeightRow> rows;
  bool symmetric = true;
  /// False for push-sum: columns sum to 1, rows need not.
  bool doubly_stochastic = true;
};

/// Metropolis 1/(1+max(d_i,d_j)), max-degree I - Lap/(1+d_max), the graph's own, or push-sum's
/// W_ij = 1/(1+out-degree of j) where i reads j (Nedic and Olshevsky 2015, arXiv 1303.2289); lazily
/// (I+W)/2 when asked. n = 1: W = 1. Throws UserError with `where` in front when W is not doubly
/// stochastic to 1e-12 (push-sum's alone need not be).
Weights make_weights(const Graph& graph, const GraphOptions& options, const std::string& where);

/// W becomes (I + W)/2.
void make_lazy(Weights& weights);

/// Dense W, for spectra, files and tests. n x n doubles.
Eigen::MatrixXd dense(const Weights& weights);

/// Dense W row after row, n x n, for files.
std::vector<double> dense_rows(const Weights& weights);

}  // namespace parley
