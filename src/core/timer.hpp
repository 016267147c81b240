// SPDX-License-Identifier: BSD-3-Clause
// Seconds and counts of the named parts of a run, and their table over the ranks. Knows no Kokkos:
// profiling regions arrive as two callbacks.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace parley {

class Timers {
 public:
  struct Entry {
    double seconds = 0;
    std::int64_t count = 0;
  };
  using Push = std::function<void(const std::string& name)>;
  using Pop = std::function<void()>;

  /// Adds the time of its life to one entry. Scopes of different names may be nested; the outer one
  /// includes the inner.
  class Scope {
   public:
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope();

   private:
    friend class Timers;
    Scope(const Timers& owner, Entry& entry) : owner_(owner), entry_(entry) {}
    const Timers& owner_;
    Entry& entry_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  };

  /// `push` and `pop` are called at the begin and end of each scope.
  explicit Timers(Push push = {}, Pop pop = {}) : push_(std::move(push)), pop_(std::move(pop)) {}
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;

  /// `const auto timing = timers.scope("field");`
  [[nodiscard]] Scope scope(std::string_view name);
  /// Seconds under a name so far; 0 when there was no such scope.
  double seconds(std::string_view name) const;
  const std::map<std::string, Entry, std::less<>>& entries() const { return entries_; }

 private:
  Push push_;
  Pop pop_;
  std::map<std::string, Entry, std::less<>> entries_;  ///< a map: scopes keep references
};

/// One line of the table: seconds over the ranks (0 on a rank without such a scope), and the
/// largest count.
struct TimerRow {
  std::string name;
  double min = 0, mean = 0, max = 0;
  std::int64_t count = 0;
};

/// Collective; the same rows on all ranks, longest mean first. Ranks may have different names.
std::vector<TimerRow> reduce_timers(MPI_Comm comm, const Timers& timers);

/// The rows as text, one line each below a headline.
std::string format_timers(const std::vector<TimerRow>& rows);

}  // namespace parley
