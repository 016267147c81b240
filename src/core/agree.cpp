// SPDX-License-Identifier: BSD-3-Clause
// agree: one reduction finds the lowest failing rank, one broadcast carries its text to the others.
#include "core/agree.hpp"

#include <array>
#include <exception>
#include <new>
#include <stdexcept>

#include "core/check.hpp"

namespace parley {

namespace {

enum class Kind : int { none = 0, user, run, diverged, internal };

struct Outcome {
  Kind kind = Kind::none;
  std::string text;
};

/// Any exception may leave `work`: what is not one of Parley's own becomes a RunError.
Outcome attempt(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const UserError& error) {
    return {Kind::user, error.what()};
  } catch (const RunError& error) {
    return {Kind::run, error.what()};
  } catch (const Diverged& error) {
    return {Kind::diverged, error.what()};
  } catch (const std::logic_error& error) {
    return {Kind::internal, error.what()};
  } catch (const std::bad_alloc&) {
    return {Kind::run, "out of memory"};
  } catch (const std::exception& error) {
    return {Kind::run, error.what()};
  } catch (...) {
    return {Kind::run, "unknown exception"};
  }
}

std::string place_of(int rank, int ranks) {
  if (ranks == 1) return {};
  std::array<char, MPI_MAX_PROCESSOR_NAME> host{};
  int length = 0;
  MPI_Get_processor_name(host.data(), &length);
  return fmt::format("; rank {} of {} on {}", rank, ranks,
                     std::string(host.data(), static_cast<std::size_t>(length)));
}

/// The failure of rank `from`, on all ranks.
void broadcast(MPI_Comm comm, int from, Outcome& failure) {
  std::array<int, 2> head = {static_cast<int>(failure.kind), static_cast<int>(failure.text.size())};
  MPI_Bcast(head.data(), 2, MPI_INT, from, comm);
  failure.kind = static_cast<Kind>(head[0]);
  failure.text.resize(static_cast<std::size_t>(head[1]));
  MPI_Bcast(failure.text.data(), head[1], MPI_CHAR, from, comm);
}

template <class Error>
[[noreturn]] void throw_agreed(const std::string& text) {
  Error error(text);
  error.agreed = true;
  throw error;
}

[[noreturn]] void rethrow(const Outcome& outcome) {
  switch (outcome.kind) {
    case Kind::user:
      throw_agreed<UserError>(outcome.text);
    case Kind::diverged:
      throw_agreed<Diverged>(outcome.text);
    case Kind::internal:
      throw_agreed<RunError>("internal error: " + outcome.text);
    case Kind::run:
    case Kind::none:
      break;
  }
  throw_agreed<RunError>(outcome.text);
}

}  // namespace

void agree(MPI_Comm comm, const std::string& what, const std::function<void()>& work) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  Outcome failure = attempt(work);
  const bool failed = failure.kind != Kind::none;
  // Minima: the lowest failing rank, and zero unless every rank failed (a mistake in the deck, say:
  // then it is of no rank's own).
  const std::array<int, 2> mine = {failed ? rank : ranks, failed ? 1 : 0};
  std::array<int, 2> least{};
  MPI_Allreduce(mine.data(), least.data(), 2, MPI_INT, MPI_MIN, comm);
  const auto [first, all_failed] = least;
  if (first == ranks) return;
  if (rank == first && (all_failed == 0 || ranks == 1)) {
    failure.text += fmt::format(" ({}{})", what, place_of(rank, ranks));
  }
  broadcast(comm, first, failure);
  rethrow(failure);
}

}  // namespace parley
