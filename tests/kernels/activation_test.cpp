// SPDX-License-Identifier: BSD-3-Clause
// Activations, slopes and curvatures against the formulas in double; weighted sums against loops.
#include "kernels/activation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/math.hpp"
#include "kernels/philox.hpp"
#include "kernels/reference/activation.hpp"

namespace parley {
namespace {

constexpr double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());

HostMatrix random_matrix(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  HostMatrix a("test::random", rows, columns);
  const Philox random{seed, Purpose::oracle_noise, 0, 0};
  for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = static_cast<Real>(2 * random.normal(i));
  return a;
}

Matrix on_device(const HostMatrix& host) {
  const Matrix a = make_matrix("test::device", static_cast<std::int64_t>(host.extent(0)),
                               static_cast<std::int64_t>(host.extent(1)));
  Kokkos::deep_copy(a, host);
  return a;
}

HostMatrix on_host_copy(const Matrix& a) {
  HostMatrix host("test::host", a.extent(0), a.extent(1));
  Kokkos::deep_copy(host, a);
  return host;
}

class Activations : public ::testing::TestWithParam<Activation> {
 protected:
  Exec exec_;
};

TEST_P(Activations, ValuesWithAndWithoutBias) {
  const HostMatrix u = random_matrix(37, 51, 1);
  const Vector bias = make_vector("test::bias", 51);
  HostVector host_bias("test::host_bias", 51);
  for (std::size_t j = 0; j < 51; ++j) host_bias(j) = static_cast<Real>(0.1) * static_cast<Real>(j);
  Kokkos::deep_copy(bias, host_bias);
  const Matrix plain = on_device(u), biased = on_device(u);
  activate(exec_, GetParam(), plain, nullptr, plain);
  activate(exec_, GetParam(), biased, bias.data(), biased);
  const HostMatrix h = on_host_copy(plain), hb = on_host_copy(biased);
  for (std::size_t i = 0; i < u.extent(0); ++i) {
    for (std::size_t j = 0; j < u.extent(1); ++j) {
      const double shifted = static_cast<double>(u(i, j) + host_bias(j));
      const double want = reference::activation(GetParam(), static_cast<double>(u(i, j))).value;
      const double want_biased = reference::activation(GetParam(), shifted).value;
      EXPECT_NEAR(static_cast<double>(h(i, j)), want, 4 * epsilon * (std::abs(want) + 1e-3));
      EXPECT_NEAR(static_cast<double>(hb(i, j)), want_biased,
                  4 * epsilon * (std::abs(want_biased) + 1e-3));
    }
  }
}

TEST_P(Activations, SlopesAndCurvaturesFromTheOutput) {
  const HostMatrix u = random_matrix(20, 33, 2), a = random_matrix(20, 33, 3);
  const HostMatrix t = random_matrix(20, 33, 4), c = random_matrix(20, 33, 5);
  const Matrix h = on_device(u), da = on_device(a), dt = on_device(t), dc = on_device(c);
  const Matrix out = make_matrix("test::out", 20, 33);
  activate(exec_, GetParam(), h, nullptr, h);
  multiply_by_slope(exec_, GetParam(), h, da, out);
  const HostMatrix product = on_host_copy(out);
  // The tangent's adjoint before the activation is a s'(u).
  add_curvature(exec_, GetParam(), {h, dt, out, dc, dc});
  const HostMatrix curved = on_host_copy(dc);
  for (std::size_t i = 0; i < u.size(); ++i) {
    const auto jet = reference::activation(GetParam(), static_cast<double>(u.data()[i]));
    const double adjoint = static_cast<double>(a.data()[i]);
    EXPECT_NEAR(static_cast<double>(product.data()[i]), adjoint * jet.first, 40 * epsilon);
    const double want = static_cast<double>(c.data()[i]) * jet.first +
                        adjoint * static_cast<double>(t.data()[i]) * jet.second;
    EXPECT_NEAR(static_cast<double>(curved.data()[i]), want, 200 * epsilon);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Activations,
    ::testing::Values(Activation{ActivationKind::identity, 0}, Activation{ActivationKind::relu, 0},
                      Activation{ActivationKind::leaky_relu, static_cast<Real>(0.2)},
                      Activation{ActivationKind::tanh, 0}, Activation{ActivationKind::sigmoid, 0}));

TEST(Math, VectorizedFunctionsOverTheirRange) {
  for (int i = -200000; i <= 200000; ++i) {
    const Real x = static_cast<Real>(i) * static_cast<Real>(5e-4);
    const double exact = std::tanh(static_cast<double>(x));
    ASSERT_NEAR(static_cast<double>(tanh_vectorized(x)), exact, 3 * epsilon * std::abs(exact));
    const double logistic = 1 / (1 + std::exp(-static_cast<double>(x)));
    if (x > -80) {
      ASSERT_NEAR(static_cast<double>(logistic_vectorized(x)), logistic, 8 * epsilon * logistic);
    }
  }
  EXPECT_EQ(tanh_vectorized(Real(1000)), Real(1));
  EXPECT_EQ(tanh_vectorized(Real(-1000)), Real(-1));
}

TEST(Math, NotANumberPassesThrough) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  for (const ActivationKind kind : {ActivationKind::relu, ActivationKind::leaky_relu,
                                    ActivationKind::tanh, ActivationKind::sigmoid}) {
    const Matrix a = make_matrix("test::nan", 1, 20);
    const Exec exec;
    Kokkos::deep_copy(exec, a, nan);
    activate(exec, {kind, 0}, a, nullptr, a);
    const HostMatrix h = on_host_copy(a);
    for (std::size_t j = 0; j < 20; ++j) EXPECT_TRUE(std::isnan(h(0, j)));
  }
}

TEST(WeighRows, SumsCountedRowsAndScalesAll) {
  for (const std::size_t columns : {std::size_t{1}, std::size_t{63}, std::size_t{200}}) {
    const HostMatrix a = random_matrix(90, columns, 6);
    HostVector weights("test::weights", 90);
    for (std::size_t i = 0; i < 90; ++i) {
      weights(i) = static_cast<Real>(0.01 * static_cast<double>(i) - 0.3);
    }
    const Vector dw = make_vector("test::device_weights", 90);
    Kokkos::deep_copy(dw, weights);
    const Matrix da = on_device(a);
    const Vector sums = make_vector("test::sums", static_cast<std::int64_t>(columns));
    weigh_rows(Exec(), da, dw, 60, sums.data());
    Kokkos::fence();
    std::vector<double> want;
    reference::weigh_rows(a, weights, 60, want);
    const HostMatrix scaled = on_host_copy(da);
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sums);
    for (std::size_t j = 0; j < columns; ++j) {
      EXPECT_NEAR(static_cast<double>(got(j)), want[j], 8 * epsilon * (1 + std::abs(want[j])));
    }
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(scaled.data()[i], a.data()[i]);
  }
}

TEST(CopyRows, CopiesAndScales) {
  const HostMatrix a = random_matrix(5, 70, 7);
  const Matrix da = on_device(a), plain = make_matrix("test::plain", 5, 70);
  const Vector weights = make_vector("test::weights", 5);
  Kokkos::deep_copy(weights, Real(0.5));
  copy_rows(Exec(), da, Vector(), plain);
  copy_rows(Exec(), da, weights, da);
  Kokkos::fence();
  const HostMatrix same = on_host_copy(plain), half = on_host_copy(da);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(same.data()[i], a.data()[i]);
    EXPECT_EQ(half.data()[i], a.data()[i] / 2);
  }
}

}  // namespace
}  // namespace parley
