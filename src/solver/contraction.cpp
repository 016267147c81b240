// SPDX-License-Identifier: BSD-3-Clause
// Power iteration through a channel.
#include "solver/contraction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/philox.hpp"
#include "solver/rows.hpp"

namespace parley {

namespace {

constexpr std::int64_t columns = 8;

using Numbers = std::vector<double>;

/// Rows of all agents (M x columns) in agent order out of the ranks' own.
Numbers gather(const MixerContext& context, const Numbers& own) {
  const Agents& agents = context.agents;
  std::vector<int> counts, places;
  for (int rank = 0; rank < agents.ranks(); ++rank) {
    counts.push_back(static_cast<int>(agents.count_of(rank) * columns));
    places.push_back(static_cast<int>(agents.first_of(rank) * columns));
  }
  Numbers all(static_cast<std::size_t>(agents.total() * columns));
  MPI_Allgatherv(own.data(), static_cast<int>(own.size()), MPI_DOUBLE, all.data(), counts.data(),
                 places.data(), MPI_DOUBLE, context.comm);
  return all;
}

/// Takes the mean over agents off every column; returns what is left, ||Z - J Z||_F.
double centre(Numbers& all) {
  const std::size_t agents = all.size() / columns;
  double square = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    double mean = 0;
    for (std::size_t i = 0; i < agents; ++i) mean += all[i * columns + c];
    mean /= static_cast<double>(agents);
    for (std::size_t i = 0; i < agents; ++i) {
      all[i * columns + c] -= mean;
      square += all[i * columns + c] * all[i * columns + c];
    }
  }
  return std::sqrt(square);
}

/// Mixes of the whole probe and of the part at its end that is measured: whole periods.
struct Length {
  std::int64_t mixes = 0, measured = 0;
};

Length length_of(const Mixing& mixing, std::int64_t rounds) {
  constexpr std::int64_t most_rounds = 32;
  const std::int64_t period = std::max<std::int64_t>(mixing.period(), 1);
  const std::int64_t cycle = period / std::gcd(period, rounds);
  const std::int64_t half = std::max<std::int64_t>(most_rounds / rounds / 2, 1);
  const std::int64_t measured = (half + cycle - 1) / cycle * cycle;
  return {2 * measured, measured};
}

}  // namespace

double measure_contraction(const MixerContext& context) {
  const Agents& agents = context.agents;
  Layout layout(row_alignment);
  layout.add("probe", Player::x, {columns});
  const auto mixer = make_mixer({context.comm, agents, layout, context.mixing, context.rounds,
                                 context.health, context.stall_seconds, context.options});
  const auto channel = mixer->open("probe");
  const Matrix in = make_matrix("parley::probe::in", agents.count(), layout.width());
  const Matrix out = make_matrix("parley::probe::out", agents.count(), layout.width());

  Numbers all;
  for (std::int64_t i = 0; i < agents.total(); ++i) {
    const Philox random{0, Purpose::graph, i, 0};
    for (std::uint64_t c = 0; c < columns; ++c) all.push_back(random.normal(c));
  }
  double norm = centre(all);
  const Length length = length_of(context.mixing, context.rounds);
  double sum = 0;
  for (std::int64_t k = 1; k <= length.mixes; ++k) {
    std::vector<Real> rows;
    const std::int64_t first = agents.first() * columns;
    for (std::int64_t n = first; n < first + agents.count() * columns; ++n) {
      rows.push_back(static_cast<Real>(all[static_cast<std::size_t>(n)] / norm));
    }
    unpack_rows(rows, layout, in);
    channel->mix(k, in, out);
    const std::vector<Real> mixed = pack_rows(out, layout);
    all = gather(context, Numbers(mixed.begin(), mixed.end()));
    norm = centre(all);
    if (norm < 1000 * static_cast<double>(std::numeric_limits<Real>::epsilon())) return 0;
    if (k > length.mixes - length.measured) sum += std::log(norm);
  }
  return std::exp(sum / static_cast<double>(length.measured));
}

std::optional<double> measure_contraction(const Plan& plan, const MixerContext& context) {
  if (plan.method_plan.gossip_vectors == 0 || context.agents.total() == 1) return std::nullopt;
  const MixerProperties has = mixer_properties(context.options, context.mixing);
  if (!has.linear || !has.doubly_stochastic) return std::nullopt;
  return measure_contraction(context);
}

std::string contraction_text(const Deck& deck, const Plan& plan, double measured) {
  return fmt::format(
      "one mix shrinks disagreement to {:.4g} by the spectrum of {}, {:.4g} as measured",
      plan.contraction, deck.graph.kind.kind, measured);
}

}  // namespace parley
