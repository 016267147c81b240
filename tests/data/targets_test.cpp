// SPDX-License-Identifier: BSD-3-Clause
// Real-valued targets of files, the rows' numbers, and the linear model that makes data: against
// its own law, by normal equations, and the same on any number of ranks.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>

#include "core/check.hpp"
#include "data/dataset.hpp"
#include "deck/reader.hpp"
#include "io/h5.hpp"

namespace parley {
namespace {

namespace fs = std::filesystem;
using Matrix = Eigen::MatrixXd;
using Numbers = std::vector<double>;

struct NoKeys {};
void describe(Fields&, NoKeys&) {}
constexpr Kind others[] = {make_kind<NoKeys>("ring", "-", "-")};
constexpr Kind plain[] = {make_kind<NoKeys>("none", "-", "-")};

Deck make_deck(const fs::path& folder, const std::string& data, std::int64_t agents = 3) {
  const std::string text = fmt::format(
      "[run]\nagents = {}\n[game]\nkind = \"ring\"\n[method]\nkind = \"ring\"\n"
      "[graph]\nkind = \"ring\"\n[data]\n{}",
      agents, data);
  return read_deck({(folder / "deck.toml").string(), text, "", {}},
                   {others, others, others, source_kinds(), partition_kinds(), plain});
}

class Targets : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) / ("parley_targets_" + std::string(info->name()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Row r holds r in its one column.
  template <class T>
  void write(const std::string& name, const std::vector<T>& y, std::int64_t classes) const {
    auto file = h5::File::create(folder_ / name);
    Numbers x;
    for (std::size_t i = 0; i < 7; ++i) x.push_back(static_cast<double>(i));
    file.write("/x", {7, 1}, std::span<const double>(x));
    file.write("/y", y);
    file.write_attribute("/", "value_min", 0.0);
    file.write_attribute("/", "value_max", 6.0);
    file.write_attribute("/", "classes", classes);
    file.close();
  }

  std::string message_of(const std::string& data) const {
    try {
      load_data(make_deck(folder_, data), Agents(3, 0, 1));
    } catch (const UserError& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
};

const std::string from_file = "kind = \"file\"\nfile = \"a.h5\"\n";

Numbers values_of(const std::vector<std::byte>& bytes) {
  Numbers values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST_F(Targets, OfAFileFollowTheirRows) {
  write("a.h5", Numbers{0.5, -1, 2.25, 3, 4, 5.5, -6}, 0);
  const Numbers truth{0.5, -1, 2.25, 3, 4, 5.5, -6};
  const Deck deck = make_deck(folder_, from_file + "test_fraction = 0.3\n");
  EXPECT_TRUE(inspect_data(deck).targets);
  EXPECT_EQ(inspect_data(deck).classes, 0);
  std::map<std::int64_t, double> seen;
  for (int rank = 0; rank < 2; ++rank) {
    const DataSet data = load_data(deck, Agents(3, rank, 2));
    const Numbers x = values_of(data.rows), held_out = values_of(data.test);
    ASSERT_EQ(data.targets.size(), x.size());
    EXPECT_TRUE(data.labels.empty());
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(data.targets[i], truth[static_cast<std::size_t>(x[i])]);
      seen[data.numbers[i]] = x[i];
    }
    ASSERT_EQ(held_out.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(data.test_targets[i], truth[static_cast<std::size_t>(held_out[i])]);
    }
  }
  // Numbers 0 ... 4 name the five training rows in the order of the file.
  ASSERT_EQ(seen.size(), 5U);
  double before = -1;
  std::int64_t next = 0;
  for (const auto& [number, x] : seen) {
    EXPECT_EQ(number, next++);
    EXPECT_GT(x, before);
    before = x;
  }
}

TEST_F(Targets, InSinglePrecisionAndLabelsStayWhatTheyAre) {
  write("a.h5", std::vector<float>(7, 0.5F), 0);
  EXPECT_EQ(load_data(make_deck(folder_, from_file), Agents(3, 0, 1)).targets, Numbers(7, 0.5));
  write("a.h5", std::vector<std::int64_t>{0, 1, 1, 0, 1, 1, 1}, 2);
  const DataSet data = load_data(make_deck(folder_, from_file), Agents(3, 1, 3));
  EXPECT_TRUE(data.targets.empty());
  EXPECT_EQ(data.shape.classes, 2);
  EXPECT_EQ(data.label_rows, (std::vector<std::int64_t>{2, 5}));
}

TEST_F(Targets, FaultsHaveTheirMessage) {
  write("a.h5", Numbers{0, 1, 2, std::nan(""), 4, 5, 6}, 0);
  EXPECT_NE(message_of(from_file).find("target nan of row 3 (from 0) is not finite"),
            std::string::npos);
  write("a.h5", Numbers(6, 0.0), 0);
  EXPECT_NE(message_of(from_file).find("/y has shape [6]; expected one number"), std::string::npos);
  write("a.h5", Numbers(7, 0.0), 0);
  write("b.h5", std::vector<std::int64_t>{0, 1, 1, 0, 1, 1, 1}, 2);
  EXPECT_NE(message_of(from_file + "test_file = \"b.h5\"\n").find("has real-valued targets"),
            std::string::npos);
  write("a.h5", std::vector<std::int64_t>(7, 0), 0);
  EXPECT_NE(message_of(from_file).find("classes = 0, but the file has a data set of labels /y"),
            std::string::npos);
}

const std::string linear = "kind = \"linear\"\nfeatures = 4\nsamples = 6000\ntest = 500\n";

TEST_F(Targets, OfTheLinearModelFollowItsLaw) {
  const Deck deck = make_deck(folder_, linear + "noise = 0.5\noffset = 0.25\n", 1);
  const DataSet data = load_data(deck, Agents(1, 0, 1));
  const Numbers x = values_of(data.rows);
  Matrix design(6000, 5);
  Eigen::VectorXd answers(6000);
  for (std::int64_t i = 0; i < 6000; ++i) {
    const auto row = data.numbers[static_cast<std::size_t>(i)];
    EXPECT_EQ(row, i);
    for (std::int64_t j = 0; j < 4; ++j) design(i, j) = x[static_cast<std::size_t>(4 * i + j)];
    design(i, 4) = 1;
    answers(i) = data.targets[static_cast<std::size_t>(i)];
  }
  const Eigen::VectorXd fit = design.householderQr().solve(answers);
  const double left = (design * fit - answers).norm() / std::sqrt(6000.0);
  // Five standard deviations of each estimate.
  EXPECT_NEAR(left, 0.5, 5 * 0.5 / std::sqrt(12000.0));
  EXPECT_NEAR(fit(4), 0.25, 5 * 0.5 / std::sqrt(6000.0));
  EXPECT_GT(fit.head(4).norm(), 0.1);
  EXPECT_NEAR(design.leftCols(4).mean(), 0, 5 / std::sqrt(24000.0));
  EXPECT_NEAR(design.leftCols(4).squaredNorm() / 24000, 1, 5 * std::sqrt(2 / 24000.0));
  // The held-out rows are others of the same model.
  const Numbers held_out = values_of(data.test);
  ASSERT_EQ(held_out.size(), 2000U);
  EXPECT_NE(held_out[0], x[0]);
  double error = 0;
  for (std::size_t i = 0; i < 500; ++i) {
    double answer = fit(4);
    for (std::size_t j = 0; j < 4; ++j) answer += fit(std::int64_t(j)) * held_out[4 * i + j];
    error += std::pow(answer - data.test_targets[i], 2) / 500;
  }
  EXPECT_NEAR(std::sqrt(error), 0.5, 0.1);
}

TEST_F(Targets, LabelsAreTheSignsOfTheTargets) {
  const std::string more = "partition = { kind = \"contiguous\" }\noffset = -0.5\n";
  const DataSet targets = load_data(make_deck(folder_, linear + more), Agents(3, 1, 2));
  const DataSet labels =
      load_data(make_deck(folder_, linear + more + "task = \"classification\"\n"), Agents(3, 1, 2));
  EXPECT_EQ(targets.rows, labels.rows);
  EXPECT_EQ(labels.shape.classes, 2);
  ASSERT_EQ(labels.labels.size(), 2000U);
  for (std::size_t i = 0; i < 2000; ++i) {
    EXPECT_EQ(labels.numbers[i], 4000 + static_cast<std::int64_t>(i));
    EXPECT_EQ(labels.labels[i], targets.targets[i] > 0 ? 1 : 0);
  }
  EXPECT_EQ(labels.label_rows[0] + labels.label_rows[1], 6000);
  EXPECT_LT(labels.label_rows[1], 2900);
}

}  // namespace
}  // namespace parley
