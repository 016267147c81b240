// SPDX-License-Identifier: BSD-3-Clause
// One rank's failure reaches every rank with its type, number, host and text.
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

/// The text that agree throws as `Error` on this rank.
template <class Error>
std::string text_of(const std::function<void()>& work) {
  try {
    agree(MPI_COMM_WORLD, "reading the data", work);
  } catch (const Error& error) {
    EXPECT_TRUE(error.agreed);
    return error.what();
  }
  return "";
}

TEST(Agree, PassesWhenAllRanksSucceed) {
  int calls = 0;
  EXPECT_NO_THROW(agree(MPI_COMM_WORLD, "counting", [&] { ++calls; }));
  EXPECT_EQ(calls, 1);
}

TEST(Agree, OneFailingRankFailsAllWithItsText) {
  const int last = ranks_of(MPI_COMM_WORLD) - 1;
  const std::string text = text_of<UserError>([&] {
    if (rank_of(MPI_COMM_WORLD) == last) fail_user("digits.h5: {} rows, {} labels", 3, 4);
  });
  EXPECT_NE(text.find("(reading the data"), std::string::npos) << text;
  EXPECT_NE(text.find("digits.h5: 3 rows, 4 labels"), std::string::npos) << text;
  if (last > 0) {
    EXPECT_NE(text.find("rank " + std::to_string(last) + " of "), std::string::npos) << text;
  } else {
    EXPECT_EQ(text.find("rank"), std::string::npos) << text;
  }
}

TEST(Agree, TheLowestFailingRankIsTheOneNamed) {
  const std::string text = text_of<RunError>([] {
    const int rank = rank_of(MPI_COMM_WORLD);
    if (rank == 0 && ranks_of(MPI_COMM_WORLD) > 1) return;
    fail_run("failed as number {}", rank);
  });
  const int lowest = ranks_of(MPI_COMM_WORLD) > 1 ? 1 : 0;
  EXPECT_NE(text.find("failed as number " + std::to_string(lowest)), std::string::npos) << text;
}

TEST(Agree, KeepsTheTypeOfTheException) {
  EXPECT_NE(text_of<Diverged>([] { throw Diverged("agent 3 is not finite"); }), "");
  EXPECT_NE(text_of<RunError>([] { throw std::bad_alloc(); }), "");
  EXPECT_NE(text_of<RunError>([] { throw 7; }), "");
  const std::string internal = text_of<RunError>([] { ensure(false, "a broken promise"); });
  EXPECT_NE(internal.find("internal error: a broken promise"), std::string::npos) << internal;
}

TEST(Agree, AnEmptyTextIsAFailureToo) {
  EXPECT_THROW(agree(MPI_COMM_WORLD, "writing", [] { throw RunError(""); }), RunError);
}

}  // namespace
}  // namespace parley
