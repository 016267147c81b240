// SPDX-License-Identifier: BSD-3-Clause
// Paths and the deck's copy.
#include "io/run_folder.hpp"

#include <fstream>

#include "core/check.hpp"

namespace parley {

namespace fs = std::filesystem;

RunFolder::RunFolder(const Deck& deck)
    : path_(deck.run.output.empty() ? fs::path("runs") / deck.run.name
                                    : fs::path(deck.run.output)) {}

fs::path RunFolder::snapshot(std::int64_t iteration) const {
  return path_ / "snapshots" / fmt::format("{:08}.h5", iteration);
}

void RunFolder::prepare(Earlier earlier) const {
  if (fs::exists(log())) {
    if (earlier == Earlier::refuse) {
      fail_user(
          "{} holds an earlier run: go on with --resume auto, replace it with --overwrite, or "
          "write elsewhere with --set 'run.output=\"FOLDER\"'",
          path_.string());
    }
    if (earlier == Earlier::replace) clear();
  }
  fs::create_directories(path_ / "snapshots");
  fs::create_directories(restarts());
}

void RunFolder::clear() const {
  for (const char* name : {"log.h5", "deck.toml", "snapshots", "restart"}) {
    fs::remove_all(path_ / name);
  }
}

void RunFolder::write_deck(const std::string& text) const {
  const fs::path file = path_ / "deck.toml";
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) fail_run("cannot write {}", file.string());
}

}  // namespace parley
