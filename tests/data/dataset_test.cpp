// SPDX-License-Identifier: BSD-3-Clause
// Sources and their loading: files against what was written into them, mixtures against their law,
// independence of the number of ranks, and a message for every way a file can be wrong.
#include "data/dataset.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <numbers>
#include <set>

#include "core/check.hpp"
#include "deck/reader.hpp"
#include "io/h5.hpp"

namespace parley {
namespace {

namespace fs = std::filesystem;

struct NoKeys {};
void describe(Fields&, NoKeys&) {}
constexpr Kind others[] = {make_kind<NoKeys>("ring", "-", "-")};
constexpr Kind plain[] = {make_kind<NoKeys>("none", "-", "-")};

/// A deck with these lines of [data], in `folder`.
Deck make_deck(const fs::path& folder, const std::string& data, std::int64_t agents = 2,
               std::int64_t seed = 1) {
  const std::string text = fmt::format(
      "[run]\nagents = {}\nseed = {}\n[game]\nkind = \"ring\"\n[method]\nkind = \"ring\"\n"
      "[graph]\nkind = \"ring\"\n[data]\n{}",
      agents, seed, data);
  return read_deck({(folder / "deck.toml").string(), text, "", {}},
                   {others, others, others, source_kinds(), partition_kinds(), plain});
}

class DataSetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / ("parley_data_" + std::string(info->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// What a written file may have wrong.
  struct Content {
    h5::Shape shape{12, 1, 2, 2};
    std::vector<std::uint8_t> x;
    std::vector<std::int64_t> y;
    double value_min = 0, value_max = 255;
    std::int64_t classes = 3;
    std::vector<std::string> missing;
  };

  /// Row r holds 4 r + column; labels r % 3.
  static Content good() {
    Content content;
    for (std::uint8_t i = 0; i < 48; ++i) content.x.push_back(i);
    for (std::int64_t r = 0; r < 12; ++r) content.y.push_back(r % 3);
    return content;
  }

  void write(const std::string& name, const Content& content) const {
    auto file = h5::File::create(folder_ / name);
    const auto has = [&](const std::string& what) {
      return std::find(content.missing.begin(), content.missing.end(), what) ==
             content.missing.end();
    };
    if (has("x")) file.write("/x", content.shape, std::span<const std::uint8_t>(content.x));
    if (!content.y.empty()) file.write("/y", content.y);
    if (has("value_min")) file.write_attribute("/", "value_min", content.value_min);
    if (has("value_max")) file.write_attribute("/", "value_max", content.value_max);
    if (has("classes")) file.write_attribute("/", "classes", content.classes);
    file.close();
  }

  /// Two columns of doubles, values in [-1, 1].
  void write_doubles(const std::string& name, const std::vector<double>& x) const {
    auto file = h5::File::create(folder_ / name);
    file.write("/x", {static_cast<std::int64_t>(x.size()) / 2, 2}, std::span<const double>(x));
    file.write_attribute("/", "value_min", -1.0);
    file.write_attribute("/", "value_max", 1.0);
    file.write_attribute("/", "classes", std::int64_t{0});
    file.close();
  }

  std::string message_of(const std::string& data) const {
    try {
      const Deck deck = make_deck(folder_, data);
      load_data(deck, Agents(2, 0, 1));
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
};

const std::string from_file = "kind = \"file\"\nfile = \"a.h5\"\npartition = { kind = \"iid\" }\n";

std::vector<std::int64_t> rows_of_agent(const DataSet& data, std::int64_t local,
                                        std::int64_t agent) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < data.agent_rows[static_cast<std::size_t>(agent)]; ++i) {
    const auto row = static_cast<std::size_t>(data.begin[static_cast<std::size_t>(local)] + i);
    rows.push_back(std::to_integer<std::int64_t>(data.rows[row * 4]) / 4);
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_EQ(std::to_integer<std::int64_t>(data.rows[row * 4 + j]),
                rows.back() * 4 + static_cast<std::int64_t>(j));
    }
    EXPECT_EQ(data.labels[row], rows.back() % 3);
  }
  return rows;
}

TEST_F(DataSetTest, FileIsTheSameOnAnyNumberOfRanks) {
  write("a.h5", good());
  const Deck deck = make_deck(folder_, from_file, 5);
  const DataSet all = load_data(deck, Agents(5, 0, 1));
  EXPECT_EQ(all.shape.shape, (std::vector<std::int64_t>{1, 2, 2}));
  EXPECT_EQ(all.shape.features, 4);
  EXPECT_EQ(all.shape.type, ElementType::u8);
  std::multiset<std::int64_t> seen;
  for (const int ranks : {1, 2, 3, 7}) {
    for (int rank = 0; rank < ranks; ++rank) {
      const Agents agents(5, rank, ranks);
      const DataSet mine = load_data(deck, agents);
      EXPECT_EQ(mine.agent_rows, all.agent_rows);
      for (std::int64_t m = 0; m < agents.count(); ++m) {
        const std::int64_t agent = agents.first() + m;
        const auto rows = rows_of_agent(mine, m, agent);
        EXPECT_EQ(rows, rows_of_agent(all, agent, agent));
        if (ranks == 1) seen.insert(rows.begin(), rows.end());
      }
    }
  }
  EXPECT_EQ(seen, (std::multiset<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST_F(DataSetTest, ReplicatedRowsAreHeldOnce) {
  write("a.h5", good());
  const Deck deck = make_deck(
      folder_, "kind = \"file\"\nfile = \"a.h5\"\npartition = { kind = \"replicated\" }\n", 3);
  const DataSet data = load_data(deck, Agents(3, 0, 1));
  EXPECT_EQ(data.rows.size(), 48U);
  EXPECT_EQ(data.begin, (std::vector<std::int64_t>{0, 0, 0}));
  EXPECT_EQ(data.agent_rows, (std::vector<std::int64_t>{12, 12, 12}));
  EXPECT_EQ(rows_of_agent(data, 2, 2).size(), 12U);
}

TEST_F(DataSetTest, ScalesMapTheStoredRange) {
  Content content = good();
  content.value_max = 50;
  content.value_min = -10;
  write("a.h5", content);
  const auto affine = [&](const std::string& scale) {
    const Deck deck = make_deck(folder_, from_file + "scale = \"" + scale + "\"\n");
    const DataSet data = load_data(deck, Agents(2, 0, 1));
    return std::pair{-10 * data.scale + data.shift, 50 * data.scale + data.shift};
  };
  EXPECT_EQ(affine("none"), (std::pair{-10.0, 50.0}));
  EXPECT_NEAR(affine("unit").first, 0, 1e-15);
  EXPECT_NEAR(affine("unit").second, 1, 1e-15);
  EXPECT_NEAR(affine("symmetric").first, -1, 1e-15);
  EXPECT_NEAR(affine("symmetric").second, 1, 1e-15);
}

TEST_F(DataSetTest, TestFractionIsDisjointFromTraining) {
  write("a.h5", good());
  const Deck deck = make_deck(folder_, from_file + "test_fraction = 0.25\n");
  EXPECT_EQ(inspect_data(deck).train_rows, 9);
  const DataSet data = load_data(deck, Agents(2, 0, 1));
  ASSERT_EQ(data.shape.test_rows, 3);
  std::multiset<std::int64_t> seen;
  for (std::int64_t m = 0; m < 2; ++m) {
    for (const std::int64_t row : rows_of_agent(data, m, m)) seen.insert(row);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = std::to_integer<std::int64_t>(data.test[4 * i]) / 4;
    EXPECT_EQ(data.test_labels[i], row % 3);
    seen.insert(row);
  }
  EXPECT_EQ(seen, (std::multiset<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  const DataSet other =
      load_data(make_deck(folder_, from_file + "test_fraction = 0.25\n", 2, 5), Agents(2, 0, 1));
  EXPECT_NE(data.test, other.test);
}

TEST_F(DataSetTest, TestFileIsReadInOrderWithTheTrainingScale) {
  Content content = good();
  write("a.h5", content);
  content.value_max = 100;
  write("b.h5", content);
  const Deck deck = make_deck(folder_, from_file + "test_file = \"b.h5\"\nscale = \"unit\"\n");
  const DataSet data = load_data(deck, Agents(2, 1, 2));
  EXPECT_EQ(data.shape.test_rows, 12);
  EXPECT_DOUBLE_EQ(data.scale, 1.0 / 255);
  EXPECT_EQ(std::memcmp(data.test.data(), content.x.data(), content.x.size()), 0);
  EXPECT_EQ(data.test_labels, content.y);
}

TEST_F(DataSetTest, MixtureFollowsItsLaw) {
  const Deck deck = make_deck(folder_,
                              "kind = \"ring\"\nmodes = 4\nradius = 3.0\ndeviation = 0.1\n"
                              "samples = 20000\ntest = 5000\npartition = { kind = \"iid\" }\n");
  const DataSet data = load_data(deck, Agents(2, 0, 1));
  ASSERT_TRUE(data.mixture.has_value());
  EXPECT_NEAR(data.mixture->centers[2], 0, 1e-15);
  EXPECT_NEAR(data.mixture->centers[3], 3, 1e-15);
  std::vector<double> x(40000);
  ASSERT_EQ(data.rows.size(), x.size() * sizeof(double));
  std::memcpy(x.data(), data.rows.data(), data.rows.size());
  double mean = 0, squares = 0, product = 0;
  std::vector<int> counts(4, 0);
  for (std::size_t i = 0; i < 20000; ++i) {
    const auto mode = static_cast<std::size_t>(data.labels[i]);
    ++counts[mode];
    const double u = (x[2 * i] - data.mixture->centers[2 * mode]) / 0.1;
    const double v = (x[2 * i + 1] - data.mixture->centers[2 * mode + 1]) / 0.1;
    mean += u + v;
    squares += u * u + v * v;
    product += u * v;
  }
  // Five standard deviations of each statistic.
  EXPECT_NEAR(mean / 40000, 0, 5 / std::sqrt(40000.0));
  EXPECT_NEAR(squares / 40000, 1, 5 * std::sqrt(2 / 40000.0));
  EXPECT_NEAR(product / 20000, 0, 5 / std::sqrt(20000.0));
  for (const int count : counts) EXPECT_NEAR(count, 5000, 5 * std::sqrt(20000 * 0.25 * 0.75));
  EXPECT_EQ(data.test.size(), 10000 * sizeof(double));
  EXPECT_NE(std::memcmp(data.test.data(), data.rows.data(), 16), 0);
}

TEST_F(DataSetTest, EachAgentHoldsTwoModesOfTheRing) {
  const Deck deck =
      make_deck(folder_, "kind = \"ring\"\nsamples = 4000\npartition = { kind = \"label\" }\n", 8);
  for (const int ranks : {1, 4}) {
    for (int rank = 0; rank < ranks; ++rank) {
      const Agents agents(8, rank, ranks);
      const DataSet data = load_data(deck, agents);
      for (std::int64_t m = 0; m < agents.count(); ++m) {
        std::set<std::int64_t> modes;
        const std::int64_t begin = data.begin[static_cast<std::size_t>(m)];
        const std::int64_t count = data.agent_rows[static_cast<std::size_t>(agents.first() + m)];
        for (std::int64_t i = begin; i < begin + count; ++i) {
          modes.insert(data.labels[static_cast<std::size_t>(i)]);
        }
        EXPECT_EQ(modes.size(), 2U);
      }
    }
  }
}

TEST_F(DataSetTest, GridIsCentered) {
  const Deck deck = make_deck(folder_,
                              "kind = \"grid\"\nside = 3\nspacing = 2.0\nsamples = 100\n"
                              "test = 0\npartition = { kind = \"contiguous\" }\n");
  const DataSet data = load_data(deck, Agents(2, 0, 1));
  EXPECT_EQ(data.mixture->centers,
            (std::vector<double>{-2, -2, -2, 0, -2, 2, 0, -2, 0, 0, 0, 2, 2, -2, 2, 0, 2, 2}));
  EXPECT_TRUE(data.test.empty());
  EXPECT_TRUE(data.test_labels.empty());
}

TEST_F(DataSetTest, EveryFaultOfAFileHasItsMessage) {
  struct Case {
    std::function<void(Content&)> spoil;
    std::string expected;
  };
  const std::vector<Case> cases{
      {[](Content& c) { c.missing = {"x"}; }, "there is no data set /x"},
      {[](Content& c) { c.missing = {"value_min"}; }, "there is no attribute value_min"},
      {[](Content& c) { c.missing = {"value_max"}; }, "there is no attribute value_max"},
      {[](Content& c) { c.missing = {"classes"}; }, "there is no attribute classes"},
      {[](Content& c) { c.shape = {48}; }, "/x has shape [48]; expected N x features"},
      {[](Content& c) {
         c.shape = {12, 2, 2};
       },
       "/x has shape [12, 2, 2]"},
      {[](Content& c) { c.value_max = 0; }, "value_min = 0 and value_max = 0"},
      {[](Content& c) { c.value_max = std::nan(""); }, "they must be finite"},
      {[](Content& c) { c.classes = 2; }, "label 2 of row 2 (from 0) lies outside of 0..1"},
      {[](Content& c) { c.y[7] = -1; }, "label -1 of row 7"},
      {[](Content& c) { c.classes = 0; }, "classes = 0, but the file has a data set of labels /y"},
      {[](Content& c) { c.y.clear(); }, "classes = 3, but the file has no labels /y"},
      {[](Content& c) { c.y.pop_back(); }, "/y has shape [11]"},
      {[](Content& c) { c.value_max = 40; }, "row 10, column 1 of /x (from 0) is 41"},
  };
  for (const Case& c : cases) {
    Content content = good();
    c.spoil(content);
    write("a.h5", content);
    const std::string message = message_of(from_file);
    EXPECT_NE(message.find(c.expected), std::string::npos) << c.expected << "\n" << message;
    EXPECT_NE(message.find("deck.toml:12: data.file"), std::string::npos) << message;
  }
}

TEST_F(DataSetTest, RefusesNonFiniteValuesByRowAndColumn) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    write_doubles("a.h5", {0, 0, 0.5, 1, -1, bad, 0, 0});
    EXPECT_NE(
        message_of(from_file).find("row 2, column 1 of /x (from 0) is " + fmt::format("{}", bad)),
        std::string::npos);
  }
}

TEST_F(DataSetTest, RefusesFilesThatAreNoneAndWrongPairs) {
  EXPECT_NE(message_of(from_file).find("no such file"), std::string::npos);
  std::ofstream(folder_ / "a.h5") << "not HDF5";
  EXPECT_NE(message_of(from_file).find("import_dataset.py"), std::string::npos);
  write("a.h5", good());
  fs::resize_file(folder_ / "a.h5", 1000);
  EXPECT_NE(message_of(from_file).find("import_dataset.py"), std::string::npos);
  write("a.h5", good());
  write_doubles("b.h5", {0, 0, 1, 1});
  EXPECT_NE(message_of(from_file + "test_file = \"b.h5\"\n").find("import both alike"),
            std::string::npos);
  Content pairs = good();
  pairs.shape = {24, 2};
  pairs.y.resize(24);
  write("c.h5", pairs);
  const std::string pair_file = "kind = \"file\"\nfile = \"c.h5\"\ntest_file = \"b.h5\"\n";
  EXPECT_NE(message_of(pair_file).find("same --precision"), std::string::npos);
  EXPECT_NE(message_of(from_file + "test_file = \"a.h5\"\ntest_fraction = 0.5\n")
                .find("not together with test_file"),
            std::string::npos);
  EXPECT_NE(message_of(from_file + "test_fraction = 0.01\n").find("both need a row"),
            std::string::npos);
}

}  // namespace
}  // namespace parley
