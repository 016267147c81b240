// SPDX-License-Identifier: BSD-3-Clause
// Losses and penalties against plain formulas; factors against central differences of those.
#include "kernels/loss.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/noise.hpp"
#include "kernels/reference/loss.hpp"

namespace parley {
namespace {

constexpr double epsilon = static_cast<double>(std::numeric_limits<Real>::epsilon());
constexpr std::int64_t batch = 23;

struct Evaluated {
  HostMatrix scores{"test::scores", 2 * batch, 1};
  HostVector weights{"test::weights", 2 * batch}, fake{"test::fake", batch};
  double generator = 0, critic = 0;
};

Evaluated evaluate(GanLoss loss) {
  const Exec exec;
  const Matrix scores = make_matrix("test::scores", 2 * batch, 1);
  fill_normal(exec, {3, Purpose::oracle_noise, 0, 0}, scores);
  const Vector weights = make_vector("test::weights", 2 * batch);
  const Vector fake = make_vector("test::fake", batch);
  const Doubles terms("test::terms", 2 * batch), losses("test::losses", 2);
  Kokkos::deep_copy(losses, 17.0);  // what was there before must not count
  evaluate_loss(exec, loss, batch, {scores, weights, fake, terms}, losses);
  fence(exec, "test");
  Evaluated result;
  Kokkos::deep_copy(result.scores, scores);
  Kokkos::deep_copy(result.weights, weights);
  Kokkos::deep_copy(result.fake, fake);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), losses);
  result.generator = host(0);
  result.critic = host(1);
  return result;
}

double slope(double (*f)(GanLoss, double), GanLoss loss, double d) {
  const double h = 1e-6;
  return (f(loss, d + h) - f(loss, d - h)) / (2 * h) / static_cast<double>(batch);
}

class Losses : public ::testing::TestWithParam<GanLoss> {};

TEST_P(Losses, ValuesAndFactors) {
  const Evaluated got = evaluate(GetParam());
  double generator = 0, critic = 0;
  for (std::size_t i = 0; i < batch; ++i) {
    const double real = static_cast<double>(got.scores(i, 0));
    const double fake = static_cast<double>(got.scores(batch + i, 0));
    critic += reference::on_real(GetParam(), real) + reference::on_fake(GetParam(), fake);
    generator += reference::generator(GetParam(), fake);
    const double tolerance = 2e-10 + epsilon;
    EXPECT_NEAR(static_cast<double>(got.weights(i)), slope(reference::on_real, GetParam(), real),
                tolerance);
    EXPECT_NEAR(static_cast<double>(got.weights(batch + i)),
                slope(reference::on_fake, GetParam(), fake), tolerance);
    EXPECT_NEAR(static_cast<double>(got.fake(i)), slope(reference::generator, GetParam(), fake),
                tolerance);
  }
  EXPECT_NEAR(got.generator, generator / batch, 1e-14 * batch);
  EXPECT_NEAR(got.critic, critic / batch, 1e-14 * batch);
}

INSTANTIATE_TEST_SUITE_P(All, Losses,
                         ::testing::Values(GanLoss::minimax, GanLoss::non_saturating,
                                           GanLoss::least_squares, GanLoss::hinge, GanLoss::wgan));

TEST(Penalty, ValueFactorsAndZeroGradients) {
  const Exec exec;
  const std::int64_t features = 37;
  const Matrix g = make_matrix("test::g", batch, features);
  fill_normal(exec, {4, Purpose::oracle_noise, 0, 0}, g);
  Kokkos::deep_copy(row(g, 5), Real(0));
  const Vector weights = make_vector("test::weights", batch);
  const Doubles terms("test::terms", batch), losses("test::losses", 2);
  Kokkos::deep_copy(losses, 1.0);
  evaluate_penalty(exec, 10, g, weights, terms, losses);
  fence(exec, "test");
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), g);
  std::vector<double> values(host.data(), host.data() + host.size());
  const auto sums = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), losses);
  EXPECT_NEAR(sums(1), 1 + reference::penalty(10, values, batch), 1e-11);
  EXPECT_EQ(sums(0), 1);
  const auto factors = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), weights);
  EXPECT_EQ(factors(5), 0);
  // d penalty / d g_i = weights[i] g_i, by central differences along one coordinate.
  for (std::size_t i = 0; i < batch; i += 4) {
    const double h = 1e-5;
    std::vector<double> up = values, down = values;
    const std::size_t at = i * static_cast<std::size_t>(features) + 3;
    up[at] += h;
    down[at] -= h;
    const double want =
        (reference::penalty(10, up, batch) - reference::penalty(10, down, batch)) / (2 * h);
    EXPECT_NEAR(static_cast<double>(factors(i)) * values[at], want, 1e-8 + 20 * epsilon);
  }
}

TEST(Interpolate, MixesPerSample) {
  const Exec exec;
  const Matrix real = make_matrix("test::real", 3, 5), fake = make_matrix("test::fake", 3, 5);
  const Matrix between = make_matrix("test::between", 3, 5);
  Kokkos::deep_copy(real, Real(1));
  Kokkos::deep_copy(fake, Real(3));
  const Vector mix = make_vector("test::mix", 3);
  HostVector host("test::host", 3);
  host(0) = 0, host(1) = 1, host(2) = static_cast<Real>(0.25);
  Kokkos::deep_copy(mix, host);
  interpolate(exec, mix, real, fake, between);
  fence(exec, "test");
  const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), between);
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_EQ(got(0, j), 3);
    EXPECT_EQ(got(1, j), 1);
    EXPECT_EQ(got(2, j), Real(2.5));
  }
}

TEST(Clip, TouchesTheGivenColumnsOnly) {
  const Matrix z = make_matrix("test::z", 2, 8);
  Kokkos::deep_copy(z, Real(-4));
  clip_columns(Exec(), z, 3, 6, static_cast<Real>(0.5));
  Kokkos::fence();
  const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), z);
  for (std::size_t j = 0; j < 8; ++j) EXPECT_EQ(got(1, j), j >= 3 && j < 6 ? Real(-0.5) : Real(-4));
}

TEST(Noise, NormalsHaveTheirMomentsAndDependOnTheDraw) {
  const Exec exec;
  const Matrix a = make_matrix("test::a", 500, 101), b = make_matrix("test::b", 500, 101);
  fill_normal(exec, {1, Purpose::noise, 2, 3}, a);
  fill_normal(exec, {1, Purpose::noise, 2, 4}, b);
  fence(exec, "test");
  const auto x = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  double mean = 0, square = 0, fourth = 0, cross = 0, neighbours = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = static_cast<double>(x.data()[i]);
    mean += v / n;
    square += v * v / n;
    fourth += v * v * v * v / n;
    cross += v * static_cast<double>(y.data()[i]) / n;
    if (i > 0) neighbours += v * static_cast<double>(x.data()[i - 1]) / n;
  }
  const double error = 4 / std::sqrt(n);
  EXPECT_NEAR(mean, 0, error);
  EXPECT_NEAR(square, 1, 1.5 * error);
  EXPECT_NEAR(fourth, 3, 10 * error);
  EXPECT_NEAR(cross, 0, error);
  EXPECT_NEAR(neighbours, 0, error);
}

}  // namespace
}  // namespace parley
