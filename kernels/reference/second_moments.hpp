// SPDX-License-Identifier: BSD-3-Clause
// kernels/second_moments.hpp as plain loops in double. Host only.
#pragma once

#include <cstddef>
#include <vector>

namespace parley::reference {

using Square = std::vector<double>;  // n x n, row-major

inline Square product(const Square& a, const Square& b, std::size_t n) {
  Square c(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t l = 0; l < n; ++l) {
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * n + l] * b[l * n + j];
    }
  }
  return c;
}

inline Square transposed(const Square& a, std::size_t n) {
  Square c(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) c[j * n + i] = a[i * n + j];
  }
  return c;
}

/// <W, S_x - V S_z V'>.
inline double moment_value(const Square& v, const Square& w, const Square& data,
                           const Square& latent, std::size_t n) {
  const Square made = product(product(v, latent, n), transposed(v, n), n);
  double sum = 0;
  for (std::size_t i = 0; i < n * n; ++i) sum += w[i] * (data[i] - made[i]);
  return sum;
}

/// (1/b) sum (L g)(L g)' over the rows g of `normals`.
inline Square sample_moments(const std::vector<double>& normals, const Square& lower,
                             std::size_t n) {
  const std::size_t batch = normals.size() / n;
  Square gram(n * n, 0.0);
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        gram[i * n + j] += normals[b * n + i] * normals[b * n + j] / static_cast<double>(batch);
      }
    }
  }
  return product(product(lower, gram, n), transposed(lower, n), n);
}

}  // namespace parley::reference
