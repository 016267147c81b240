// SPDX-License-Identifier: BSD-3-Clause
// Checksums see every damage tried on them; durable texts replace whole files.
#include "io/durable.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <set>

#include "core/check.hpp"
#include "support/temp_folder.hpp"

namespace parley {
namespace {

using test::TempFolder;

Checksum checksum_of(std::span<const std::byte> bytes) {
  ChecksumStream stream;
  stream.add(bytes);
  return stream.result();
}

std::vector<std::byte> random_bytes(std::size_t size) {
  std::mt19937_64 random(7);
  std::vector<std::byte> bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST(Checksum, EveryBitAndEveryLengthCounts) {
  auto bytes = random_bytes(203);
  std::set<std::uint64_t> seen = {checksum_of(bytes).value};
  for (auto& byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      byte ^= std::byte{1} << bit;
      EXPECT_TRUE(seen.insert(checksum_of(bytes).value).second);
      byte ^= std::byte{1} << bit;
    }
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_TRUE(seen.insert(checksum_of(std::span(bytes).first(size)).value).second) << size;
  }
}

TEST(Checksum, ZerosOfOtherLengthsAndSwappedWordsDiffer) {
  std::vector<std::byte> zeros(64);
  EXPECT_NE(checksum_of(zeros).value, checksum_of(std::span(zeros).first(56)).value);
  EXPECT_NE(checksum_of(zeros).value, checksum_of(std::span(zeros).first(63)).value);
  auto bytes = random_bytes(64);
  const auto before = checksum_of(bytes);
  std::swap_ranges(bytes.begin(), bytes.begin() + 8, bytes.begin() + 8);
  EXPECT_NE(before.value, checksum_of(bytes).value);
}

TEST(Checksum, OfAFileEqualsThatOfItsBytes) {
  const TempFolder folder("checksum");
  for (const std::size_t size : {0UL, 5UL, 1UL << 20, (1UL << 20) + 3, 3UL << 20}) {
    const auto bytes = random_bytes(size);
    std::ofstream(folder / "a", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(size));
    EXPECT_EQ(checksum_file(folder / "a"), checksum_of(bytes)) << size;
  }
  EXPECT_THROW(checksum_file(folder / "missing"), RunError);
}

TEST(Durable, TextsReplaceWholeFiles) {
  const TempFolder folder("durable");
  write_text_durably(folder / "latest", "a long first line\n");
  write_text_durably(folder / "latest", "b\n");
  std::string text;
  std::getline(std::ifstream(folder / "latest"), text, '\0');
  EXPECT_EQ(text, "b\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "latest.tmp"));
  EXPECT_THROW(write_text_durably(folder / "no/such/file", "x"), RunError);
  EXPECT_THROW(move_into_place(folder / "missing", folder / "latest"), RunError);
}

}  // namespace
}  // namespace parley
