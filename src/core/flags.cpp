// SPDX-License-Identifier: BSD-3-Clause
// Flags: a ring of non-blocking reductions.
#include "core/flags.hpp"

#include <exception>

#include "core/check.hpp"

namespace parley {

Flags::Flags(MPI_Comm comm, std::int64_t lag)
    : lag_(lag),
      slots_(std::make_unique<std::vector<Slot>>(static_cast<std::size_t>(lag + 1))),
      exceptions_(std::uncaught_exceptions()) {
  ensure(lag > 0, "Flags: the lag must be positive");
  MPI_Comm_dup(comm, &comm_);
}

Flags::~Flags() {
  if (std::uncaught_exceptions() > exceptions_) {
    // A reduction that another rank never joins cannot be withdrawn: its buffer stays with MPI.
    static_cast<void>(slots_.release());
    return;
  }
  finish();
  MPI_Comm_free(&comm_);
}

Flags::Slot& Flags::slot(std::int64_t k) {
  return (*slots_)[static_cast<std::size_t>(k % (lag_ + 1))];
}

void Flags::post(std::int64_t k, std::uint32_t word) {
  ensure(k >= 0 && (last_ < first_ || k == last_ + 1), "Flags: iterations are posted in order");
  Slot& here = slot(k);
  ensure(here.request == MPI_REQUEST_NULL, "Flags: an iteration was not consumed");
  if (last_ < first_) first_ = k;
  last_ = k;
  here.mine = word;
  MPI_Iallreduce(&here.mine, &here.all, 1, MPI_UINT32_T, MPI_BOR, comm_, &here.request);
}

std::uint32_t Flags::consume(std::int64_t k) {
  ensure(last_ < first_ || k == last_, "Flags: consume(k) follows post(k)");
  const std::int64_t old = k - lag_;
  if (last_ < first_ || old < first_) return 0;
  Slot& there = slot(old);
  MPI_Wait(&there.request, MPI_STATUS_IGNORE);
  return there.all;
}

std::uint32_t Flags::finish() {
  std::uint32_t word = 0;
  for (Slot& each : *slots_) {
    if (each.request == MPI_REQUEST_NULL) continue;
    MPI_Wait(&each.request, MPI_STATUS_IGNORE);
    word |= each.all;
  }
  first_ = 0;
  last_ = -1;
  return word;
}

}  // namespace parley
