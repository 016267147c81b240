// SPDX-License-Identifier: BSD-3-Clause
// What an oracle call draws, as a value: two calls with the same Sample see the same batch, noise
// and interpolation on every agent. Pure data.
#pragma once

#include <cstdint>

namespace parley {

/// What random numbers are for; part of the Philox counter, so that no two uses share numbers.
/// Values are part of the bits of a run: append, never renumber.
enum class Purpose : std::uint32_t {
  init = 1,
  batch = 2,
  noise = 3,
  interpolation = 4,
  record_batch = 5,
  record_noise = 6,
  record_interpolation = 7,
  partition = 8,
  generate = 9,
  projection = 10,
  graph = 11,
  oracle_noise = 12,
  coin = 13,
  compression = 14,
  average = 20
};

/// Which sequence of draws a sample belongs to.
enum class Stream : std::uint32_t { train = 0, record = 1 };

/// The identity of one draw of all agents. batch = 0 asks for the full local data.
struct Sample {
  std::uint64_t seed = 0;
  Stream stream = Stream::train;
  std::uint64_t draw = 0;
  std::int64_t batch = 0;
};

/// Hands out the draws of a run in order; the counter is part of the restart.
class Sampler {
 public:
  Sampler(std::uint64_t seed, std::int64_t batch) : seed_(seed), batch_(batch) {}
  Sample next() { return {seed_, Stream::train, static_cast<std::uint64_t>(draw_++), batch_}; }
  /// The draw of a record at iteration k: independent of the training draws.
  Sample at_record(std::int64_t k) const {
    return {seed_, Stream::record, static_cast<std::uint64_t>(k), batch_};
  }
  std::int64_t batch() const { return batch_; }
  std::int64_t& draw() { return draw_; }

 private:
  std::uint64_t seed_;
  std::int64_t batch_;
  std::int64_t draw_ = 0;
};

}  // namespace parley
