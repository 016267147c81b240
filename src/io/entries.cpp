// SPDX-License-Identifier: BSD-3-Clause
// Writing, reading and comparing state entries on all ranks.
#include "io/entries.hpp"

#include <optional>

#include "core/agree.hpp"
#include "core/check.hpp"
#include "io/durable.hpp"

namespace parley {

namespace {

/// Bytes of an entry on this rank.
std::size_t bytes_of(const StateEntry& entry, const Agents& agents) {
  const std::int64_t elements = entry.per_agent ? agents.count() * entry.width : entry.width;
  return static_cast<std::size_t>(elements) * size_of(entry.type);
}

std::vector<std::byte> save(const StateEntry& entry, const Agents& agents) {
  std::vector<std::byte> buffer(bytes_of(entry, agents));
  entry.save(buffer);
  return buffer;
}

}  // namespace

Step make_step(MPI_Comm comm, const std::string& what) {
  return [comm, what](const std::function<void()>& work) { agree(comm, what, work); };
}

h5::Shape shape_of(const StateEntry& entry, const Agents& agents) {
  return entry.per_agent ? h5::Shape{agents.total(), entry.width} : h5::Shape{entry.width};
}

std::vector<std::byte> read_entry(const h5::File& file, const std::string& name,
                                  const StateEntry& entry, const Agents& agents) {
  std::vector<std::byte> buffer(bytes_of(entry, agents));
  if (entry.per_agent) {
    file.read_rows(name, agents.first(), agents.count(), entry.type, buffer);
  } else {
    file.read(name, entry.type, buffer);
  }
  return buffer;
}

h5::File create_shared(const Step& step, MPI_Comm comm, const std::filesystem::path& file,
                       const Agents& agents, const StateList& entries) {
  step([&] {
    if (agents.rank() != 0) return;
    std::size_t bytes = 0;
    for (const StateEntry& entry : entries.entries()) {
      const auto elements = static_cast<std::size_t>(h5::count_of(shape_of(entry, agents)));
      bytes += elements * size_of(entry.type);
    }
    if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path());
    expect_room(file, bytes);
  });
  std::optional<h5::File> out;
  step([&] { out.emplace(h5::File::create(file, comm)); });
  return std::move(*out);
}

void write_entries(const Step& step, h5::File& file, const std::string& group, const Agents& agents,
                   const StateList& entries) {
  std::vector<std::byte> buffer;
  for (const StateEntry& entry : entries.entries()) {
    step([&] { buffer = save(entry, agents); });
    step([&] {
      const std::string name = group + entry.name;
      if (!entry.per_agent) return file.write(name, entry.type, shape_of(entry, agents), buffer);
      file.create_dataset(name, entry.type, shape_of(entry, agents));
      file.write_rows(name, agents.first(), agents.count(), entry.type, buffer);
    });
  }
}

void verify_entries(const Step& step, const h5::File& file, const std::string& group,
                    const Agents& agents, const StateList& entries) {
  std::vector<std::byte> stored;
  for (const StateEntry& entry : entries.entries()) {
    step([&] { stored = read_entry(file, group + entry.name, entry, agents); });
    step([&] {
      if (stored == save(entry, agents)) return;
      fail_run("'{}' came back from the disk with other bits than were written", entry.name);
    });
  }
}

}  // namespace parley
