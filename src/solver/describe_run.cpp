// SPDX-License-Identifier: BSD-3-Clause
// Asks MPI, Kokkos and BLAS who they are.
#include "solver/describe_run.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "kernels/runtime.hpp"

namespace parley {

namespace {

/// The texts of all ranks, on all ranks.
std::vector<std::string> all_texts(const std::string& mine, MPI_Comm comm) {
  constexpr std::size_t longest = 512;
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  std::array<char, longest> padded{};
  mine.copy(padded.data(), longest - 1);
  std::vector<char> all(longest * static_cast<std::size_t>(ranks));
  MPI_Allgather(padded.data(), longest, MPI_CHAR, all.data(), longest, MPI_CHAR, comm);
  std::vector<std::string> texts;
  for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) {
    texts.emplace_back(all.data() + r * longest);
  }
  return texts;
}

std::string host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return {name.data(), static_cast<std::size_t>(length)};
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string full(text.data());
  return full.substr(0, full.find_first_of(",\n"));
}

}  // namespace

Provenance describe_build(const Deck& deck, MPI_Comm comm) {
  Provenance p = build_provenance();
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  p.bit_class = bit_class(static_cast<int>(deck.run.threads));
  const auto classes = all_texts(p.bit_class, comm);
  for (std::size_t r = 1; r < classes.size(); ++r) {
    if (classes[r] == classes[0]) continue;
    UserError error(
        fmt::format("ranks 0 and {} are of different bit classes:\n  {}\n  {}\nrun on "
                    "nodes of one kind",
                    r, classes[0], classes[r]));
    error.agreed = true;
    throw error;
  }
  const auto names = all_texts(host_name(), comm);
  for (const std::string& host : std::set<std::string>(names.begin(), names.end())) {
    p.hosts += (p.hosts.empty() ? "" : " ") + host;
  }
  p.mpi = mpi_version();
  p.kokkos = kokkos_description();
  p.ranks = ranks;
  p.agents = deck.run.agents;
  p.seed = deck.run.seed;
  p.name = deck.run.name;
  p.game = deck.game.kind;
  p.method = deck.method.kind;
  p.deck = deck.text;
  return p;
}

GraphRecord describe_graph(const Deck& deck, const Plan& plan, std::optional<double> measured) {
  GraphRecord record;
  record.kind = deck.graph.kind.kind;
  record.schedule = deck.graph.schedule;
  record.agents = deck.run.agents;
  record.rounds = deck.graph.rounds;
  record.rho = plan.spectrum.rho;
  record.gap = plan.spectrum.gap;
  record.contraction = plan.contraction;
  record.measured = measured;
  const auto ends = edge_list(plan.graph);
  for (std::size_t e = 0; e < ends.size(); e += 2) record.edges.emplace_back(ends[e], ends[e + 1]);
  // A period, or the first rounds of random ones; no more than fits a log that is rewritten often.
  constexpr std::int64_t most_rounds = 64, most_numbers = 1 << 22;
  const std::int64_t fit =
      std::max<std::int64_t>(most_numbers / (record.agents * record.agents), 1);
  record.period = plan.mixing.period();
  record.matrices = std::min(record.period > 0 ? record.period : most_rounds, fit);
  for (std::int64_t r = 0; r < record.matrices; ++r) {
    const std::vector<double> rows = dense_rows(plan.mixing.at(r));
    record.w.insert(record.w.end(), rows.begin(), rows.end());
  }
  return record;
}

}  // namespace parley
