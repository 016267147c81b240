// SPDX-License-Identifier: BSD-3-Clause
// Mixing beside its floors, in turn and as medians. On one rank: the kernels beside a STREAM-like
// copy of the bytes that must move. On several (mpirun -n 4): one mix of a ring of one agent per
// rank beside two copies of the row per neighbour.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "bench/timing.hpp"
#include "comm/mixer.hpp"
#include "kernels/mix.hpp"

namespace parley::bench {
namespace {

constexpr std::int64_t parameters = 1 << 20;

/// Sizes like those of dense networks, so that messages and memory are not aligned alike.
Layout dense_layout() {
  Layout layout(row_alignment);
  layout.add("w0", Player::x, {parameters / 2 - 1000});
  layout.add("b0", Player::x, {777});
  layout.add("w1", Player::y, {parameters / 2 + 1000 - 777});
  return layout;
}

/// A mix of `agents` rows in one memory, each with `terms` neighbours (agent + 1, + 2, ...) when
/// all are mixed, or of the first row alone.
void bench_rows(std::int64_t mixed, std::int64_t terms) {
  const Layout layout = dense_layout();
  const Exec exec;
  const Chunks chunks = make_chunks(layout, 0, layout.dim());
  const std::int64_t read = std::max(mixed, terms + 1);
  const Matrix in = make_matrix("bench::in", read, layout.width());
  const Matrix out = make_matrix("bench::out", mixed, layout.width());
  Kokkos::deep_copy(in, Real(1));
  MixRows rows("bench::rows", static_cast<std::size_t>(mixed));
  MixTerms table("bench::terms", static_cast<std::size_t>(mixed * terms));
  const auto rows_host = Kokkos::create_mirror_view(rows);
  const auto table_host = Kokkos::create_mirror_view(table);
  for (std::int64_t i = 0; i < mixed; ++i) {
    rows_host(static_cast<std::size_t>(i)) = {
        {row(in, i).data(), 0, false}, row(out, i).data(), i * terms, (i + 1) * terms};
    for (std::int64_t t = 0; t < terms; ++t) {
      table_host(static_cast<std::size_t>(i * terms + t)) = {
          {row(in, (i + t + 1) % read).data(), 0, false}, Real(0.125)};
    }
  }
  Kokkos::deep_copy(rows, rows_host);
  Kokkos::deep_copy(table, table_host);
  const CopyFloor copy((read + mixed) * layout.dim() / 2);
  const Medians time = in_turn(
      [&] {
        mix_rows(exec, chunks, rows, table);
        Kokkos::fence();
      },
      copy);
  std::printf("mix_rows %2lld rows, %lld neighbours   %8.3f ms   copy floor %8.3f ms   %5.0f %%\n",
              static_cast<long long>(mixed), static_cast<long long>(terms), 1e3 * time.ours,
              1e3 * time.floor, 100 * time.floor / time.ours);
}

void bench_pack() {
  const Layout layout = dense_layout();
  const Exec exec;
  const Chunks chunks = make_chunks(layout, 0, layout.dim());
  const Vector from = make_vector("bench::from", layout.width());
  const Vector to = make_vector("bench::to", layout.dim());
  bool finite = true;
  const Medians time =
      in_turn([&] { finite = pack_row(exec, chunks, from.data(), to.data(), 0) && finite; },
              CopyFloor(layout.dim()));
  std::printf("pack_row and check            %8.3f ms   copy floor %8.3f ms   %5.0f %%%s\n",
              1e3 * time.ours, 1e3 * time.floor, 100 * time.floor / time.ours,
              finite ? "" : " (not finite)");
}

/// One agent per rank on a ring, whole mixes with messages.
void bench_ranks(int rank, int ranks) {
  const Layout layout = dense_layout();
  const Agents agents(ranks, rank, ranks);
  Weights weights;
  for (std::int64_t i = 0; i < ranks; ++i) {
    std::vector<std::int64_t> row = {i, (i + 1) % ranks, (i + ranks - 1) % ranks};
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    const double weight = 1.0 / static_cast<double>(row.size());
    weights.rows.push_back({row, std::vector<double>(row.size(), weight)});
  }
  const auto neighbours = static_cast<std::int64_t>(weights.rows[0].agent.size()) - 1;
  Health health;
  const Mixing mixing(weights);
  const auto mixer = make_mixer({MPI_COMM_WORLD, agents, layout, mixing, 1, health});
  const auto channel = mixer->open("z");
  const Matrix in = make_matrix("bench::in", 1, layout.width());
  const Matrix out = make_matrix("bench::out", 1, layout.width());
  const CopyFloor copy(layout.dim());
  std::int64_t k = 0;
  const Medians time = in_turn(
      [&] {
        channel->mix(k++, in, out);
        MPI_Barrier(MPI_COMM_WORLD);
      },
      [&] {
        for (std::int64_t n = 0; n < 2 * neighbours; ++n) copy();
        MPI_Barrier(MPI_COMM_WORLD);
      });
  if (rank == 0) {
    std::printf(
        "one mix, ring of %d ranks, %lld parameters   %8.3f ms   two copies per neighbour "
        "%8.3f ms   ratio %.2f\n",
        ranks, static_cast<long long>(layout.dim()), 1e3 * time.ours, 1e3 * time.floor,
        time.ours / time.floor);
  }
}

}  // namespace
}  // namespace parley::bench

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    int rank = 0, ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks == 1) {
      for (const std::int64_t terms : {1, 2, 3, 4, 5, 8}) parley::bench::bench_rows(1, terms);
      for (const std::int64_t rows : {4, 8, 16}) parley::bench::bench_rows(rows, 2);
      parley::bench::bench_pack();
    } else {
      parley::bench::bench_ranks(rank, ranks);
    }
  }
  MPI_Finalize();
  return 0;
}
