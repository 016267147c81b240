// SPDX-License-Identifier: BSD-3-Clause
// What the benches share: medians of two works measured in turn (A B A B), and the STREAM-like copy
// that memory-bound kernels are held against.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "kernels/types.hpp"

namespace parley::bench {

constexpr int repeats = 41;

inline double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Medians {
  double ours = 0, floor = 0;
};

/// Medians of both, measured in turn.
inline Medians in_turn(const std::function<void()>& ours, const std::function<void()>& floor) {
  std::vector<double> a, b;
  for (int i = 0; i < repeats; ++i) {
    a.push_back(seconds(ours));
    b.push_back(seconds(floor));
  }
  return {median(a), median(b)};
}

/// Copies `numbers` from one array to another with a kernel of the same build: reads and writes
/// 2 x numbers x sizeof(Real) bytes.
class CopyFloor {
 public:
  explicit CopyFloor(std::int64_t numbers)
      : from_(make_vector("bench::from", numbers)), to_(make_vector("bench::to", numbers)) {}
  void operator()() const {
    const Vector from = from_, to = to_;
    // A factor keeps the compiler from calling memcpy, whose stores bypass the cache (STREAM's
    // scale).
    Kokkos::parallel_for(
        "bench::copy", Range(0, static_cast<std::int64_t>(from.extent(0))),
        KOKKOS_LAMBDA(std::int64_t i) { to(i) = Real(3) * from(i); });
    Kokkos::fence();
  }

 private:
  Vector from_, to_;
};

}  // namespace parley::bench
