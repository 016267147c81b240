// SPDX-License-Identifier: BSD-3-Clause
// Restarts: the full state of a run, two generations, written so that a kill at any moment leaves a
// valid one. Walks a StateList and knows no owner of state.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/agents.hpp"
#include "core/state.hpp"
#include "io/provenance.hpp"

namespace parley {

/// A restart that has been found and verified.
struct RestartInfo {
  std::filesystem::path file;
  std::int64_t iteration = 0;
  std::string deck;       ///< the resolved deck of the run that wrote it
  std::string bit_class;  ///< of that run
  std::int64_t ranks = 1;
  /// Newer generations that were passed over, each with the reason: for the run to report.
  std::vector<std::string> skipped;
};

/// Writes generation `iteration` collectively into `folder` (RUN/restart): temporary name, fsync,
/// read back and compared on every rank, checksum beside it, rename, `latest` last. Then removes
/// generations beyond the newest `keep`, and those of later iterations, which belong to a future
/// that this run has left. RunError on all ranks when any fails; the older generations then stay.
void write_restart(MPI_Comm comm, const std::filesystem::path& folder, const Agents& agents,
                   const StateList& state, const Provenance& provenance, std::int64_t iteration,
                   std::int64_t keep);

/// The newest restart whose checksum holds, older ones tried in turn; nothing when there is none.
/// Collective: rank 0 looks, all get the answer. Never opens a file whose checksum fails. Goes by
/// the names and checksums of the files; `latest` is for people and scripts.
std::optional<RestartInfo> find_restart(MPI_Comm comm, const std::filesystem::path& folder);

/// Fills every entry of `state` from the file, on any number of ranks. RunError when an entry is
/// missing, has another type or width, or the file holds one that `state` does not list.
void read_restart(MPI_Comm comm, const RestartInfo& info, const Agents& agents,
                  const StateList& state);

/// Removes all generations, collectively: a run that begins anew must not leave those of a former
/// one to be found.
void clear_restarts(MPI_Comm comm, const std::filesystem::path& folder);

}  // namespace parley
