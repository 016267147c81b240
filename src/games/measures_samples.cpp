// SPDX-License-Identifier: BSD-3-Clause
// Sliced Wasserstein distance and the mixture score. Directions are multiplied on the device;
// sorting and sums are the host's, in a fixed order.
#include "games/measures_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.hpp"
#include "kernels/philox.hpp"

namespace parley {

namespace {

/// Directions number first, first + step, ... below `total`: normal numbers brought to length 1.
Directions draw_directions(std::int64_t features, std::int64_t first, std::int64_t step,
                           std::int64_t total, std::uint64_t seed) {
  Directions out;
  out.features = features;
  out.count = first < total ? (total - first + step - 1) / step : 0;
  out.width = (out.count + direction_tile - 1) / direction_tile * direction_tile;
  out.values =
      Doubles("parley::constant::directions", static_cast<std::size_t>(features * out.width));
  const auto host = Kokkos::create_mirror_view(out.values);
  for (std::int64_t j = 0; j < out.count; ++j) {
    const Philox random{seed, Purpose::projection, 0, static_cast<std::uint64_t>(first + j * step)};
    double squares = 0;
    for (std::int64_t f = 0; f < features; ++f) {
      const double value = random.normal(static_cast<std::uint64_t>(f));
      host(static_cast<std::size_t>(f * out.width + j)) = value;
      squares += value * value;
    }
    const double scale = 1.0 / std::sqrt(squares);
    for (std::int64_t f = 0; f < features; ++f) {
      host(static_cast<std::size_t>(f * out.width + j)) *= scale;
    }
  }
  Kokkos::deep_copy(out.values, host);
  return out;
}

/// Projections of `samples` on the host: count x n, each row sorted.
std::vector<double> project_sorted(const Exec& exec, const Matrix& samples,
                                   const Directions& directions, const Doubles& projected) {
  project_samples(exec, samples, directions, projected);
  fence(exec, "parley::measures::projected");
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), projected);
  const std::int64_t n = rows_of(samples);
  std::vector<double> sorted(host.data(), host.data() + directions.count * n);
  for (std::int64_t j = 0; j < directions.count; ++j) {
    std::sort(sorted.begin() + j * n, sorted.begin() + (j + 1) * n);
  }
  return sorted;
}

}  // namespace

SlicedWasserstein::SlicedWasserstein(const Exec& exec, const Matrix& real, const Agents& agents,
                                     std::uint64_t seed)
    : samples_(rows_of(real)), features_(columns_of(real)) {
  ensure(samples_ > 0, "SlicedWasserstein: no held-out rows");
  std::int64_t width = 0;
  for (std::int64_t m = 0; m < agents.count(); ++m) {
    parts_.push_back(
        {draw_directions(features_, agents.first() + m, agents.total(), directions, seed), {}});
    width = std::max(width, parts_.back().directions.width);
  }
  projected_ = Doubles("parley::measures::projected", static_cast<std::size_t>(width * samples_));
  for (Part& part : parts_) part.real = project_sorted(exec, real, part.directions, projected_);
}

double SlicedWasserstein::evaluate(const Exec& exec, std::int64_t local_agent,
                                   const Matrix& generated) const {
  ensure(rows_of(generated) == samples_, "SlicedWasserstein: another number of samples");
  const Part& part = parts_[static_cast<std::size_t>(local_agent)];
  if (part.directions.count == 0) return 0;
  const std::vector<double> sorted = project_sorted(exec, generated, part.directions, projected_);
  double total = 0;
  for (std::int64_t j = 0; j < part.directions.count; ++j) {
    double sum = 0;
    for (std::int64_t i = j * samples_; i < (j + 1) * samples_; ++i) {
      sum += std::abs(sorted[static_cast<std::size_t>(i)] - part.real[static_cast<std::size_t>(i)]);
    }
    total += sum / static_cast<double>(samples_);
  }
  return total / static_cast<double>(directions);
}

MixtureResult score_mixture(const Exec& exec, const Mixture& mixture, const Matrix& generated) {
  const std::int64_t n = rows_of(generated);
  ensure(n > 0 && mixture.modes > 0, "score_mixture: no samples or no modes");
  const std::int64_t features = static_cast<std::int64_t>(mixture.centers.size()) / mixture.modes;
  const Doubles samples = to_doubles(exec, generated, features);
  fence(exec, "parley::measures::score_mixture");
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), samples);
  std::vector<double> nearest(static_cast<std::size_t>(mixture.modes), 0.0), within = nearest;
  for (std::int64_t i = 0; i < n; ++i) {
    double best = std::numeric_limits<double>::infinity();
    std::size_t mode = 0;
    for (std::int64_t k = 0; k < mixture.modes; ++k) {
      double squares = 0;
      for (std::int64_t f = 0; f < features; ++f) {
        const double difference = host(static_cast<std::size_t>(i * features + f)) -
                                  mixture.centers[static_cast<std::size_t>(k * features + f)];
        squares += difference * difference;
      }
      if (squares < best) {
        best = squares;
        mode = static_cast<std::size_t>(k);
      }
    }
    nearest[mode] += 1;
    if (std::sqrt(best) <= 3 * mixture.deviation) within[mode] += 1;
  }
  MixtureResult result;
  const double fair = 1.0 / static_cast<double>(mixture.modes);
  for (std::size_t k = 0; k < nearest.size(); ++k) {
    const double share = within[k] / static_cast<double>(n);
    const double p = nearest[k] / static_cast<double>(n);
    result.share += share;
    if (share >= 0.2 * fair) result.modes += 1;
    if (p > 0) result.kl += p * std::log(p / fair);
  }
  return result;
}

}  // namespace parley
