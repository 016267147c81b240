// SPDX-License-Identifier: BSD-3-Clause
// agree: whatever one rank throws, all ranks throw, with the lowest failing rank's text.
#include "core/agree.hpp"

#include <gtest/gtest.h>

#include "core/check.hpp"

namespace parley {
namespace {

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int ranks_of(MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  return ranks;
}

template <class Error>
std::string text_of(const std::function<void()>& work) {
  try {
    agree(MPI_COMM_WORLD, "testing", work);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing of this type";
}

TEST(Agree, SuccessIsSilent) {
  int done = 0;
  agree(MPI_COMM_WORLD, "testing", [&] { ++done; });
  EXPECT_EQ(done, 1);
}

TEST(Agree, TheLastRankFailsForAll) {
  const int rank = rank_of(MPI_COMM_WORLD), ranks = ranks_of(MPI_COMM_WORLD);
  const auto text = text_of<UserError>([&] {
    if (rank == ranks - 1) fail_user("deck.toml:3: bad value {}", 7);
  });
  EXPECT_EQ(text.find("deck.toml:3: bad value 7 (testing"), 0U) << text;
  if (ranks > 1) {
    EXPECT_NE(text.find(fmt::format("rank {} of {} on ", ranks - 1, ranks)), std::string::npos);
  }
}

TEST(Agree, TheLowestFailingRankIsNamed) {
  const int rank = rank_of(MPI_COMM_WORLD), ranks = ranks_of(MPI_COMM_WORLD);
  const int lowest = ranks / 2;
  const auto text = text_of<RunError>([&] {
    if (rank >= lowest) fail_run("no space on rank {}", rank);
  });
  EXPECT_EQ(text.find(fmt::format("no space on rank {} (", lowest)), 0U) << text;
}

TEST(Agree, TypesAreKept) {
  EXPECT_NE(text_of<Diverged>([] { throw Diverged("nan"); }), "nothing of this type");
  EXPECT_NE(text_of<std::logic_error>([] { ensure(false, "broken"); }), "nothing of this type");
  EXPECT_NE(text_of<RunError>([] { throw std::bad_alloc(); }).find("out of memory"),
            std::string::npos);
  EXPECT_NE(text_of<RunError>([] { throw 3; }).find("unknown"), std::string::npos);
}

TEST(Agree, LongTextsArriveWhole) {
  const std::string text(100000, 'x');
  const auto got = text_of<RunError>([&] {
    if (rank_of(MPI_COMM_WORLD) == 0) throw RunError(text);
  });
  EXPECT_EQ(got.substr(0, text.size()), text);
}

}  // namespace
}  // namespace parley
