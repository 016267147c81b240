// SPDX-License-Identifier: BSD-3-Clause
// Support for the tests of channels: rows with known numbers, W in double, and a mixer on any
// communicator.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "comm/graph_choices.hpp"
#include "comm/mixer.hpp"

namespace parley::test {

inline int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

inline int size_of_comm(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

inline Weights weights_of(std::string_view kind, std::int64_t n,
                          const std::string& rule = "metropolis") {
  GraphOptions options;
  options.kind = graph_choice(kind);
  options.weights = rule;
  return make_weights(graph_of(kind, n), options, "deck.toml:1");
}

/// Odd sizes, one that fills its boundary, one longer than a chunk of the kernels.
inline Layout odd_layout() {
  Layout layout(row_alignment);
  layout.add("a", Player::x, {3, 5});
  layout.add("b", Player::x, {2 * row_alignment});
  layout.add("c", Player::x, {1});
  layout.add("d", Player::y, {3001});
  layout.add("e", Player::y, {7});
  return layout;
}

inline Real number_of(std::int64_t agent, std::int64_t p) {
  const double phase = static_cast<double>(agent) * 12.9898 + static_cast<double>(p) * 0.78233;
  const double x = 43.7585453 * std::sin(phase);
  return static_cast<Real>(x - std::floor(x) - 0.5);
}

using Rows = std::vector<std::vector<Real>>;

/// Packed rows to a matrix with zero padding.
inline void put_rows(const Matrix& to, const Layout& layout, const Rows& rows) {
  const auto host = Kokkos::create_mirror_view(to);
  Kokkos::deep_copy(host, Real(0));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const Block& block : layout.blocks()) {
      for (std::int64_t p = 0; p < block.size; ++p) {
        host(i, static_cast<std::size_t>(block.column + p)) =
            rows[i][static_cast<std::size_t>(block.packed + p)];
      }
    }
  }
  Kokkos::deep_copy(to, host);
}

/// Packed rows of a matrix; checks that the padding is zero.
inline Rows take_rows(const Matrix& from, const Layout& layout) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), from);
  Rows rows(from.extent(0));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::int64_t column = 0;
    for (const Block& block : layout.blocks()) {
      for (; column < block.column; ++column) {
        EXPECT_EQ(host(i, static_cast<std::size_t>(column)), Real(0)) << "padding " << column;
      }
      for (; column < block.column + block.size; ++column) {
        rows[i].push_back(host(i, static_cast<std::size_t>(column)));
      }
    }
    for (; column < layout.width(); ++column) {
      EXPECT_EQ(host(i, static_cast<std::size_t>(column)), Real(0)) << "padding " << column;
    }
  }
  return rows;
}

/// Agents on the ranks of a communicator with a mixer and rows of known numbers.
struct Team {
  Team(MPI_Comm comm, std::string_view kind, std::int64_t n, std::int64_t rounds, double stall = 60)
      : Team(comm, mixing_of(kind, n), rounds, stall) {}
  Team(MPI_Comm comm, const Mixing& how, std::int64_t rounds, double stall = 60)
      : Team(comm, how, rounds, {}, stall) {}

  Team(MPI_Comm comm, const Mixing& how, std::int64_t rounds, const MixerOptions& options,
       double stall = 60, const Layout& blocks = odd_layout())
      : agents(how.agents(), rank_of(comm), size_of_comm(comm)),
        layout(blocks),
        mixing(how),
        mixer(make_mixer({comm, agents, layout, mixing, rounds, health, stall, options})),
        in(make_matrix("test::in", agents.count(), layout.width())),
        out(make_matrix("test::out", agents.count(), layout.width())) {
    Rows rows;
    for (std::int64_t i = agents.first(); i < agents.first() + agents.count(); ++i) {
      rows.emplace_back();
      for (std::int64_t p = 0; p < layout.dim(); ++p) rows.back().push_back(number_of(i, p));
    }
    put_rows(in, layout, rows);
    Kokkos::deep_copy(out, std::numeric_limits<Real>::quiet_NaN());
  }

  /// Overwrites one number, when this rank owns the agent.
  void spoil(std::int64_t agent, std::string_view block, Real value) {
    if (!agents.owns(agent)) return;
    Rows rows = take_rows(in, layout);
    rows[static_cast<std::size_t>(agents.local(agent))]
        [static_cast<std::size_t>(layout.block(block).packed)] = value;
    put_rows(in, layout, rows);
  }

  Agents agents;
  Layout layout;
  Mixing mixing;
  Health health;
  std::unique_ptr<Mixer> mixer;
  Matrix in, out;
};

/// How far the mean over all agents of `found`, rows of this rank, lies from the mean of what the
/// team started with: the worst column. Collective.
inline double drift_of_mean(const Team& team, const Rows& found) {
  const auto agents = team.agents.total();
  std::vector<double> sum(static_cast<std::size_t>(team.layout.dim()), 0.0);
  for (const auto& row : found) {
    for (std::size_t p = 0; p < sum.size(); ++p) sum[p] += static_cast<double>(row[p]);
  }
  MPI_Allreduce(MPI_IN_PLACE, sum.data(), static_cast<int>(sum.size()), MPI_DOUBLE, MPI_SUM,
                MPI_COMM_WORLD);
  double worst = 0;
  for (std::size_t p = 0; p < sum.size(); ++p) {
    double exact = 0;
    for (std::int64_t i = 0; i < agents; ++i) {
      exact += static_cast<double>(number_of(i, static_cast<std::int64_t>(p)));
    }
    worst = std::max(worst, std::abs(sum[p] - exact) / static_cast<double>(agents));
  }
  return worst;
}

/// The rows of this rank out of the rows of all agents.
inline Rows own(const Rows& all, const Agents& agents) {
  return {all.begin() + agents.first(), all.begin() + agents.first() + agents.count()};
}

inline bool same_bits(const Rows& a, const Rows& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() != b[i].size() ||
        std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(Real)) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace parley::test
