// SPDX-License-Identifier: BSD-3-Clause
// One rank's failure made every rank's failure, so that nobody waits in a collective for a rank
// that has thrown. Not for the iteration loop: there, the flag word does it without a barrier.
#pragma once

#include <mpi.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace parley {

/// Runs `work` on this rank and then agrees with all ranks of `comm` (collective). When it threw
/// on any, every rank throws the same exception type (UserError, RunError or Diverged) with the
/// text of the lowest failing rank, its number and host, marked as agreed; a mistake in Parley
/// itself becomes a RunError. `what` names the work in the text ("reading the data").
void agree(MPI_Comm comm, const std::string& what, const std::function<void()>& work);

/// What `make` gives on this rank, or its error on all ranks (collective): agree() with a result.
template <class Make>
auto agreed(MPI_Comm comm, const std::string& what, const Make& make) {
  std::optional<decltype(make())> made;
  agree(comm, what, [&] { made.emplace(make()); });
  return std::move(*made);
}

}  // namespace parley
