// SPDX-License-Identifier: BSD-3-Clause
// The recorder's file: schema, resume, cadence, failures.
#include "io/recorder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "core/check.hpp"
#include "io/h5.hpp"
#include "support/temp_folder.hpp"

namespace parley {
namespace {

using test::TempFolder;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

std::vector<Column> columns() {
  return {{"iteration", "1", "iterations done", true}, {"loss_x", "1", "mean loss of x"}};
}

GraphRecord ring_of_two() {
  GraphRecord graph{"ring", 2, 3, 0.5, 0.5, {{0, 1}}, {0.75, 0.25, 0.25, 0.75}};
  return graph;
}

GraphRecord alternating() {
  GraphRecord graph = ring_of_two();
  graph.w = {0.75, 0.25, 0.25, 0.75, 1, 0, 0, 1};
  graph.period = graph.matrices = 2;
  graph.measured = 0.375;
  return graph;
}

Provenance provenance() {
  Provenance out = build_provenance();
  out.agents = 2;
  out.hosts = "one two";
  out.deck = "[run]\nagents = 2\n";
  return out;
}

Recorder make(const std::filesystem::path& file) {
  return {file, provenance(), ring_of_two(), columns(), {{"loss_x", "1", "loss of x"}}};
}

Row row_at(double k) {
  return {{k, k / 10}, {{k, -k}}};
}

TEST(Recorder, AGraphThatVariesHasAMatrixPerRound) {
  const TempFolder folder("recorder_varying");
  Recorder recorder(folder / "log.h5", provenance(), alternating(), columns(), {});
  recorder.append({{1, 2}, {}});
  recorder.flush();
  const h5::File file = h5::File::open(folder / "log.h5");
  EXPECT_EQ(file.info("graph/W").shape, (h5::Shape{2, 2, 2}));
  EXPECT_EQ(file.read<double>("graph/W")[5], 0);
  EXPECT_EQ(file.read_int("graph", "period"), 2);
  EXPECT_EQ(file.read_double("graph", "measured"), 0.375);
}

TEST(Recorder, TheFileFollowsTheSchema) {
  const TempFolder folder("recorder_schema");
  Recorder recorder = make(folder / "log.h5");
  recorder.append(row_at(10));
  recorder.append({{20, missing}, {{missing, 4}}});
  recorder.flush();
  EXPECT_FALSE(std::filesystem::exists(folder / "log.h5.tmp"));
  const h5::File file = h5::File::open(folder / "log.h5");
  EXPECT_EQ(file.info("log/iteration").type, ElementType::i64);
  EXPECT_EQ(file.read<std::int64_t>("log/iteration"), (std::vector<std::int64_t>{10, 20}));
  const auto loss = file.read<double>("log/loss_x");
  EXPECT_EQ(loss[0], 1);
  EXPECT_TRUE(std::isnan(loss[1]));
  EXPECT_EQ(file.read_string("log/loss_x", "unit"), "1");
  EXPECT_EQ(file.read_string("log/loss_x", "meaning"), "mean loss of x");
  EXPECT_EQ(file.info("agents/loss_x").shape, (h5::Shape{2, 2}));
  const auto agents = file.read<double>("agents/loss_x");
  EXPECT_EQ(agents[1], -10);
  EXPECT_TRUE(std::isnan(agents[2]));
  EXPECT_EQ(file.read<std::int64_t>("graph/edges"), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(file.info("graph/W").shape, (h5::Shape{2, 2}));
  EXPECT_EQ(file.read<double>("graph/W")[1], 0.25);
  EXPECT_EQ(file.read_string("graph", "kind"), "ring");
  EXPECT_EQ(file.read_int("graph", "rounds"), 3);
  EXPECT_EQ(file.read_double("graph", "rho"), 0.5);
  EXPECT_EQ(file.read_text("deck"), provenance().deck);
  EXPECT_EQ(file.read_string("/", "parley_version"), provenance().version);
  EXPECT_EQ(file.read_string("/", "hosts"), "one two");
  EXPECT_EQ(file.read_string("/", "hdf5"), h5::library_version());
  EXPECT_EQ(file.read_int("/", "agents"), 2);
}

TEST(Recorder, AnEmptyLogIsAFileToo) {
  const TempFolder folder("recorder_empty");
  Recorder recorder = make(folder / "log.h5");
  EXPECT_TRUE(std::isnan(recorder.last("loss_x")));
  recorder.flush();
  const h5::File file = h5::File::open(folder / "log.h5");
  EXPECT_EQ(file.info("log/loss_x").shape, (h5::Shape{0}));
  EXPECT_EQ(file.info("agents/loss_x").shape, (h5::Shape{0, 2}));
}

TEST(Recorder, ResumeKeepsRowsUpToTheIteration) {
  const TempFolder folder("recorder_resume");
  {
    Recorder recorder = make(folder / "log.h5");
    for (int k = 1; k <= 5; ++k) recorder.append(row_at(10 * k));
    recorder.flush();
  }
  Recorder recorder = make(folder / "log.h5");
  recorder.restore(30);
  EXPECT_EQ(recorder.rows(), 3U);
  EXPECT_EQ(recorder.last("iteration"), 30);
  EXPECT_EQ(recorder.last("loss_x"), 3);
  EXPECT_TRUE(std::isnan(recorder.last("other")));
  recorder.append(row_at(35));
  recorder.flush();
  const h5::File file = h5::File::open(folder / "log.h5");
  EXPECT_EQ(file.read<std::int64_t>("log/iteration"), (std::vector<std::int64_t>{10, 20, 30, 35}));
  EXPECT_EQ(file.read<double>("agents/loss_x"),
            (std::vector<double>{10, -10, 20, -20, 30, -30, 35, -35}));
}

TEST(Recorder, ResumeRefusesOtherColumnsAndNoFile) {
  const TempFolder folder("recorder_refuse");
  Recorder first = make(folder / "log.h5");
  EXPECT_THROW(first.restore(0), RunError);
  first.flush();
  auto more = columns();
  more.push_back({"swd", "1", "sliced Wasserstein distance"});
  Recorder other(folder / "log.h5", provenance(), ring_of_two(), more, {});
  try {
    other.restore(0);
    ADD_FAILURE() << "no error";
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find("swd"), std::string::npos) << error.what();
  }
}

TEST(Recorder, RowsMustFitTheColumns) {
  const TempFolder folder("recorder_rows");
  Recorder recorder = make(folder / "log.h5");
  EXPECT_THROW(recorder.append({{1}, {{1, 2}}}), std::logic_error);
  EXPECT_THROW(recorder.append({{1, 2}, {{1}}}), std::logic_error);
  EXPECT_THROW(recorder.append({{missing, 2}, {{1, 2}}}), std::logic_error);
  EXPECT_EQ(recorder.rows(), 0U);
}

TEST(Recorder, FlushIfDueWaitsTwoSeconds) {
  const TempFolder folder("recorder_due");
  Recorder recorder = make(folder / "log.h5");
  recorder.append(row_at(1));
  recorder.flush_if_due();
  recorder.append(row_at(2));
  recorder.flush_if_due();
  EXPECT_EQ(h5::File::open(folder / "log.h5").read<double>("log/iteration").size(), 1U);
}

TEST(Recorder, AFailedFlushLeavesTheFormerFile) {
  const TempFolder folder("recorder_failed");
  Recorder recorder = make(folder / "log.h5");
  recorder.append(row_at(1));
  recorder.flush();
  std::filesystem::create_directory(folder / "log.h5.tmp");  // in the way of the temporary file
  recorder.append(row_at(2));
  EXPECT_THROW(recorder.flush(), RunError);
  EXPECT_EQ(h5::File::open(folder / "log.h5").read<double>("log/iteration").size(), 1U);
}

}  // namespace
}  // namespace parley
