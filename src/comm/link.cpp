// SPDX-License-Identifier: BSD-3-Clause
// Persistent MPI messages: started, polled, watched and counted.
#include "comm/link.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

#include "core/check.hpp"

namespace parley {

void check_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  fail_run("{} failed: {}", what, std::string_view(text, static_cast<std::size_t>(length)));
}

LinkComm::LinkComm(MPI_Comm parent) {
  check_mpi(MPI_Comm_dup(parent, &comm_), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  void* value = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(comm_, MPI_TAG_UB, &value, &found), "MPI_Comm_get_attr");
  last_tag_ = found != 0 ? *static_cast<int*>(value) : 32767;
}

LinkComm::~LinkComm() {
  // A communicator can only be freed by all ranks together, which an exception on one prevents.
  if (std::uncaught_exceptions() == 0) MPI_Comm_free(&comm_);
}

int LinkComm::take_tags(std::int64_t count) {
  if (next_tag_ + count - 1 > last_tag_) {
    fail_run(
        "the channels need message tags up to {}, this MPI has {}; use more ranks or fewer "
        "segments",
        next_tag_ + count - 1, last_tag_);
  }
  const auto first = static_cast<int>(next_tag_);
  next_tag_ += count;
  return first;
}

Link::Link(MPI_Comm comm, Direction direction, std::int64_t most_bytes)
    : comm_(comm), direction_(direction), most_bytes_(most_bytes) {
  ensure(most_bytes > 0 && most_bytes <= default_most_bytes, "Link: pieces of 1 byte to 1 GiB");
}

Link::Link(Link&& other) noexcept
    : comm_(other.comm_),
      direction_(other.direction_),
      most_bytes_(other.most_bytes_),
      messages_(std::move(other.messages_)),
      requests_(std::move(other.requests_)),
      message_of_(std::move(other.message_of_)),
      active_(std::move(other.active_)),
      finished_(std::move(other.finished_)),
      under_way_(other.under_way_),
      bytes_started_(other.bytes_started_),
      messages_started_(other.messages_started_) {
  other.requests_.clear();
}

Link::~Link() {
  if (direction_ == Direction::receive) {
    for (std::size_t r = 0; r < requests_.size(); ++r) {
      if (active_[r]) MPI_Cancel(&requests_[r]);
    }
  }
  // A peer that still lives takes its last message soon; one that has failed never does.
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::uncaught_exceptions() == 0 && !poll_quietly() &&
         std::chrono::steady_clock::now() < give_up) {
    std::this_thread::yield();
  }
  for (MPI_Request& request : requests_) MPI_Request_free(&request);
}

void Link::clear() {
  ensure(under_way_ == 0, "Link: messages are forgotten only after the wait for them");
  for (MPI_Request& request : requests_) MPI_Request_free(&request);
  requests_.clear();
  messages_.clear();
  message_of_.clear();
  active_.clear();
}

std::size_t Link::add(int peer, int tag, std::span<std::byte> buffer) {
  const auto bytes = static_cast<std::int64_t>(buffer.size());
  ensure(bytes > 0, "Link: a message has at least one byte");
  Message message{peer, bytes, requests_.size(), requests_.size()};
  for (std::int64_t done = 0; done < bytes; done += most_bytes_) {
    const auto piece = static_cast<int>(std::min(most_bytes_, bytes - done));
    MPI_Request request = MPI_REQUEST_NULL;
    if (direction_ == Direction::send) {
      check_mpi(MPI_Send_init(buffer.data() + done, piece, MPI_BYTE, peer, tag, comm_, &request),
                "MPI_Send_init");
    } else {
      check_mpi(MPI_Recv_init(buffer.data() + done, piece, MPI_BYTE, peer, tag, comm_, &request),
                "MPI_Recv_init");
    }
    requests_.push_back(request);
    message_of_.push_back(messages_.size());
    active_.push_back(false);
  }
  message.last_request = requests_.size();
  finished_.resize(requests_.size());
  messages_.push_back(message);
  return messages_.size() - 1;
}

void Link::start(std::size_t index) {
  const Message& message = messages_[index];
  for (std::size_t r = message.first_request; r < message.last_request; ++r) {
    ensure(!active_[r], "Link: a message is started again only after the wait for it");
    check_mpi(MPI_Start(&requests_[r]), "MPI_Start");
    active_[r] = true;
    ++under_way_;
  }
  bytes_started_ += message.bytes;
  ++messages_started_;
}

int Link::complete_some() {
  int count = 0;
  check_mpi(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count,
                         finished_.data(), MPI_STATUSES_IGNORE),
            "MPI_Testsome");
  if (count == MPI_UNDEFINED) return 0;
  for (int n = 0; n < count; ++n) {
    active_[static_cast<std::size_t>(finished_[static_cast<std::size_t>(n)])] = false;
  }
  under_way_ -= static_cast<std::size_t>(count);
  return count;
}

bool Link::poll_quietly() noexcept {
  int done = 1;
  const int code =
      MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
  return code != MPI_SUCCESS || done != 0;
}

bool Link::poll() {
  if (under_way_ > 0) complete_some();
  return under_way_ == 0;
}

void Link::wait(const Watch& watch) {
  using Clock = std::chrono::steady_clock;
  auto last_progress = Clock::now();
  for (int idle = 0; under_way_ > 0;) {
    if (complete_some() > 0) {
      last_progress = Clock::now();
      idle = 0;
      continue;
    }
    // The clock is read once in a while; a core that ranks share goes to whoever can work.
    if (++idle % 64 != 0) continue;
    std::this_thread::yield();
    const std::chrono::duration<double> stalled = Clock::now() - last_progress;
    if (stalled.count() > watch.stall_seconds) fail_stalled(watch);
  }
}

void Link::fail_stalled(const Watch& watch) const {
  std::string list;
  std::size_t pending = 0;
  for (std::size_t m = 0; m < messages_.size(); ++m) {
    const Message& message = messages_[m];
    const bool waits =
        std::any_of(active_.begin() + static_cast<std::ptrdiff_t>(message.first_request),
                    active_.begin() + static_cast<std::ptrdiff_t>(message.last_request),
                    [](bool active) { return active; });
    if (!waits || ++pending > 4) continue;
    list += fmt::format("{}{} ({} rank {})", pending > 1 ? "; " : "", watch.name(m),
                        direction_ == Direction::send ? "to" : "from", message.peer);
  }
  fail_run(
      "no message moved for {} s; {} missing: {}. The peer has stopped, is far slower, or "
      "runs another deck; look at its output",
      watch.stall_seconds, pending, list);
}

}  // namespace parley
