// SPDX-License-Identifier: BSD-3-Clause
// The link layer: every point-to-point message of the iteration goes through a Link, so that bytes
// are counted, waits are watched and (with a link model) delays apply in one place. Knows bytes,
// peers and tags, not agents.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace parley {

/// Throws RunError with MPI's text when `code` is not MPI_SUCCESS; `what` names the call.
void check_mpi(int code, const char* what);

/// A communicator of its own for messages: a duplicate whose errors come back as codes.
class LinkComm {
 public:
  /// Collective.
  explicit LinkComm(MPI_Comm parent);
  ~LinkComm();
  LinkComm(const LinkComm&) = delete;
  LinkComm& operator=(const LinkComm&) = delete;

  MPI_Comm get() const { return comm_; }
  /// Hands out `count` consecutive tags that no other caller gets: the same on all ranks when all
  /// ask in the same order. RunError beyond MPI's largest tag.
  int take_tags(std::int64_t count);

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::int64_t next_tag_ = 0;
  std::int64_t last_tag_ = 0;
};

enum class Direction { send, receive };

/// How long to wait, and what to say when that was in vain.
struct Watch {
  double stall_seconds = 300;
  /// Names the quantity, iteration and agent of message `index`: "z, iteration 7, agent 3".
  std::function<std::string(std::size_t index)> name;
};

/// A fixed list of persistent messages in one direction. Each can be started again once the wait
/// for it is over. Buffers outlive the Link. Messages longer than `most_bytes` travel in pieces, in
/// order, under the same tag.
class Link {
 public:
  static constexpr std::int64_t default_most_bytes = std::int64_t{1} << 30;

  Link(MPI_Comm comm, Direction direction, std::int64_t most_bytes = default_most_bytes);
  /// Cancels receives that are under way; waits for sends, a minute at most, unless an exception is
  /// passing through.
  ~Link();
  Link(Link&& other) noexcept;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Forgets all messages, none of which may be under way; counters go on.
  void clear();
  /// Adds a message; returns its index.
  std::size_t add(int peer, int tag, std::span<std::byte> buffer);
  void start(std::size_t index);
  /// Waits for all started messages, calling MPI all the time so that large ones move on. RunError
  /// that names the peers when none arrives for watch.stall_seconds.
  void wait(const Watch& watch);
  /// True when no started message is under way. Never waits.
  bool poll();

  std::size_t size() const { return messages_.size(); }
  int peer(std::size_t index) const { return messages_[index].peer; }
  /// Bytes and messages started so far: what was handed to MPI.
  std::int64_t bytes_started() const { return bytes_started_; }
  std::int64_t messages_started() const { return messages_started_; }

 private:
  struct Message {
    int peer = 0;
    std::int64_t bytes = 0;
    std::size_t first_request = 0, last_request = 0;
  };

  int complete_some();
  bool poll_quietly() noexcept;
  [[noreturn]] void fail_stalled(const Watch& watch) const;

  MPI_Comm comm_;
  Direction direction_;
  std::int64_t most_bytes_;
  std::vector<Message> messages_;
  std::vector<MPI_Request> requests_;
  std::vector<std::size_t> message_of_;  ///< of each request
  std::vector<bool> active_;             ///< per request
  std::vector<int> finished_;
  std::size_t under_way_ = 0;
  std::int64_t bytes_started_ = 0;
  std::int64_t messages_started_ = 0;
};

}  // namespace parley
