// SPDX-License-Identifier: BSD-3-Clause
// Seeded matrices and vectors with a given spectrum, for the games that are generated from the
// deck. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

namespace parley {

/// An agent among all. The agents' own parts are differences g_m - g_{m+1} (cyclic, over sqrt 2) of
/// independent normals g, so that they sum to zero: the mean game is the one that the spectrum keys
/// describe, for any number of agents.
struct AgentOf {
  std::int64_t agent = 0, total = 1;
};

/// Smallest and largest singular value or eigenvalue; those between are evenly spaced.
struct Spectrum1d {
  double min = 1, max = 1;
};

/// rows x columns, row-major, with the given singular values between random orthogonal factors; the
/// identity times the value when square and min == max.
std::vector<double> coupling_matrix(std::int64_t rows, std::int64_t columns, const Spectrum1d& s,
                                    std::int64_t seed);

/// n x n symmetric with the given eigenvalues in a random basis; `draw` tells matrices apart.
std::vector<double> symmetric_matrix(std::int64_t n, const Spectrum1d& s, std::int64_t seed,
                                     std::int64_t draw);

/// n x rank, row-major, with orthogonal columns of the given lengths; `draw` as above. Its product
/// with its transpose has the squares as nonzero eigenvalues.
std::vector<double> low_rank_factor(std::int64_t n, std::int64_t rank, const Spectrum1d& s,
                                    std::int64_t seed, std::int64_t draw);

/// n x n symmetric with independent normal entries of variance 1/n, an agent's own part; `draw`
/// tells matrices apart.
std::vector<double> symmetric_noise(std::int64_t n, std::int64_t seed, const AgentOf& who,
                                    std::int64_t draw);
/// rows x columns of independent normal entries of variance 1/max(rows, columns), an agent's own
/// part.
std::vector<double> matrix_noise(std::int64_t rows, std::int64_t columns, std::int64_t seed,
                                 const AgentOf& who);

struct LinearTerms {
  std::int64_t dx = 1, dy = 1;
  double offset = 0;  ///< standard deviation of the part that all agents share
  double spread = 0;  ///< standard deviation of each agent's own part
  std::int64_t seed = 1;
};
/// b (dx) and c (dy) of one agent.
void linear_terms(const LinearTerms& terms, const AgentOf& who, std::vector<double>& b,
                  std::vector<double>& c);

}  // namespace parley
