// SPDX-License-Identifier: BSD-3-Clause
// Progress lines.
#include "io/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace parley {

Progress::Progress(std::int64_t first, std::int64_t iterations, double wall_before)
    : first_(first), iterations_(iterations), wall_before_(wall_before) {}

void Progress::print(const Recorder& log) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  const auto k = static_cast<std::int64_t>(log.last("iteration"));
  const double wall = log.last("wall_total");
  const bool last = k >= iterations_;
  if (headline_ && !last && now - printed_ < 1s) return;
  printed_ = now;
  if (!headline_) {
    fmt::print("{:>9} {:>5} {:>8} {:>9} {:>10} {:>10} {:>10} {:>10} {:>9} {:>8}\n", "iteration",
               "done", "wall", "s/iter", "loss_x", "loss_y", "field", "consensus", "sent", "left");
    headline_ = true;
  }
  const double done = static_cast<double>(std::max<std::int64_t>(k - first_, 1));
  const double rate = k > first_ ? (wall - wall_before_) / done : 0;
  const double left = rate * static_cast<double>(iterations_ - k);
  const double share =
      iterations_ > 0 ? 100.0 * static_cast<double>(k) / static_cast<double>(iterations_) : 100.0;
  fmt::print("{:>9} {:>4.0f}% {:>8} {:>9.2e} {:>10.3e} {:>10.3e} {:>10.3e} {:>10.3e} {:>9} {:>8}\n",
             k, share, format_seconds(wall), rate, log.last("loss_x"), log.last("loss_y"),
             log.last("field_norm"), log.last("consensus_x") + log.last("consensus_y"),
             format_bytes(log.last("bytes")), k > first_ ? format_seconds(left) : "?");
  std::fflush(stdout);
}

std::string format_bytes(double bytes) {
  if (bytes < 1e3) return fmt::format("{:.0f} B", bytes);
  if (bytes < 1e6) return fmt::format("{:.1f} kB", bytes / 1e3);
  if (bytes < 1e9) return fmt::format("{:.1f} MB", bytes / 1e6);
  return fmt::format("{:.2f} GB", bytes / 1e9);
}

std::string format_seconds(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f}s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole % 3600 / 60);
}

}  // namespace parley
