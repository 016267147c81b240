// SPDX-License-Identifier: BSD-3-Clause
// Timers and their reduction over ranks.
#include "core/timer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <sstream>

namespace parley {

Timers::Scope::~Scope() {
  const auto end = std::chrono::steady_clock::now();
  entry_.seconds += std::chrono::duration<double>(end - begin_).count();
  ++entry_.count;
  if (owner_.pop_) owner_.pop_();
}

Timers::Scope Timers::scope(std::string_view name) {
  auto found = entries_.find(name);
  if (found == entries_.end()) found = entries_.emplace(name, Entry{}).first;
  if (push_) push_(found->first);
  return {*this, found->second};
}

double Timers::seconds(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? 0 : found->second.seconds;
}

namespace {

/// The names of all ranks, in alphabetical order.
std::set<std::string> gather_names(MPI_Comm comm, const Timers& timers) {
  std::string mine;
  for (const auto& [name, entry] : timers.entries()) mine += name + '\n';
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(ranks)), begins(lengths.size());
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, comm);
  std::exclusive_scan(lengths.begin(), lengths.end(), begins.begin(), 0);
  std::string all(static_cast<std::size_t>(begins.back() + lengths.back()), '\0');
  MPI_Allgatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(), MPI_CHAR,
                 comm);
  std::set<std::string> names;
  std::istringstream lines(all);
  for (std::string line; std::getline(lines, line);) names.insert(line);
  return names;
}

std::vector<double> reduce(MPI_Comm comm, const std::vector<double>& values, MPI_Op op) {
  std::vector<double> out(values.size());
  MPI_Allreduce(values.data(), out.data(), static_cast<int>(values.size()), MPI_DOUBLE, op, comm);
  return out;
}

}  // namespace

std::vector<TimerRow> reduce_timers(MPI_Comm comm, const Timers& timers) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  const auto names = gather_names(comm, timers);
  std::vector<double> seconds, counts;
  for (const auto& name : names) {
    const auto found = timers.entries().find(name);
    const Timers::Entry entry = found == timers.entries().end() ? Timers::Entry{} : found->second;
    seconds.push_back(entry.seconds);
    counts.push_back(static_cast<double>(entry.count));
  }
  const auto min = reduce(comm, seconds, MPI_MIN), sum = reduce(comm, seconds, MPI_SUM);
  const auto max = reduce(comm, seconds, MPI_MAX), most = reduce(comm, counts, MPI_MAX);
  std::vector<TimerRow> rows;
  std::size_t i = 0;
  for (const auto& name : names) {
    rows.push_back({name, min[i], sum[i] / ranks, max[i], static_cast<std::int64_t>(most[i])});
    ++i;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const TimerRow& a, const TimerRow& b) { return a.mean > b.mean; });
  return rows;
}

std::string format_timers(const std::vector<TimerRow>& rows) {
  std::size_t width = 4;
  for (const auto& row : rows) width = std::max(width, row.name.size());
  std::string text = fmt::format("{:<{}} {:>10} {:>10} {:>10} {:>10}\n", "part", width, "min s",
                                 "mean s", "max s", "count");
  for (const auto& row : rows) {
    text += fmt::format("{:<{}} {:>10.3f} {:>10.3f} {:>10.3f} {:>10}\n", row.name, width, row.min,
                        row.mean, row.max, row.count);
  }
  return text;
}

}  // namespace parley
