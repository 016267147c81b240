// SPDX-License-Identifier: BSD-3-Clause
// What a run prints: one flushed line per record on rank 0, at most one a second. No live line:
// under mpirun every rank's output looks like a terminal. Knows the log's columns by name, nothing
// else.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "io/recorder.hpp"

namespace parley {

class Progress {
 public:
  /// Iterations of the run; those done and the wall time spent before this program (a resume).
  Progress(std::int64_t first, std::int64_t iterations, double wall_before);
  /// Prints the last row of the log unless a line was printed less than a second ago; always for
  /// the last iteration.
  void print(const Recorder& log);

 private:
  std::int64_t first_, iterations_;
  double wall_before_;
  bool headline_ = false;
  std::chrono::steady_clock::time_point printed_{};
};

/// "1.2 MB"; SI prefixes.
std::string format_bytes(double bytes);
/// "2m05s"
std::string format_seconds(double seconds);

}  // namespace parley
