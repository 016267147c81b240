// SPDX-License-Identifier: BSD-3-Clause
// The flag word of the iteration loop: one rank's wish to stop reaches all ranks at the same
// iteration, without a barrier. Knows nothing of what the loop does with it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace parley {

/// Bits of the word; the values of several ranks are or-ed.
enum class Flag : std::uint32_t {
  signal_stop = 1,      ///< a signal asks for an early stop
  walltime = 2,         ///< run.walltime is nearly used up
  failure = 4,          ///< a non-finite row
  quality_reached = 8,  ///< run.until holds
  restart_due = 16,     ///< record.restart_seconds have passed
};

/// One non-blocking reduction per iteration k, consumed at k + lag on every rank.
class Flags {
 public:
  static constexpr std::int64_t default_lag = 8;

  /// Collective: works on a duplicate of `comm`.
  explicit Flags(MPI_Comm comm, std::int64_t lag = default_lag);
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;
  /// Waits for what was posted, unless an exception is under way: then other ranks may never post.
  ~Flags();

  /// Starts the reduction of iteration k; every rank posts every k, in order, from any first k on.
  void post(std::int64_t k, std::uint32_t word);
  /// The or of all ranks' words of iteration k - lag, waiting for that reduction; 0 when k - lag
  /// lies before the first post. To be called once per k, after post(k).
  std::uint32_t consume(std::int64_t k);
  /// Waits for every reduction under way and returns the or of their words; every rank has posted
  /// the same iterations. Afterwards the posts may begin at any k again.
  std::uint32_t finish();

  static bool holds(std::uint32_t word, Flag flag) {
    return (word & static_cast<std::uint32_t>(flag)) != 0;
  }

 private:
  struct Slot {
    std::uint32_t mine = 0, all = 0;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  Slot& slot(std::int64_t k);

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::int64_t lag_;
  std::unique_ptr<std::vector<Slot>> slots_;  ///< lag + 1; MPI writes into them
  std::int64_t first_ = 0, last_ = -1;        ///< posted iterations; none when last < first
  int exceptions_;
};

}  // namespace parley
