// SPDX-License-Identifier: BSD-3-Clause
// The HDF5 wrapper on serial files: what is written is read back, and every failure is a RunError
// that names the file and the reason.
#include "io/h5.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "support/temp_folder.hpp"

namespace parley::h5 {
namespace {

using test::TempFolder;

/// The text of the RunError that `work` throws.
template <class Work>
std::string error_of(Work work) {
  try {
    work();
  } catch (const RunError& error) {
    return error.what();
  }
  return "no error";
}

TEST(H5, DataSetsOfEveryTypeComeBack) {
  const TempFolder folder("h5_types");
  const std::vector<float> f32 = {1.5F, -2.25F, 3};
  const std::vector<double> f64 = {1e300, -0.0, 4, 5, 6, 7};
  const std::vector<std::int64_t> i64 = {std::int64_t{1} << 60, -1};
  const std::vector<std::uint8_t> u8 = {0, 255};
  {
    File file = File::create(folder / "a.h5");
    file.write("f32", f32);
    file.write("group/deep/f64", {3, 2}, std::span<const double>(f64));
    file.write("i64", i64);
    file.write("u8", u8);
    file.write("none", std::vector<double>{});
    file.close();
  }
  const File file = File::open(folder / "a.h5");
  EXPECT_EQ(file.read<float>("f32"), f32);
  EXPECT_EQ(file.read<double>("group/deep/f64"), f64);
  EXPECT_EQ(file.read<std::int64_t>("i64"), i64);
  EXPECT_EQ(file.read<std::uint8_t>("u8"), u8);
  EXPECT_TRUE(file.read<double>("none").empty());
  EXPECT_EQ(file.info("group/deep/f64").shape, (Shape{3, 2}));
  EXPECT_EQ(file.info("f32").type, ElementType::f32);
  EXPECT_EQ(file.info("group/deep/f64").type, ElementType::f64);
  EXPECT_EQ(file.info("i64").type, ElementType::i64);
  EXPECT_EQ(file.info("u8").type, ElementType::u8);
  EXPECT_EQ(file.list("/"),
            (std::vector<std::string>{"f32", "group/deep/f64", "i64", "none", "u8"}));
  EXPECT_EQ(file.list("group"), (std::vector<std::string>{"deep/f64"}));
  EXPECT_TRUE(file.exists("group/deep/f64"));
  EXPECT_TRUE(file.exists("/group/deep"));
  EXPECT_FALSE(file.exists("group/other/f64"));
  EXPECT_FALSE(file.exists("other"));
}

TEST(H5, NumbersAreConvertedButNeverCutToIntegers) {
  const TempFolder folder("h5_convert");
  File file = File::create(folder / "a.h5");
  file.write("u8", std::vector<std::uint8_t>{3, 255});
  file.write("f64", std::vector<double>{0.5});
  file.write_text("text", "hello");
  EXPECT_EQ(file.read<double>("u8"), (std::vector<double>{3, 255}));
  EXPECT_EQ(file.read<float>("f64"), (std::vector<float>{0.5F}));
  EXPECT_NE(error_of([&] { file.read<std::int64_t>("f64"); }).find("integers are expected"),
            std::string::npos);
  EXPECT_NE(error_of([&] { file.read<double>("text"); }).find("holds text"), std::string::npos);
  EXPECT_NE(error_of([&] { file.read_text("f64"); }).find("holds numbers"), std::string::npos);
}

TEST(H5, TextsAndAttributesComeBack) {
  const TempFolder folder("h5_texts");
  const std::string deck = "[run]\nname = \"caf\xc3\xa9\"\n";
  const std::vector<std::string> names = {"generator/0/weight", "", "b"};
  {
    File file = File::create(folder / "a.h5");
    file.write_text("deck", deck);
    file.write_text("empty", "");
    file.write_texts("layout/name", names);
    file.write_texts("layout/none", {});
    file.write_attribute("/", "seed", std::int64_t{7});
    file.write_attribute("/", "rho", 0.25);
    file.write_attribute("/", "git", "abc-dirty");
    file.write_attribute("/", "blank", "");
    file.write_attribute("graph", "kind", "ring");
    const std::vector<std::int64_t> shape = {1, 8, 8};
    file.write_attribute("deck", "shape", shape);
    file.close();
  }
  const File file = File::open(folder / "a.h5");
  EXPECT_EQ(file.read_text("deck"), deck);
  EXPECT_EQ(file.read_text("empty"), "");
  EXPECT_EQ(file.read_texts("layout/name"), names);
  EXPECT_TRUE(file.read_texts("layout/none").empty());
  EXPECT_EQ(file.read_int("/", "seed"), 7);
  EXPECT_EQ(file.read_double("/", "rho"), 0.25);
  EXPECT_EQ(file.read_double("/", "seed"), 7.0);
  EXPECT_EQ(file.read_string("/", "git"), "abc-dirty");
  EXPECT_EQ(file.read_string("/", "blank"), "");
  EXPECT_EQ(file.read_string("graph", "kind"), "ring");
  EXPECT_EQ(file.read_ints("deck", "shape"), (std::vector<std::int64_t>{1, 8, 8}));
  EXPECT_TRUE(file.has_attribute("graph", "kind"));
  EXPECT_FALSE(file.has_attribute("graph", "rho"));
  EXPECT_FALSE(file.has_attribute("nowhere", "rho"));
  EXPECT_NE(error_of([&] { file.read_int("/", "git"); }).find("'git'"), std::string::npos);
  EXPECT_NE(error_of([&] { file.read_int("deck", "shape"); }).find("3 values"), std::string::npos);
}

TEST(H5, RowsAreReadInTheOrderOfTheList) {
  const TempFolder folder("h5_rows");
  constexpr std::int64_t rows = 5000, width = 12;
  std::vector<std::uint8_t> all(rows * width);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint8_t>(i * 31 % 251);
  File file = File::create(folder / "a.h5");
  file.write("x", {rows, 3, 4}, std::span<const std::uint8_t>(all));
  std::vector<std::int64_t> wanted = {4999, 0, 17, 17, 2500, 1, 3};
  for (std::int64_t i = 0; i < 1000; ++i) wanted.push_back(i * 7919 % rows);
  std::vector<std::uint8_t> got(wanted.size() * width);
  file.read_rows("x", wanted, ElementType::u8, std::as_writable_bytes(std::span(got)));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (std::int64_t j = 0; j < width; ++j) {
      ASSERT_EQ(got[i * width + static_cast<std::size_t>(j)],
                all[static_cast<std::size_t>(wanted[i] * width + j)]);
    }
  }
  std::vector<double> part(2 * width);
  file.read_rows("x", 10, 2, ElementType::f64, std::as_writable_bytes(std::span(part)));
  EXPECT_EQ(part[13], all[11 * width + 1]);
  file.read_rows("x", 5000, 0, ElementType::f64, {});
  EXPECT_NE(error_of([&] {
              file.read_rows("x", 4999, 2, ElementType::f64,
                             std::as_writable_bytes(std::span(part)));
            }).find("no rows 4999 to 5001"),
            std::string::npos);
  const std::vector<std::int64_t> outside = {-1};
  EXPECT_NE(error_of([&] {
              file.read_rows("x", outside, ElementType::u8,
                             std::as_writable_bytes(std::span(got).first(width)));
            }).find("no rows"),
            std::string::npos);
}

TEST(H5, FailuresNameTheFileAndTheReason) {
  const TempFolder folder("h5_failures");
  const auto missing = error_of([&] { File::open(folder / "missing.h5"); });
  EXPECT_NE(missing.find("missing.h5"), std::string::npos) << missing;
  EXPECT_NE(missing.find("No such file"), std::string::npos) << missing;
  std::ofstream(folder / "text.h5") << "this is not HDF5";
  const auto other = error_of([&] { File::open(folder / "text.h5"); });
  EXPECT_NE(other.find("signature"), std::string::npos) << other;
  File file = File::create(folder / "a.h5");
  file.write("x", std::vector<double>{1});
  const auto no_data = error_of([&] { file.read<double>("y"); });
  EXPECT_NE(no_data.find("no data set 'y'"), std::string::npos) << no_data;
  EXPECT_NE(error_of([&] { file.write("x", std::vector<double>{1}); }).find("cannot create"),
            std::string::npos);
  EXPECT_NE(error_of([&] { file.write("z", {2}, std::span<const double>()); }).find("do not fill"),
            std::string::npos);
  const auto folder_gone = error_of([&] { File::create(folder / "no/such/a.h5"); });
  EXPECT_NE(folder_gone.find("No such file"), std::string::npos) << folder_gone;
}

}  // namespace
}  // namespace parley::h5
