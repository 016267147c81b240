// SPDX-License-Identifier: BSD-3-Clause
// Sliced Wasserstein distance against closed forms and an independent integral of distribution
// functions; the mixture score on samples whose score is known.
#include "games/measures_samples.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "kernels/philox.hpp"

namespace parley {
namespace {

constexpr double tolerance = sizeof(Real) == 4 ? 1e-6 : 1e-13;

/// Row-major n x columns values as a matrix.
Matrix to_matrix(const std::vector<double>& values, std::int64_t columns) {
  const auto n = static_cast<std::int64_t>(values.size()) / columns;
  const Matrix out = make_matrix("samples", n, columns);
  const auto host = Kokkos::create_mirror_view(out);
  for (std::int64_t i = 0; i < n * columns; ++i) {
    host(i / columns, i % columns) = static_cast<Real>(values[static_cast<std::size_t>(i)]);
  }
  Kokkos::deep_copy(out, host);
  return out;
}

std::vector<double> normals(std::int64_t count, std::uint64_t seed) {
  std::vector<double> out;
  const Philox random{seed, Purpose::noise, 0, 0};
  for (std::int64_t i = 0; i < count; ++i) {
    out.push_back(random.normal(static_cast<std::uint64_t>(i)));
  }
  return out;
}

/// Sum of the contributions of all agents.
double distance(const std::vector<double>& real, const std::vector<double>& fake,
                std::int64_t columns, std::int64_t agents = 1) {
  const Exec exec;
  const Agents all(agents, 0, 1);
  const SlicedWasserstein swd(exec, to_matrix(real, columns), all, 11);
  double sum = 0;
  for (std::int64_t m = 0; m < agents; ++m) sum += swd.evaluate(exec, m, to_matrix(fake, columns));
  return sum;
}

/// W1 of two sets of numbers: the integral of |F - G|.
double wasserstein(std::vector<double> a, std::vector<double> b) {
  std::vector<std::pair<double, double>> steps;
  for (const double value : a) steps.emplace_back(value, 1.0 / static_cast<double>(a.size()));
  for (const double value : b) steps.emplace_back(value, -1.0 / static_cast<double>(b.size()));
  std::sort(steps.begin(), steps.end());
  double integral = 0, difference = 0;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    difference += steps[i].second;
    integral += std::abs(difference) * (steps[i + 1].first - steps[i].first);
  }
  return integral;
}

double reference_distance(const std::vector<double>& real, const std::vector<double>& fake,
                          std::int64_t columns) {
  double sum = 0;
  for (std::uint64_t p = 0; p < 256; ++p) {
    const Philox random{11, Purpose::projection, 0, p};
    std::vector<double> direction;
    double squares = 0;
    for (std::int64_t f = 0; f < columns; ++f) {
      direction.push_back(random.normal(static_cast<std::uint64_t>(f)));
      squares += direction.back() * direction.back();
    }
    std::vector<double> a(real.size() / direction.size(), 0.0), b = a;
    for (std::size_t i = 0; i < real.size(); ++i) {
      const double weight = direction[i % direction.size()] / std::sqrt(squares);
      a[i / direction.size()] += weight * static_cast<double>(static_cast<Real>(real[i]));
      b[i / direction.size()] += weight * static_cast<double>(static_cast<Real>(fake[i]));
    }
    sum += wasserstein(a, b);
  }
  return sum / 256;
}

TEST(SlicedWasserstein, AgreesWithTheIntegralOfDistributionFunctions) {
  for (const std::int64_t columns : {1, 2, 9, 64}) {
    for (const std::int64_t n : {1, 7, 200}) {
      const auto real = normals(n * columns, 1), fake = normals(n * columns, 2);
      const double expected = reference_distance(real, fake, columns);
      EXPECT_NEAR(distance(real, fake, columns), expected, 1e-12 * (1 + expected));
    }
  }
}

TEST(SlicedWasserstein, OfAShiftIsItsMeanProjection) {
  const auto real = normals(500, 3);
  auto fake = real;
  for (double& value : fake) value += 1.5;
  EXPECT_NEAR(distance(real, fake, 1), 1.5, tolerance);
  // In the plane |<shift, p>| has mean 2/pi |shift| over directions, deviation 0.308 |shift|.
  const double shift = 1.5 * std::numbers::sqrt2;
  EXPECT_NEAR(distance(real, fake, 2), 2 / std::numbers::pi * shift, 5 * 0.308 / 16 * shift);
}

TEST(SlicedWasserstein, IsZeroForTheSameSetInAnyOrder) {
  const auto real = normals(60, 4);
  std::vector<double> fake;
  for (std::size_t i = 0; i < 20; ++i) {
    const std::size_t row = (i * 7) % 20;
    fake.insert(fake.end(), real.begin() + static_cast<std::ptrdiff_t>(3 * row),
                real.begin() + static_cast<std::ptrdiff_t>(3 * row + 3));
  }
  EXPECT_EQ(distance(real, fake, 3), 0);
}

TEST(SlicedWasserstein, ContributionsDependOnTheAgentNotOnTheRank) {
  const Exec exec;
  const auto real = normals(120, 5), fake = normals(120, 6);
  const double whole = distance(real, fake, 4);
  for (const std::int64_t agents : {2, 3, 5, 300}) {
    EXPECT_NEAR(distance(real, fake, 4, agents), whole, 1e-14);
  }
  const SlicedWasserstein all(exec, to_matrix(real, 4), Agents(5, 0, 1), 11);
  const SlicedWasserstein second(exec, to_matrix(real, 4), Agents(5, 1, 2), 11);
  for (std::int64_t m = 0; m < 2; ++m) {
    EXPECT_EQ(second.evaluate(exec, m, to_matrix(fake, 4)),
              all.evaluate(exec, 3 + m, to_matrix(fake, 4)));
  }
}

TEST(SlicedWasserstein, RefusesAnotherNumberOfSamples) {
  const Exec exec;
  const SlicedWasserstein swd(exec, to_matrix(normals(20, 1), 2), Agents(1, 0, 1), 11);
  EXPECT_EQ(swd.samples(), 10);
  EXPECT_THROW(swd.evaluate(exec, 0, to_matrix(normals(22, 1), 2)), std::logic_error);
}

Mixture make_ring() {
  Mixture mixture;
  mixture.modes = 8;
  mixture.deviation = 0.02;
  for (int k = 0; k < 8; ++k) {
    mixture.centers.push_back(2 * std::cos(k * std::numbers::pi / 4));
    mixture.centers.push_back(2 * std::sin(k * std::numbers::pi / 4));
  }
  return mixture;
}

/// n samples of mode i % modes.
std::vector<double> sample_modes(const Mixture& mixture, std::size_t n, std::size_t modes) {
  auto out = normals(static_cast<std::int64_t>(2 * n), 8);
  for (std::size_t i = 0; i < 2 * n; ++i) {
    out[i] = mixture.centers[2 * (i / 2 % modes) + i % 2] + mixture.deviation * out[i];
  }
  return out;
}

TEST(ScoreMixture, OfTheMixtureItself) {
  const Mixture ring = make_ring();
  const auto result = score_mixture(Exec(), ring, to_matrix(sample_modes(ring, 10000, 8), 2));
  EXPECT_EQ(result.modes, 8);
  // Of a plane Gaussian 1 - exp(-9/2) lies within 3 deviations; 5 binomial deviations.
  EXPECT_NEAR(result.share, 0.98889, 0.0053);
  EXPECT_NEAR(result.kl, 0, 1e-12);
}

TEST(ScoreMixture, OfCollapsedSamples) {
  const Mixture ring = make_ring();
  const auto two = score_mixture(Exec(), ring, to_matrix(sample_modes(ring, 1000, 2), 2));
  EXPECT_EQ(two.modes, 2);
  EXPECT_NEAR(two.kl, std::log(4.0), 1e-12);
  const auto none = score_mixture(Exec(), ring, to_matrix({0, 0, 1.9, 0, 0, 0.1}, 2));
  EXPECT_EQ(none.modes, 0);
  EXPECT_EQ(none.share, 0);
}

TEST(ScoreMixture, AModeCountsFromAFifthOfItsFairShare) {
  const Mixture ring = make_ring();
  // 400 samples, fair share 50: 10 of mode 1 are a fifth of it.
  for (const std::size_t others : {9U, 10U}) {
    std::vector<double> samples;
    for (std::size_t i = 0; i < 400; ++i) {
      const std::size_t mode = i < others ? 1 : 0;
      samples.push_back(ring.centers[2 * mode]);
      samples.push_back(ring.centers[2 * mode + 1]);
    }
    EXPECT_EQ(score_mixture(Exec(), ring, to_matrix(samples, 2)).modes, others == 10 ? 2 : 1);
  }
}

}  // namespace
}  // namespace parley
