// SPDX-License-Identifier: BSD-3-Clause
// Message buffers and their way between host and device.
#include "comm/message.hpp"

#include <cstring>

namespace parley {

namespace {

HostVector payload_on_host(const HostVector& host) {
  return Kokkos::subview(host,
                         std::make_pair(static_cast<std::size_t>(row_alignment), host.extent(0)));
}

}  // namespace

MessageBuffer::MessageBuffer(const std::string& label, std::int64_t numbers)
    : host_(label + "::host", static_cast<std::size_t>(row_alignment + numbers)) {
  if constexpr (!on_host) device_ = make_vector(label + "::device", numbers);
}

std::span<std::byte> MessageBuffer::bytes() const {
  return std::as_writable_bytes(std::span<Real>(host_.data(), host_.extent(0)));
}

MessageHeader MessageBuffer::header() const {
  MessageHeader header;
  std::memcpy(static_cast<void*>(&header), host_.data(), sizeof(header));
  return header;
}

void MessageBuffer::set_header(const MessageHeader& header) const {
  std::memcpy(host_.data(), &header, sizeof(header));
}

Real* MessageBuffer::payload() const {
  return on_host ? host_.data() + row_alignment : device_.data();
}

void MessageBuffer::to_host(const Exec& exec) const {
  if constexpr (!on_host) {
    if (device_.extent(0) > 0) Kokkos::deep_copy(exec, payload_on_host(host_), device_);
  }
  fence(exec, "parley::message::to_host");
}

void MessageBuffer::to_device(const Exec& exec) const {
  if constexpr (!on_host) {
    if (device_.extent(0) > 0) Kokkos::deep_copy(exec, device_, payload_on_host(host_));
  }
}

}  // namespace parley
