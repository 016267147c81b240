// SPDX-License-Identifier: BSD-3-Clause
// The messages of the iteration: a header that says what the payload is, then packed numbers. Knows
// neither MPI nor agents' meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "kernels/types.hpp"

namespace parley {

/// The first 64 bytes of every message.
struct MessageHeader {
  std::int64_t iteration = -1;
  std::int64_t round = 0;   ///< of the mix, from 1
  std::int64_t agent = -1;  ///< whose row; the first one when the message holds several
  std::int64_t segment = 0;
  std::int64_t bad_agent = -1;  ///< agent whose non-finite row is in the sum; -1: none
  double weight = 1;            ///< push-sum's weight of the agent
  std::int64_t reserved[2] = {};
};
static_assert(sizeof(MessageHeader) == 64);

/// Header and payload as MPI sees them (host memory) and the payload as kernels see it: one memory
/// where kernels run on the host, two with copies between them elsewhere.
class MessageBuffer {
 public:
  MessageBuffer(const std::string& label, std::int64_t numbers);

  std::span<std::byte> bytes() const;
  MessageHeader header() const;
  void set_header(const MessageHeader& header) const;
  /// First number of the payload, for kernels.
  Real* payload() const;
  /// Makes what kernels wrote visible in bytes(); waits for them.
  void to_host(const Exec& exec) const;
  /// Makes what arrived in bytes() visible to kernels started after it.
  void to_device(const Exec& exec) const;

 private:
  HostVector host_;  ///< 64 bytes of header, then the payload
  Vector device_;    ///< the payload where kernels see other memory; empty on the host
};

}  // namespace parley
