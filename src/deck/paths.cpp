// SPDX-License-Identifier: BSD-3-Clause
// Look-up of input files.
#include "deck/paths.hpp"

#include <filesystem>

#include "core/check.hpp"

namespace parley {

std::string find_input(const Deck& deck, const std::string& name, const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path file(name);
  const fs::path beside = fs::path(deck.file).parent_path() / file;
  if (fs::is_regular_file(beside)) return beside.string();
  if (fs::is_regular_file(file)) return file.string();
  const std::string folder = fs::path(deck.file).parent_path().string();
  fail_user("{} = \"{}\": no such file beside the deck ({}) or in the working directory ({})",
            deck.where(path), name, folder.empty() ? "." : folder, fs::current_path().string());
}

}  // namespace parley
