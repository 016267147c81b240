// SPDX-License-Identifier: BSD-3-Clause
// The link layer: long messages in pieces, restarts, tags, counters.
#include "comm/link.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "core/check.hpp"

namespace parley::test {
namespace {

const Watch patient{60, [](std::size_t index) { return "message " + std::to_string(index); }};

std::byte byte_of(int rank, std::size_t i, int round) {
  return static_cast<std::byte>((static_cast<std::size_t>(rank * 31 + round) + i * i % 253) % 256);
}

TEST(Link, sends_in_pieces_again_and_again) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  LinkComm comm(MPI_COMM_WORLD);
  const int tag = comm.take_tags(1);
  std::vector<std::byte> out(4567), in(4567);
  Link send(comm.get(), Direction::send, 1000), receive(comm.get(), Direction::receive, 1000);
  const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
  send.add(next, tag, out);
  receive.add(previous, tag, in);
  for (int round = 0; round < 300; ++round) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = byte_of(rank, i, round);
    receive.start(0);
    send.start(0);
    receive.wait(patient);
    for (std::size_t i = 0; i < in.size(); ++i) {
      ASSERT_EQ(in[i], byte_of(previous, i, round)) << "byte " << i << ", round " << round;
    }
    send.wait(patient);
  }
  EXPECT_EQ(send.bytes_started(), 300 * 4567);
  EXPECT_EQ(send.messages_started(), 300);
}

TEST(Link, is_started_again_only_after_the_wait) {
  LinkComm comm(MPI_COMM_SELF);
  std::vector<std::byte> buffer(8);
  Link receive(comm.get(), Direction::receive);
  receive.add(0, comm.take_tags(1), buffer);
  EXPECT_TRUE(receive.poll());
  receive.start(0);
  EXPECT_FALSE(receive.poll());
  EXPECT_THROW(receive.start(0), std::logic_error);
  const Watch hasty{0.05, [](std::size_t) { return std::string("the missing one"); }};
  try {
    receive.wait(hasty);
    ADD_FAILURE() << "nobody sends";
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find("the missing one (from rank 0)"), std::string::npos);
  }
}

TEST(Link, tags_are_never_shared_and_end) {
  LinkComm comm(MPI_COMM_SELF);
  const int a = comm.take_tags(5), b = comm.take_tags(3);
  EXPECT_EQ(b, a + 5);
  EXPECT_THROW(comm.take_tags(std::int64_t{1} << 32), RunError);
  EXPECT_EQ(comm.take_tags(1), b + 3);
}

TEST(Link, mistakes_of_mpi_become_errors) {
  LinkComm comm(MPI_COMM_SELF);
  std::vector<std::byte> buffer(8);
  Link send(comm.get(), Direction::send);
  EXPECT_THROW(send.add(99, 0, buffer), RunError);
}

}  // namespace
}  // namespace parley::test
