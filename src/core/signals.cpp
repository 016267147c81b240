// SPDX-License-Identifier: BSD-3-Clause
// The signal handler and the one variable that it may write.
#include "core/signals.hpp"

#include <cerrno>
#include <cstring>

#include "core/check.hpp"

namespace parley {

namespace {

// The only static variable of Parley: a signal handler gets no argument that could lead it to an
// object, and the standard lets it write nothing else than a volatile sig_atomic_t.
volatile std::sig_atomic_t caught_signal = 0;

extern "C" void remember_signal(int number) {
  caught_signal = number;
}

void install(int number, struct sigaction& former) {
  struct sigaction action {};
  action.sa_handler = remember_signal;
  action.sa_flags = SA_RESTART;  // a read or write of a file goes on
  sigemptyset(&action.sa_mask);
  if (sigaction(number, &action, &former) != 0) {
    fail_run("cannot catch signal {}: {}", number, std::strerror(errno));
  }
}

}  // namespace

StopSignals::StopSignals() {
  caught_signal = 0;
  install(SIGUSR1, former_usr1_);
  install(SIGTERM, former_term_);
}

StopSignals::~StopSignals() {
  sigaction(SIGUSR1, &former_usr1_, nullptr);
  sigaction(SIGTERM, &former_term_, nullptr);
}

int StopSignals::caught() const {
  return caught_signal;
}

}  // namespace parley
