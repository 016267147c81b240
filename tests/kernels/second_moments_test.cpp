// SPDX-License-Identifier: BSD-3-Clause
// Field and value of the covariance game, and sampled moments, against plain loops.
#include "kernels/second_moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/reference/second_moments.hpp"

namespace parley {
namespace {

constexpr double tolerance = sizeof(Real) == 4 ? 1e-5 : 1e-9;
using Numbers = std::vector<double>;

Matrix numbers(std::int64_t rows, std::int64_t columns, double seed) {
  const Matrix a = make_matrix("a", rows, columns);
  const auto host = Kokkos::create_mirror_view(a);
  for (std::size_t i = 0; i < host.size(); ++i) {
    host.data()[i] = static_cast<Real>(std::sin(seed + 1.3 * static_cast<double>(i)));
  }
  Kokkos::deep_copy(a, host);
  return a;
}

Numbers values(const Matrix& a) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  return {host.data(), host.data() + host.size()};
}

Numbers symmetric(Numbers a, std::size_t n) {
  const Numbers t = reference::transposed(a, n);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = (a[i] + t[i]) / 2;
  return a;
}

void store(const Numbers& from, const Matrix& to) {
  const auto host = Kokkos::create_mirror_view(to);
  for (std::size_t i = 0; i < from.size(); ++i) host.data()[i] = static_cast<Real>(from[i]);
  Kokkos::deep_copy(to, host);
}

TEST(Moments, FieldAndValueBelongToTheDefinition) {
  const Exec exec;
  for (const std::int64_t n : {1, 3, 8}) {
    const auto size = static_cast<std::size_t>(n);
    const Matrix v = numbers(n, n, 0.2), w = numbers(n, n, 0.9), data = numbers(n, n, 1.4);
    const Matrix latent = numbers(n, n, 2.7), work = make_matrix("work", n, n);
    store(symmetric(values(latent), size), latent);
    const Matrix to_v = make_matrix("to_v", n, n), to_w = make_matrix("to_w", n, n);
    Numbers identity(size * size, 0.0);
    for (std::size_t i = 0; i < size; ++i) identity[i * size + i] = 1;
    for (const bool sampled : {false, true}) {
      const Doubles value("value", 1);
      moment_field(exec, {n, v.data(), w.data(), data.data(), sampled ? latent.data() : nullptr},
                   work.data(), to_v.data(), to_w.data());
      moment_value(exec, n, w.data(), to_w.data(), value.data());
      fence(exec, "test");
      const Numbers s = sampled ? values(latent) : identity;
      const auto f = [&](const Numbers& a, const Numbers& b) {
        return reference::moment_value(a, b, values(data), s, size);
      };
      EXPECT_NEAR(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), value)(0),
                  f(values(v), values(w)), 10 * tolerance);
      // Central differences are exact on quadratics but for round-off.
      const Numbers got_v = values(to_v), got_w = values(to_w);
      for (std::size_t i = 0; i < size * size; ++i) {
        Numbers up = values(v), down = up, high = values(w), low = high;
        up[i] += 0.5;
        down[i] -= 0.5;
        high[i] += 0.5;
        low[i] -= 0.5;
        EXPECT_NEAR(got_v[i], f(up, values(w)) - f(down, values(w)), 10 * tolerance);
        EXPECT_NEAR(got_w[i], -(f(values(v), high) - f(values(v), low)), 10 * tolerance);
      }
    }
  }
}

TEST(Moments, OfSamples) {
  const Exec exec;
  constexpr std::int64_t n = 4, batch = 7;
  const Matrix normals = numbers(batch, n, 0.3), samples = make_matrix("samples", batch, n);
  const Matrix lower = numbers(n, n, 0.8), out = make_matrix("out", n, n);
  Numbers triangle = values(lower);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) triangle[i * n + j] = 0;
  }
  sample_moments(exec, normals, lower.data(), samples, out.data());
  fence(exec, "test");
  const Numbers expected = reference::sample_moments(values(normals), triangle, n);
  const Numbers got = values(out);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], tolerance);
}

}  // namespace
}  // namespace parley
