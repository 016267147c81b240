// SPDX-License-Identifier: BSD-3-Clause
// Restarts: a StateList to a shared file and back.
#include "io/restart.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "core/agree.hpp"
#include "core/check.hpp"
#include "io/durable.hpp"
#include "io/entries.hpp"
#include "io/restart_files.hpp"

namespace parley {

namespace {

namespace fs = std::filesystem;

/// The group of all entries.
constexpr const char* group = "state/";

/// Names and shapes of the file are those of the state.
void expect_entries(const h5::File& file, const Agents& agents, const StateList& state) {
  std::vector<std::string> expected;
  for (const StateEntry& entry : state.entries()) expected.push_back(entry.name);
  std::sort(expected.begin(), expected.end());
  const auto found = file.exists("state") ? file.list("state") : std::vector<std::string>{};
  std::vector<std::string> missing, unknown;
  std::set_difference(expected.begin(), expected.end(), found.begin(), found.end(),
                      std::back_inserter(missing));
  std::set_difference(found.begin(), found.end(), expected.begin(), expected.end(),
                      std::back_inserter(unknown));
  if (!missing.empty() || !unknown.empty()) {
    fail_run("the state differs: missing in the file: [{}], unknown to this run: [{}]",
             fmt::join(missing, " "), fmt::join(unknown, " "));
  }
  for (const StateEntry& entry : state.entries()) {
    const h5::DatasetInfo info = file.info(group + entry.name);
    const h5::Shape shape = shape_of(entry, agents);
    if (info.text || info.type != entry.type) fail_run("'{}' has another type", entry.name);
    if (info.shape != shape) {
      fail_run("'{}' has the shape {} in the file and {} in this run", entry.name,
               fmt::join(info.shape, " x "), fmt::join(shape, " x "));
    }
  }
}

/// What rank 0 says of a generation whose checksum holds.
RestartInfo read_info(const fs::path& generation) {
  const h5::File file = h5::File::open(generation);
  RestartInfo info;
  info.file = generation;
  info.iteration = file.read_int("/", "iteration");
  info.deck = file.read_text("deck");
  info.bit_class = file.read_string("/", "bit_class");
  info.ranks = file.read_int("/", "ranks");
  return info;
}

std::optional<RestartInfo> look(const fs::path& folder) {
  std::vector<std::string> skipped;
  for (const std::int64_t iteration : list_generations(folder)) {
    const fs::path generation = generation_file(folder, iteration);
    const std::string damage = find_damage(generation);
    if (damage.empty()) {
      RestartInfo info = read_info(generation);
      info.skipped = std::move(skipped);
      return info;
    }
    skipped.push_back(damage);
  }
  return std::nullopt;
}

void share(MPI_Comm comm, std::string& text) {
  std::int64_t size = static_cast<std::int64_t>(text.size());
  MPI_Bcast(&size, 1, MPI_INT64_T, 0, comm);
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, comm);
}

void share(MPI_Comm comm, RestartInfo& info) {
  std::string file = info.file.string();
  share(comm, file);
  info.file = file;
  share(comm, info.deck);
  share(comm, info.bit_class);
  std::int64_t numbers[3] = {info.iteration, info.ranks,
                             static_cast<std::int64_t>(info.skipped.size())};
  MPI_Bcast(numbers, 3, MPI_INT64_T, 0, comm);
  info.iteration = numbers[0];
  info.ranks = numbers[1];
  info.skipped.resize(static_cast<std::size_t>(numbers[2]));
  for (std::string& each : info.skipped) share(comm, each);
}

}  // namespace

void write_restart(MPI_Comm comm, const fs::path& folder, const Agents& agents,
                   const StateList& state, const Provenance& provenance, std::int64_t iteration,
                   std::int64_t keep) {
  ensure(keep >= 1, "write_restart: at least one generation is kept");
  const fs::path temporary = temporary_of(generation_file(folder, iteration));
  const Step step = make_step(comm, "writing the restart " + temporary.string());
  std::optional<h5::File> file(create_shared(step, comm, temporary, agents, state));
  step([&] {
    write_provenance(*file, provenance);
    file->write_attribute("/", "iteration", iteration);
  });
  write_entries(step, *file, group, agents, state);
  step([&] { file->close(); });
  step([&] { sync_file(temporary); });
  step([&] { file.emplace(h5::File::open(temporary, comm)); });
  verify_entries(step, *file, group, agents, state);
  step([&] { file->close(); });
  step([&] {
    if (agents.rank() != 0) return;
    publish_generation(folder, iteration);
    remove_old_generations(folder, iteration, keep);
  });
}

std::optional<RestartInfo> find_restart(MPI_Comm comm, const fs::path& folder) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::optional<RestartInfo> info;
  agree(comm, "looking for a restart in " + folder.string(), [&] {
    if (rank == 0) info = look(folder);
  });
  int found = info.has_value() ? 1 : 0;
  MPI_Bcast(&found, 1, MPI_INT, 0, comm);
  if (found == 0) return std::nullopt;
  if (!info) info.emplace();
  share(comm, *info);
  return info;
}

void read_restart(MPI_Comm comm, const RestartInfo& info, const Agents& agents,
                  const StateList& state) {
  const Step step = make_step(comm, "reading the restart " + info.file.string());
  std::optional<h5::File> file;
  step([&] { file.emplace(h5::File::open(info.file, comm)); });
  step([&] { expect_entries(*file, agents, state); });
  std::vector<std::byte> buffer;
  for (const StateEntry& entry : state.entries()) {
    step([&] { buffer = read_entry(*file, group + entry.name, entry, agents); });
    step([&] { entry.load(buffer); });
  }
  step([&] { file->close(); });
}

void clear_restarts(MPI_Comm comm, const fs::path& folder) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  agree(comm, "removing the restarts in " + folder.string(), [&] {
    if (rank != 0 || !fs::is_directory(folder)) return;
    fs::remove(folder / "latest");
    remove_old_generations(folder, -1, 1);
  });
}

}  // namespace parley
