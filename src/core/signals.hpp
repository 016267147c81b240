// SPDX-License-Identifier: BSD-3-Clause
// SIGUSR1 (what a batch system sends some minutes before its limit) and SIGTERM as a wish to stop,
// which the iteration loop reads and spreads by its flag word. Knows no MPI.
#pragma once

#include <csignal>

namespace parley {

/// Catches both signals while it lives, and puts the former handlers back. One at a time.
class StopSignals {
 public:
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals();

  /// The number of the latest signal caught since construction, 0 for none.
  int caught() const;

 private:
  struct sigaction former_usr1_ {
  }, former_term_{};
};

}  // namespace parley
