// SPDX-License-Identifier: BSD-3-Clause
// Stop signals are caught while the object lives, and not after.
#include "core/signals.hpp"

#include <gtest/gtest.h>

namespace parley {
namespace {

volatile std::sig_atomic_t former_calls = 0;
extern "C" void count_call(int) {
  former_calls = former_calls + 1;
}

TEST(StopSignals, CatchesAndGivesBack) {
  std::signal(SIGUSR1, count_call);
  std::signal(SIGTERM, count_call);
  {
    const StopSignals signals;
    EXPECT_EQ(signals.caught(), 0);
    std::raise(SIGUSR1);
    EXPECT_EQ(signals.caught(), SIGUSR1);
    std::raise(SIGTERM);
    EXPECT_EQ(signals.caught(), SIGTERM);
  }
  EXPECT_EQ(former_calls, 0);
  std::raise(SIGUSR1);
  std::raise(SIGTERM);
  EXPECT_EQ(former_calls, 2);
  const StopSignals again;
  EXPECT_EQ(again.caught(), 0);
}

}  // namespace
}  // namespace parley
