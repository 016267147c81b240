// SPDX-License-Identifier: BSD-3-Clause
// The folder of a run: where its files lie, and that nobody's earlier run is lost. One rank's
// business.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "deck/deck.hpp"

namespace parley {

/// What may happen to an earlier run in the same folder.
enum class Earlier { refuse, replace, keep };

class RunFolder {
 public:
  /// run.output of the deck, or runs/<name>.
  explicit RunFolder(const Deck& deck);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path log() const { return path_ / "log.h5"; }
  std::filesystem::path restarts() const { return path_ / "restart"; }
  std::filesystem::path snapshot(std::int64_t iteration) const;

  /// Makes the folders. UserError when an earlier run is there and must be refused.
  void prepare(Earlier earlier) const;
  /// Removes what a run writes, and nothing else.
  void clear() const;
  /// Writes the resolved deck; RunError when the disk does not take it.
  void write_deck(const std::string& text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace parley
