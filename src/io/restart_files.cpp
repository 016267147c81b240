// SPDX-License-Identifier: BSD-3-Clause
// Restart folders: listing, checking, publishing, removing.
#include "io/restart_files.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>

#include "core/check.hpp"

namespace parley {

namespace {

namespace fs = std::filesystem;

/// The iteration of a file named like a generation; -1 for any other name.
std::int64_t iteration_of(const std::string& name) {
  const auto dot = name.find(".h5");
  std::int64_t iteration = -1;
  if (dot == std::string::npos || dot < 8 || dot + 3 != name.size()) return -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + dot, iteration);
  return error == std::errc{} && end == name.data() + dot ? iteration : -1;
}

/// Lines of the checksum file: one, or two while a generation is being replaced.
std::vector<std::string> read_checksums(const fs::path& generation) {
  std::ifstream in(checksum_file_of(generation));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void remove_generation(const fs::path& generation) {
  fs::remove(generation);
  fs::remove(checksum_file_of(generation));
}

}  // namespace

fs::path generation_file(const fs::path& folder, std::int64_t iteration) {
  return folder / fmt::format("{:08}.h5", iteration);
}

fs::path checksum_file_of(const fs::path& generation) {
  return generation.string() + ".sum";
}

fs::path temporary_of(const fs::path& generation) {
  return generation.string() + ".tmp";
}

std::vector<std::int64_t> list_generations(const fs::path& folder) {
  std::vector<std::int64_t> found;
  if (!fs::is_directory(folder)) return found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::int64_t iteration = iteration_of(entry.path().filename().string());
    if (iteration >= 0) found.push_back(iteration);
  }
  std::sort(found.begin(), found.end(), std::greater<>());
  return found;
}

std::string find_damage(const fs::path& generation) {
  const auto lines = read_checksums(generation);
  if (lines.empty()) return generation.string() + ": no checksum beside it";
  const std::string text = checksum_file(generation).text();
  if (std::find(lines.begin(), lines.end(), text) != lines.end()) return {};
  return fmt::format("{}: damaged: '{}' instead of '{}'", generation.string(), text, lines.back());
}

void publish_generation(const fs::path& folder, std::int64_t iteration) {
  const fs::path generation = generation_file(folder, iteration);
  const fs::path temporary = temporary_of(generation);
  const std::string line = checksum_file(temporary).text() + "\n";
  std::string former;
  if (fs::exists(generation)) {
    for (const auto& each : read_checksums(generation)) former += each + "\n";
  }
  write_text_durably(checksum_file_of(generation), former + line);
  move_into_place(temporary, generation);
  if (!former.empty()) write_text_durably(checksum_file_of(generation), line);
  write_text_durably(folder / "latest", generation.filename().string() + "\n");
}

void remove_old_generations(const fs::path& folder, std::int64_t iteration, std::int64_t keep) {
  std::int64_t kept = 0;
  for (const std::int64_t each : list_generations(folder)) {
    if (each > iteration || kept >= keep) {
      remove_generation(generation_file(folder, each));
    } else {
      ++kept;
    }
  }
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    const bool lonely =
        path.extension() == ".sum" && !fs::exists(fs::path(path).replace_extension());
    if (path.extension() == ".tmp" || lonely) left.push_back(path);
  }
  for (const fs::path& path : left) fs::remove(path);
  sync_folder(folder);
}

}  // namespace parley
