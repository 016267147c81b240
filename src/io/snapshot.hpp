// SPDX-License-Identifier: BSD-3-Clause
// Snapshots: parameters for reading, written by all ranks collectively. Host only: rows arrive
// packed.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/agents.hpp"
#include "core/layout.hpp"
#include "core/state.hpp"
#include "io/provenance.hpp"

namespace parley {

/// What a snapshot holds; spans are packed host rows of `type` (f32 or f64).
struct SnapshotData {
  std::int64_t iteration = 0;
  ElementType type = ElementType::f32;
  std::span<const std::byte> parameters;  ///< local_agents x dim
  std::span<const std::byte> mean;        ///< dim, the same on all ranks
  std::span<const std::byte> average;     ///< dim, empty where none is kept
  std::string average_name = "ema";       ///< of its data set: "ema" | "average"
  std::span<const std::byte> samples;     ///< n x features, used from rank 0; may be empty
  std::vector<std::int64_t> sample_shape;
  std::string sample_source;  ///< "mean" or average_name
  bool has_samples = false;   ///< the same on all ranks
};

/// Writes `file` collectively under a temporary name, reads it back and renames it. Every rank
/// takes part, also one without agents. RunError on all ranks when any fails.
void write_snapshot(MPI_Comm comm, const std::filesystem::path& file, const Agents& agents,
                    const Layout& layout, const Provenance& provenance, const SnapshotData& data);

/// One row set of a snapshot read back, converted to double; each rank reads alone.
struct SnapshotRows {
  std::int64_t rows = 0, dim = 0;
  std::vector<double> values;  ///< rows x dim
};
/// `dataset`: "mean", "ema", "average" or "parameters". UserError when the file or the data set is
/// missing or the layout's names and sizes differ from `layout`.
SnapshotRows read_snapshot(const std::filesystem::path& file, const std::string& dataset,
                           const Layout& layout);

}  // namespace parley
