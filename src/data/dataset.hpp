// SPDX-License-Identifier: BSD-3-Clause
// The data of one rank's agents, read or generated, partitioned, in the type in which it is stored.
// Host only: the sampler on the solver's side uploads it. Knows no Kokkos.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/agents.hpp"
#include "core/state.hpp"
#include "deck/deck.hpp"

namespace parley {

/// A Gaussian mixture's truth, for its measures.
struct Mixture {
  std::vector<double> centers;  ///< modes x features, row-major
  double deviation = 0;         ///< standard deviation of every mode, each coordinate
  std::int64_t modes = 0;
};

/// What is known of the data without reading the rows: enough for a plan.
struct DataShape {
  std::vector<std::int64_t> shape;  ///< of one sample: [C, H, W] or [features]
  std::int64_t features = 0;
  std::int64_t train_rows = 0;
  std::int64_t test_rows = 0;
  ElementType type = ElementType::f32;
  std::int64_t classes = 0;  ///< of the labels; 0 without labels
  bool targets = false;      ///< rows have real-valued targets
};

/// Rows of the local agents, and the held-out rows (the same on every rank). Agents that hold the
/// same rows (partition "replicated") share one copy.
struct DataSet {
  DataShape shape;
  std::vector<std::byte> rows;           ///< local rows x features, stored type
  std::vector<std::int64_t> begin;       ///< per local agent: its first row in `rows`; it holds
                                         ///< agent_rows[its id] of them
  std::vector<std::int64_t> numbers;     ///< per local row: its number among all training rows
  std::vector<std::int64_t> labels;      ///< per local row; empty without labels
  std::vector<double> targets;           ///< per local row; empty without targets
  std::vector<std::int64_t> label_rows;  ///< training rows of each label, of all agents together
  std::vector<std::int64_t> agent_rows;  ///< rows of every agent of the run (all M)
  std::vector<std::byte> test;           ///< test rows x features, stored type
  std::vector<std::int64_t> test_labels;
  std::vector<double> test_targets;
  double scale = 1, shift = 0;  ///< value seen by the game = stored * scale + shift
  std::optional<Mixture> mixture;

  /// Rows of an agent, in the mean over the agents of the run.
  double rows_per_agent() const {
    return std::accumulate(agent_rows.begin(), agent_rows.end(), 0.0) /
           static_cast<double>(agent_rows.size());
  }
};

/// Registries of [data] kind (file, linear, ring, grid) and partition kind (iid, contiguous, label,
/// dirichlet, replicated).
std::span<const Kind> source_kinds();
std::span<const Kind> partition_kinds();

/// Reads the header of the data only. UserError with the deck's place when a file is missing or
/// does not fit the schema.
DataShape inspect_data(const Deck& deck);

/// Reads or generates the rows of the local agents. Every rank may call it alone: no MPI. The
/// result depends on (deck, agent) only, never on the number of ranks.
DataSet load_data(const Deck& deck, const Agents& agents);

}  // namespace parley
