// SPDX-License-Identifier: BSD-3-Clause
// Accelerated mixing: polynomials of a symmetric W that contract faster than W^t with as many
// rounds. Pure numbers; no MPI, no Kokkos.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace parley {

/// Both forms are one recursion over the rounds h = 1 to t with two rows of history,
///     x_h = x_{h-2} + alpha_h (W x_{h-1} - x_{h-2}),   x_{-1} = x_0 = the rows,
/// which keeps the mean and equal rows whatever alpha. The factors alpha_1 to alpha_t of
///   chebyshev: x_t = C_t(W/rho)/C_t(1/rho) x_0, C_t the Chebyshev polynomial (Scaman et al., ICML
///     2017): alpha_1 = 1, alpha_2 = 1/(1 - rho^2/2), alpha_h = 1/(1 - alpha_{h-1} rho^2/4); the
///     smallest norm on the complement of the mean that a polynomial of degree t can promise;
///   fastmix: alpha_h = 1 + e, e = (1 - sqrt(1-rho^2))/(1 + sqrt(1-rho^2)) (Liu and Morse 2011; Ye
///     et al. 2020, arXiv 2005.00797): on the mode +-rho exactly r^t (1 + t (1 -+ r)), r = sqrt(e),
///     which may exceed 1 for small t.
/// Empty for "none". rho = ||W - J||_2 < 1; at rho = 0 both are plain rounds.
std::vector<double> round_factors(std::string_view acceleration, double rho, std::int64_t rounds);

/// What t rounds with these factors make of an eigenvector of W of eigenvalue lambda: p_t(lambda);
/// lambda^rounds without factors.
double mode_factor(const std::vector<double>& factors, std::int64_t rounds, double lambda);

/// The contraction of a mix with these factors on the complement of the mean, from the ends of the
/// spectrum: max of |p_t(rho)| and |p_t(lambda_min)|. Exact for chebyshev, where rho is attained,
/// and for modes at the ends, which contract least.
double mix_contraction(const std::vector<double>& factors, std::int64_t rounds, double rho,
                       double lambda_min);

}  // namespace parley
