// SPDX-License-Identifier: BSD-3-Clause
// Snapshots: the collective writing and the lone reading.
#include "io/snapshot.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/check.hpp"
#include "io/durable.hpp"
#include "io/entries.hpp"
#include "io/h5.hpp"

namespace parley {

namespace {

constexpr std::size_t shape_columns = 4;  ///< of /layout/shape, zero padded

void write_layout(h5::File& file, const Layout& layout) {
  std::vector<std::string> names;
  std::vector<std::int64_t> offsets, sizes, players, shapes;
  for (const Block& block : layout.blocks()) {
    ensure(block.shape.size() <= shape_columns, "snapshot: a block has at most four dimensions");
    names.push_back(block.name);
    offsets.push_back(block.packed);
    sizes.push_back(block.size);
    players.push_back(static_cast<std::int64_t>(block.player));
    std::vector<std::int64_t> shape = block.shape;
    shape.resize(shape_columns, 0);
    shapes.insert(shapes.end(), shape.begin(), shape.end());
  }
  file.write_texts("layout/name", names);
  file.write("layout/offset", offsets);
  file.write("layout/size", sizes);
  file.write("layout/player", players);
  file.write("layout/shape", {static_cast<std::int64_t>(names.size()), shape_columns},
             std::span<const std::int64_t>(shapes));
}

/// Shape of /samples, of which rank 0 knows the number of samples; empty without samples.
h5::Shape share_sample_shape(MPI_Comm comm, const SnapshotData& data) {
  if (!data.has_samples) return {};
  const std::int64_t features = h5::count_of(data.sample_shape);
  ensure(features > 0, "snapshot: samples have features");
  const auto bytes = static_cast<std::int64_t>(size_of(data.type)) * features;
  std::int64_t count = static_cast<std::int64_t>(data.samples.size()) / bytes;
  MPI_Bcast(&count, 1, MPI_INT64_T, 0, comm);
  return {count, features};
}

void write_samples(h5::File& file, const SnapshotData& data, const h5::Shape& shape) {
  file.write("samples", data.type, shape, data.samples);
  file.write_attribute("samples", "shape", std::span<const std::int64_t>(data.sample_shape));
  file.write_attribute("samples", "source", std::string_view(data.sample_source));
}

/// Every rank reads; those that have the samples compare.
void verify_samples(const h5::File& file, const SnapshotData& data, const h5::Shape& shape) {
  std::vector<std::byte> stored(static_cast<std::size_t>(h5::count_of(shape)) * size_of(data.type));
  file.read("samples", data.type, stored);
  if (data.samples.empty() || std::ranges::equal(stored, data.samples)) return;
  fail_run("the samples came back from the disk with other bits than were written");
}

StateEntry fixed_entry(const std::string& name, const SnapshotData& data, std::int64_t dim,
                       std::span<const std::byte> bytes) {
  StateEntry entry;
  entry.name = name;
  entry.type = data.type;
  entry.width = dim;
  entry.per_agent = false;
  entry.save = [bytes](std::span<std::byte> out) {
    ensure(bytes.size() == out.size(), "snapshot: rows have dim elements");
    std::ranges::copy(bytes, out.begin());
  };
  return entry;
}

/// The rows of a snapshot as entries.
StateList list_rows(const SnapshotData& data, std::int64_t dim) {
  StateList rows;
  StateEntry parameters = fixed_entry("parameters", data, dim, data.parameters);
  parameters.per_agent = true;
  rows.add(std::move(parameters));
  rows.add(fixed_entry("mean", data, dim, data.mean));
  if (!data.average.empty()) rows.add(fixed_entry(data.average_name, data, dim, data.average));
  return rows;
}

void expect_layout(const h5::File& file, const std::string& path, const Layout& layout) {
  const auto names = file.read_texts("layout/name");
  const auto sizes = file.read<std::int64_t>("layout/size");
  const auto& blocks = layout.blocks();
  if (names.size() != blocks.size() || sizes.size() != blocks.size()) {
    fail_user(
        "{}: the snapshot has {} blocks of parameters, this game has {}; the snapshot must "
        "come from the same game and networks",
        path, names.size(), blocks.size());
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (names[i] == blocks[i].name && sizes[i] == blocks[i].size) continue;
    fail_user(
        "{}: block {} of the snapshot is '{}' with {} parameters, this game's is '{}' with "
        "{}; the snapshot must come from the same game and networks",
        path, i, names[i], sizes[i], blocks[i].name, blocks[i].size);
  }
}

}  // namespace

void write_snapshot(MPI_Comm comm, const std::filesystem::path& file, const Agents& agents,
                    const Layout& layout, const Provenance& provenance, const SnapshotData& data) {
  const std::filesystem::path temporary = file.string() + ".tmp";
  const Step step = make_step(comm, "writing the snapshot " + file.string());
  const StateList rows = list_rows(data, layout.dim());
  const h5::Shape shape = share_sample_shape(comm, data);
  std::optional<h5::File> out(create_shared(step, comm, temporary, agents, rows));
  step([&] {
    write_provenance(*out, provenance);
    out->write_attribute("/", "iteration", data.iteration);
    write_layout(*out, layout);
  });
  write_entries(step, *out, "", agents, rows);
  if (data.has_samples) step([&] { write_samples(*out, data, shape); });
  step([&] { out->close(); });
  step([&] { sync_file(temporary); });
  step([&] { out.emplace(h5::File::open(temporary, comm)); });
  verify_entries(step, *out, "", agents, rows);
  if (data.has_samples) step([&] { verify_samples(*out, data, shape); });
  step([&] { out->close(); });
  step([&] {
    if (agents.rank() == 0) move_into_place(temporary, file);
  });
}

SnapshotRows read_snapshot(const std::filesystem::path& file, const std::string& dataset,
                           const Layout& layout) {
  try {
    const h5::File in = h5::File::open(file);
    if (!in.exists(dataset)) {
      fail_user("{}: the snapshot has no /{}; it has: {}", file.string(), dataset,
                fmt::join(in.list("/"), " "));
    }
    expect_layout(in, file.string(), layout);
    const h5::Shape shape = in.info(dataset).shape;
    SnapshotRows rows;
    rows.rows = shape.size() == 2 ? shape[0] : 1;
    rows.dim = shape.empty() ? 0 : shape.back();
    if (shape.size() > 2 || rows.dim != layout.dim()) {
      fail_user("{}: /{} has rows of {} parameters, this game has {}", file.string(), dataset,
                rows.dim, layout.dim());
    }
    rows.values = in.read<double>(dataset);
    return rows;
  } catch (const RunError& error) {
    throw UserError(error.what());  // the user named the file
  }
}

}  // namespace parley
