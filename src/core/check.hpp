// SPDX-License-Identifier: BSD-3-Clause
// The exceptions of Parley and the exit codes that main() maps them to. Knows no MPI.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>

namespace parley {

/// Exit codes of the command; jobs/ and tests rely on them.
enum class Exit : int {
  done = 0,
  run_failed = 1,
  user_error = 2,
  diverged = 3,
  expectation_missed = 4,
  stopped_early = 75
};

/// What all of Parley's exceptions share.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
  /// Every rank throws the same: rank 0 speaks for all and nobody needs MPI_Abort.
  bool agreed = false;
};

/// A mistake in the command line, the deck or the data, which the user can mend (exit 2). The text
/// names the place (file:line where there is one), the value and the remedy.
struct UserError : Failure {
  using Failure::Failure;
};

/// A failure while running that is not the deck's fault: a full disk, a broken file (exit 1).
struct RunError : Failure {
  using Failure::Failure;
};

/// The iterates became non-finite (exit 3).
struct Diverged : Failure {
  using Failure::Failure;
};

/// Throws UserError with a formatted text.
template <class... Args>
[[noreturn]] void fail_user(fmt::format_string<Args...> text, Args&&... args) {
  throw UserError(fmt::format(text, std::forward<Args>(args)...));
}

/// Throws RunError with a formatted text.
template <class... Args>
[[noreturn]] void fail_run(fmt::format_string<Args...> text, Args&&... args) {
  throw RunError(fmt::format(text, std::forward<Args>(args)...));
}

/// Throws std::logic_error: a mistake in Parley itself.
inline void ensure(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

}  // namespace parley
