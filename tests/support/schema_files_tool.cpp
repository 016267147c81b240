// SPDX-License-Identifier: BSD-3-Clause
// Writes one log, one snapshot and one restart with known contents into the folder given on the
// command line, for h5py and the schema reader to read. Knows no solver.
#include <mpi.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <vector>

#include "io/recorder.hpp"
#include "io/restart.hpp"
#include "io/snapshot.hpp"

namespace {

using namespace parley;
namespace fs = std::filesystem;

constexpr std::int64_t agents_total = 3;

Provenance make_provenance() {
  Provenance out = build_provenance();
  out.bit_class = "serial";
  out.mpi = "some MPI";
  out.kokkos = "3.4.1";
  out.hosts = "one two";
  out.agents = agents_total;
  out.seed = 5;
  out.name = "caf\xc3\xa9";
  out.game = "quadratic";
  out.method = "dposg";
  out.deck = "[run]\nname = \"caf\xc3\xa9\"\nagents = 3\n";
  return out;
}

void write_log(const fs::path& folder) {
  const char* names[] = {"iteration",    "epoch",      "wall_train",  "wall_total",
                         "oracle_calls", "rounds",     "bytes",       "loss_x",
                         "loss_y",       "field_norm", "consensus_x", "consensus_y"};
  std::vector<Column> columns;
  for (const std::string name : names) {
    const bool integer =
        name == "iteration" || name == "oracle_calls" || name == "rounds" || name == "bytes";
    columns.push_back({name, name.rfind("wall", 0) == 0 ? "s" : "1", "the " + name, integer});
  }
  GraphRecord graph{"ring", agents_total, 2, 0.25, 0.75, {{0, 1}, {0, 2}, {1, 2}}, {}};
  graph.w.assign(agents_total * agents_total, 1.0 / 3);
  Recorder recorder(folder / "log.h5", make_provenance(), graph, columns,
                    {{"loss_x", "1", "loss of x"}, {"loss_y", "1", "loss of y"}});
  for (int row = 0; row < 4; ++row) {
    Row values;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      values.values.push_back(100.0 * row + static_cast<double>(i));
    }
    values.values[7] = row == 2 ? std::numeric_limits<double>::quiet_NaN() : values.values[7];
    values.agents = {{0.0 + row, 1.0 + row, 2.0 + row}, {-1, -2, -3}};
    recorder.append(values);
  }
  recorder.flush();
}

void write_rows(const fs::path& folder) {
  const Agents agents(agents_total, 0, 1);
  Layout layout(16);
  layout.add("x/weight", Player::x, {2, 2});
  layout.add("y", Player::y, {3});
  std::vector<float> rows, mean, samples = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int i = 0; i < 21; ++i) rows.push_back(static_cast<float>(i) / 2);
  for (int i = 0; i < 7; ++i) mean.push_back(static_cast<float>(-i));
  SnapshotData data;
  data.iteration = 300;
  data.parameters = std::as_bytes(std::span(rows));
  data.mean = data.average = std::as_bytes(std::span(mean));
  data.samples = std::as_bytes(std::span(samples));
  data.sample_shape = {1, 2, 2};
  data.sample_source = "ema";
  data.has_samples = true;
  write_snapshot(MPI_COMM_SELF, folder / "snapshots/00000300.h5", agents, layout, make_provenance(),
                 data);
  StateList state;
  state.add({"method/moments", ElementType::f32, true, 7,
             [&](std::span<std::byte> out) { std::memcpy(out.data(), rows.data(), out.size()); },
             [](std::span<const std::byte>) {}});
  std::int64_t draw = 41;
  state.scalar("sampler/draw", draw);
  write_restart(MPI_COMM_SELF, folder / "restart", agents, state, make_provenance(), 300, 2);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 2) return 2;
  write_log(argv[1]);
  write_rows(argv[1]);
  MPI_Finalize();
  return 0;
}
