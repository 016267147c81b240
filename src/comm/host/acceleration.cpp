// SPDX-License-Identifier: BSD-3-Clause
// The factors of the accelerated forms.
#include "comm/host/acceleration.hpp"

#include <algorithm>
#include <cmath>

#include "core/check.hpp"

namespace parley {

namespace {

std::vector<double> chebyshev(double rho, std::int64_t rounds) {
  std::vector<double> factors;
  double alpha = 1;
  for (std::int64_t h = 1; h <= rounds; ++h) {
    // C_{h+1}(s) = 2 s C_h(s) - C_{h-1}(s) at s = 1/rho, written for the ratio of neighbours, which
    // stays between 1 and 2 where the polynomials themselves overflow.
    if (h == 2) alpha = 1 / (1 - rho * rho / 2);
    if (h > 2) alpha = 1 / (1 - alpha * rho * rho / 4);
    factors.push_back(alpha);
  }
  return factors;
}

}  // namespace

std::vector<double> round_factors(std::string_view acceleration, double rho, std::int64_t rounds) {
  if (acceleration == "none") return {};
  ensure(rho >= 0 && rho < 1, "round_factors: rho of a connected graph is in [0, 1)");
  if (acceleration == "chebyshev") return chebyshev(rho, rounds);
  ensure(acceleration == "fastmix", "round_factors: none, chebyshev or fastmix");
  const double root = std::sqrt(1 - rho * rho);
  return std::vector<double>(static_cast<std::size_t>(rounds), 1 + (1 - root) / (1 + root));
}

double mode_factor(const std::vector<double>& factors, std::int64_t rounds, double lambda) {
  if (factors.empty()) return std::pow(lambda, static_cast<double>(rounds));
  double previous = 1, value = 1;
  for (const double factor : factors) {
    const double next = previous + factor * (lambda * value - previous);
    previous = value;
    value = next;
  }
  return value;
}

double mix_contraction(const std::vector<double>& factors, std::int64_t rounds, double rho,
                       double lambda_min) {
  return std::max(std::abs(mode_factor(factors, rounds, rho)),
                  std::abs(mode_factor(factors, rounds, lambda_min)));
}

}  // namespace parley
