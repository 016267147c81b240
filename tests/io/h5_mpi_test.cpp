// SPDX-License-Identifier: BSD-3-Clause
// The HDF5 wrapper on a file shared by all ranks, some of which own no rows.
#include <gtest/gtest.h>

#include "core/agents.hpp"
#include "io/h5.hpp"
#include "support/temp_folder.hpp"

namespace parley::h5 {
namespace {

using test::TempFolder;

Agents agents_of(std::int64_t total) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  return {total, rank, ranks};
}

void round_trip(std::int64_t total) {
  const TempFolder folder("h5_shared_" + std::to_string(total), MPI_COMM_WORLD);
  const Agents agents = agents_of(total);
  constexpr std::int64_t width = 5;
  std::vector<double> mine;
  for (std::int64_t m = agents.first(); m < agents.first() + agents.count(); ++m) {
    for (std::int64_t j = 0; j < width; ++j) mine.push_back(static_cast<double>(100 * m + j));
  }
  const std::vector<double> common =
      agents.rank() == 0 ? std::vector<double>{1, 2, 3} : std::vector<double>{};
  {
    File file = File::create(folder / "a.h5", MPI_COMM_WORLD);
    file.create_dataset("state/rows", ElementType::f64, {total, width});
    file.write_rows("state/rows", agents.first(), agents.count(), ElementType::f64,
                    std::as_bytes(std::span(mine)));
    file.write("common", {3}, std::span<const double>(common));
    file.write_text("deck", "agents = " + std::to_string(total));
    file.write_texts("names", {"a", "bcd"});
    file.write_attribute("/", "iteration", std::int64_t{9});
    file.write_attribute("/", "hosts", "one two");
    file.close();
  }
  const File alone = File::open(folder / "a.h5");
  const auto all = alone.read<double>("state/rows");
  for (std::int64_t i = 0; i < total * width; ++i) {
    ASSERT_EQ(all[static_cast<std::size_t>(i)], static_cast<double>(i / width * 100 + i % width));
  }
  EXPECT_EQ(alone.read<double>("common"), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(alone.read_text("deck"), "agents = " + std::to_string(total));
  const File shared = File::open(folder / "a.h5", MPI_COMM_WORLD);
  std::vector<double> back(mine.size());
  shared.read_rows("state/rows", agents.first(), agents.count(), ElementType::f64,
                   std::as_writable_bytes(std::span(back)));
  EXPECT_EQ(back, mine);
  EXPECT_EQ(shared.read<double>("common"), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(shared.read_texts("names"), (std::vector<std::string>{"a", "bcd"}));
  EXPECT_EQ(shared.read_int("/", "iteration"), 9);
  EXPECT_EQ(shared.read_string("/", "hosts"), "one two");
}

TEST(H5Shared, MoreAgentsThanRanks) {
  round_trip(7);
}
TEST(H5Shared, RanksWithoutAgentsTakePart) {
  round_trip(1);
}

}  // namespace
}  // namespace parley::h5
