// SPDX-License-Identifier: BSD-3-Clause
// agree: one reduction finds the lowest failing rank, two broadcasts carry its text.
#include "core/agree.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <vector>

#include "core/check.hpp"

namespace parley {
namespace {

enum class Failure : int { none, run, user, diverged };

struct Outcome {
  Failure failure = Failure::none;
  std::string text;
};

Outcome outcome_of(const std::function<void()>& work) {
  try {
    work();
    return {};
  } catch (const UserError& error) {
    return {Failure::user, error.what()};
  } catch (const Diverged& error) {
    return {Failure::diverged, error.what()};
  } catch (const std::exception& error) {
    return {Failure::run, error.what()};
  } catch (...) {
    return {Failure::run, "an exception of unknown type"};
  }
}

std::string host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return std::string(name.data(), static_cast<std::size_t>(length));
}

[[noreturn]] void raise(Failure failure, const std::string& text) {
  if (failure == Failure::user) throw UserError(text);
  if (failure == Failure::diverged) throw Diverged(text);
  throw RunError(text);
}

}  // namespace

void agree(MPI_Comm comm, const std::string& what, const std::function<void()>& work) {
  const Outcome outcome = outcome_of(work);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int mine = outcome.failure == Failure::none ? ranks : rank;
  int first = ranks;
  MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == ranks) return;

  std::string text;
  if (rank == first) {
    text = ranks == 1 ? fmt::format("{}: {}", what, outcome.text)
                      : fmt::format("{}: rank {} on {}: {}", what, rank, host_name(), outcome.text);
  }
  std::array<int, 2> head{static_cast<int>(outcome.failure), static_cast<int>(text.size())};
  MPI_Bcast(head.data(), 2, MPI_INT, first, comm);
  text.resize(static_cast<std::size_t>(head[1]));
  MPI_Bcast(text.data(), head[1], MPI_CHAR, first, comm);
  raise(static_cast<Failure>(head[0]), text);
}

}  // namespace parley
