// SPDX-License-Identifier: BSD-3-Clause
// Reads log.h5 by the schema.
#include "io/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "io/h5.hpp"

namespace parley {

namespace {

namespace fs = std::filesystem;

/// "log.h5", "snapshots/00000100.h5", ... with sizes, sorted.
std::string files_of(const fs::path& folder) {
  std::vector<std::string> lines;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    lines.push_back(fmt::format("  {:<40} {:>12} bytes\n",
                                fs::relative(entry.path(), folder).string(), entry.file_size()));
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace

std::string show_run(const fs::path& folder) {
  const fs::path file = folder / "log.h5";
  if (!fs::exists(file)) {
    fail_user("{}: no log.h5; name the folder of a run, such as runs/digits", folder.string());
  }
  const auto log = h5::File::open(file);
  std::string text;
  for (const char* key :
       {"name", "game", "method", "parley_version", "git", "bit_class", "hosts"}) {
    text += fmt::format("{:<16} {}\n", key, log.read_string("/", key));
  }
  for (const char* key : {"agents", "ranks", "seed"}) {
    text += fmt::format("{:<16} {}\n", key, log.read_int("/", key));
  }
  text += fmt::format("{:<16} {}, rho {:.6g}\n", "graph", log.read_string("/graph", "kind"),
                      log.read_double("/graph", "rho"));
  const auto iterations = log.read<std::int64_t>("/log/iteration");
  text += fmt::format("{:<16} {}\n", "records", iterations.size());
  if (!iterations.empty()) {
    text += "latest record\n";
    for (const std::string& column : log.list("/log")) {
      const std::string name = "/log/" + column;
      const auto values = log.read<double>(name);
      text += fmt::format("  {:<24} {:>14.6g} {:<6} {}\n", column, values.back(),
                          log.read_string(name, "unit"), log.read_string(name, "meaning"));
    }
  }
  return text + "files\n" + files_of(folder);
}

}  // namespace parley
