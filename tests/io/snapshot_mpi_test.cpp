// SPDX-License-Identifier: BSD-3-Clause
// Snapshots: schema, rows by agent id on any number of ranks, refusal of other games' files.
#include "io/snapshot.hpp"

#include <gtest/gtest.h>

#include "core/check.hpp"
#include "io/h5.hpp"
#include "support/file_limit.hpp"
#include "support/temp_folder.hpp"

namespace parley {
namespace {

using test::TempFolder;

Agents agents_of(std::int64_t total) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return {total, rank, ranks};
}

/// Two blocks of x and one of y; dim 9, though the rows in memory are padded.
Layout small_layout() {
  Layout layout(16);
  layout.add("generator/0/weight", Player::x, {2, 3});
  layout.add("generator/0/bias", Player::x, {2});
  layout.add("critic/0/bias", Player::y, {1});
  return layout;
}

template <class T>
struct Content {
  std::vector<T> rows, mean, ema, samples;

  Content(const Agents& agents, std::int64_t dim) {
    for (std::int64_t m = agents.first(); m < agents.first() + agents.count(); ++m) {
      for (std::int64_t j = 0; j < dim; ++j) rows.push_back(static_cast<T>(m) + T(j) / T(16));
    }
    for (std::int64_t j = 0; j < dim; ++j) mean.push_back(static_cast<T>(j));
    if (agents.rank() == 0) samples = {1, 2, 3, 4, 5, 6, 7, 8};
  }
  SnapshotData data(std::int64_t iteration) const {
    SnapshotData out;
    out.iteration = iteration;
    out.type = h5::element_type_of<T>();
    out.parameters = std::as_bytes(std::span(rows));
    out.mean = std::as_bytes(std::span(mean));
    out.average = std::as_bytes(std::span(ema));
    out.samples = std::as_bytes(std::span(samples));
    return out;
  }
};

template <class T>
void round_trip(std::int64_t total) {
  const TempFolder folder("snapshot_" + std::to_string(total), MPI_COMM_WORLD);
  const Agents agents = agents_of(total);
  const Layout layout = small_layout();
  Content<T> content(agents, layout.dim());
  content.ema = content.mean;
  SnapshotData data = content.data(500);
  data.has_samples = true;
  data.sample_shape = {1, 2, 2};
  data.sample_source = "ema";
  const auto path = folder / "snapshots/00000500.h5";
  write_snapshot(MPI_COMM_WORLD, path, agents, layout, build_provenance(), data);
  const SnapshotRows rows = read_snapshot(path, "parameters", layout);
  EXPECT_EQ(rows.rows, total);
  EXPECT_EQ(rows.dim, 9);
  for (std::int64_t i = 0; i < total * 9; ++i) {
    ASSERT_EQ(rows.values[static_cast<std::size_t>(i)],
              static_cast<double>(i / 9) + static_cast<double>(i % 9) / 16);
  }
  const SnapshotRows ema = read_snapshot(path, "ema", layout);
  EXPECT_EQ(ema.rows, 1);
  EXPECT_EQ(ema.values[8], 8);
  const h5::File file = h5::File::open(path);
  EXPECT_EQ(file.info("parameters").type, h5::element_type_of<T>());
  EXPECT_EQ(file.read_int("/", "iteration"), 500);
  EXPECT_EQ(file.info("samples").shape, (h5::Shape{2, 4}));
  EXPECT_EQ(file.read<double>("samples")[7], 8);
  EXPECT_EQ(file.read_ints("samples", "shape"), (std::vector<std::int64_t>{1, 2, 2}));
  EXPECT_EQ(file.read_string("samples", "source"), "ema");
  EXPECT_EQ(file.read_texts("layout/name"),
            (std::vector<std::string>{"generator/0/weight", "generator/0/bias", "critic/0/bias"}));
  EXPECT_EQ(file.read<std::int64_t>("layout/offset"), (std::vector<std::int64_t>{0, 6, 8}));
  EXPECT_EQ(file.read<std::int64_t>("layout/size"), (std::vector<std::int64_t>{6, 2, 1}));
  EXPECT_EQ(file.read<std::int64_t>("layout/player"), (std::vector<std::int64_t>{0, 0, 1}));
  EXPECT_EQ(file.read<std::int64_t>("layout/shape"),
            (std::vector<std::int64_t>{2, 3, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0}));
}

TEST(Snapshot, SinglePrecision) {
  round_trip<float>(7);
}
TEST(Snapshot, DoublePrecision) {
  round_trip<double>(4);
}
TEST(Snapshot, RanksWithoutAgents) {
  round_trip<double>(1);
}

/// The text of the UserError of reading.
std::string refusal(const std::filesystem::path& path, const std::string& dataset,
                    const Layout& layout) {
  try {
    read_snapshot(path, dataset, layout);
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Snapshot, OtherGamesAndMissingPartsAreRefused) {
  const TempFolder folder("snapshot_refused", MPI_COMM_WORLD);
  const Agents agents = agents_of(2);
  const Layout layout = small_layout();
  const Content<float> content(agents, layout.dim());
  const auto path = folder / "a.h5";
  write_snapshot(MPI_COMM_WORLD, path, agents, layout, build_provenance(), content.data(1));
  EXPECT_FALSE(h5::File::open(path).exists("ema"));
  EXPECT_FALSE(h5::File::open(path).exists("samples"));
  EXPECT_NE(refusal(path, "ema", layout).find("no /ema"), std::string::npos);
  EXPECT_NE(refusal(folder / "b.h5", "mean", layout).find("b.h5"), std::string::npos);
  Layout other(16);
  other.add("generator/0/weight", Player::x, {2, 3});
  EXPECT_NE(refusal(path, "mean", other).find("3 blocks"), std::string::npos);
  other.add("generator/0/bias", Player::x, {3});
  other.add("critic/0/bias", Player::y, {1});
  EXPECT_NE(refusal(path, "mean", other).find("generator/0/bias"), std::string::npos);
}

TEST(Snapshot, AFullDiskOnOneRankIsAnErrorOnAll) {
  const TempFolder folder("snapshot_full", MPI_COMM_WORLD);
  const Agents agents = agents_of(4);
  Layout layout(16);
  layout.add("x", Player::x, {100000});
  layout.add("y", Player::y, {1});
  const Content<double> content(agents, layout.dim());
  std::optional<test::FileLimit> limit;
  if (agents.rank() == 0) limit.emplace(200000);
  EXPECT_THROW(write_snapshot(MPI_COMM_WORLD, folder / "a.h5", agents, layout, build_provenance(),
                              content.data(1)),
               RunError);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5"));
}

}  // namespace
}  // namespace parley
