// SPDX-License-Identifier: BSD-3-Clause
// What a restart must hold: every owner of state lists it here, and restart walks the list and
// knows nobody. Host only; knows neither Real nor Kokkos (device rows come as callbacks).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parley {

enum class ElementType { f32, f64, i64, u8 };
std::size_t size_of(ElementType type);
/// float32, float64, int64 or uint8.
std::string_view name_of(ElementType type);

/// One entry: rows of this rank's agents (one row of `width` packed elements per local agent,
/// stored in the file by agent id, so that any number of ranks can read it back), or a value that
/// all ranks hold alike.
struct StateEntry {
  std::string name;
  ElementType type = ElementType::f64;
  bool per_agent = true;
  std::int64_t width = 1;  ///< elements per row; of the whole value when replicated
  /// Copies the state out: local_agents x width packed elements (width when replicated).
  std::function<void(std::span<std::byte>)> save;
  /// Copies the state in, from the same form.
  std::function<void(std::span<const std::byte>)> load;
};

/// The state of one owner (method, channel, game, sampler, recorder), names unique within a run.
class StateList {
 public:
  void add(StateEntry entry) { entries_.push_back(std::move(entry)); }
  /// A counter or number that all ranks hold alike.
  void scalar(std::string name, std::int64_t& value);
  void scalar(std::string name, double& value);
  /// Takes over another owner's entries under "prefix/name".
  void append(const std::string& prefix, const StateList& other);
  const std::vector<StateEntry>& entries() const { return entries_; }

 private:
  std::vector<StateEntry> entries_;
};

}  // namespace parley
