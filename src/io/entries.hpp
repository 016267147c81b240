// SPDX-License-Identifier: BSD-3-Clause
// State entries in a shared file: written by all ranks, then read back and compared, because Open
// MPI's collective writes can lose an error of the disk. Private to restart.cpp and snapshot.cpp.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/agents.hpp"
#include "core/state.hpp"
#include "io/h5.hpp"

namespace parley {

/// Runs one piece of work and agrees on its outcome, so that no rank enters a collective call that
/// another has left.
using Step = std::function<void(const std::function<void()>&)>;
Step make_step(MPI_Comm comm, const std::string& what);

/// Shape of an entry's data set: M x width by agent id, or width.
h5::Shape shape_of(const StateEntry& entry, const Agents& agents);

/// Reads this rank's part of an entry from data set `name`; collective on a shared file.
std::vector<std::byte> read_entry(const h5::File& file, const std::string& name,
                                  const StateEntry& entry, const Agents& agents);

/// Creates, on rank 0's word, a file that all ranks then fill. RunError on all ranks when the disk
/// has no room for `entries`: HDF5 1.10 crashes at exit when it finds out by itself.
h5::File create_shared(const Step& step, MPI_Comm comm, const std::filesystem::path& file,
                       const Agents& agents, const StateList& entries);

/// Writes every entry as data set group + name.
void write_entries(const Step& step, h5::File& file, const std::string& group, const Agents& agents,
                   const StateList& entries);

/// Reads every entry back and compares it with what it saves now.
void verify_entries(const Step& step, const h5::File& file, const std::string& group,
                    const Agents& agents, const StateList& entries);

}  // namespace parley
