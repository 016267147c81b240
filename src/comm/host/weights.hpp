// SPDX-License-Identifier: BSD-3-Clause
// The mixing matrix W of a graph as sparse rows, its declared properties and its spectrum. Pure
// data and Eigen; no MPI, no Kokkos.
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

/// What the spectrum of W promises.
struct Spectrum {
  /// ||W - J||_2, contraction of one round on the complement of the mean; for push-sum's W, the
  /// second largest modulus of its eigenvalues, which is that of long runs.
  double rho = 0;
  double gap = 1;         ///< 1 - rho
  double lambda_min = 1;  ///< smallest eigenvalue; NaN when W is not symmetric
};

/// Metropolis 1/(1+max(d_i,d_j)), the graph's own, or push-sum's W_ij = 1/(1+out-degree of j) where
/// i reads j (Nedic and Olshevsky 2015, arXiv 1303.2289); lazily (I+W)/2 when asked. n = 1: W = 1.
/// Throws UserError with `where` in front when W is not doubly stochastic to 1e-12 (push-sum's
/// alone need not be).
Weights make_weights(const Graph& graph, const GraphOptions& options, const std::string& where);

/// Dense W, for spectra, files and tests. n x n doubles.
Eigen::MatrixXd dense(const Weights& weights);

/// Dense W row after row, n x n, for files.
std::vector<double> dense_rows(const Weights& weights);

/// Exact spectrum by dense decomposition for n <= 2048. Above, power iteration: rho from below,
/// lambda_min from above, close unless the gap is under about 1e-4.
Spectrum spectrum(const Weights& weights);

}  // namespace parley
