// SPDX-License-Identifier: BSD-3-Clause
// The mean over agents by messages: slices of every row go to the rank that sums them, in the order
// of agents, and the sums go to all. Must not know what the rows mean.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/link.hpp"
#include "comm/mean_channel.hpp"
#include "comm/message.hpp"
#include "comm/mixer.hpp"
#include "comm/routes.hpp"
#include "kernels/mix.hpp"

namespace parley {

/// The bits do not depend on the number of ranks: each number is summed on one rank, over all
/// agents in their order. One set of buffers is enough: nobody can begin the next mean before all
/// ranks have taken this one's rows.
class OrderedMean final : public MeanChannel {
 public:
  OrderedMean(const MixerContext& context, LinkComm& comm, std::string name);

  void begin(std::int64_t k, const Matrix& in, std::int64_t segment) override;
  void end(std::int64_t k, const Matrix& out) override;
  const Vector& finish(std::int64_t k) override;
  std::int64_t segments() const override { return 1; }
  StateList state() override { return {}; }
  const Traffic& traffic() const override { return traffic_; }

 private:
  /// One rank's part of the packed row.
  struct Part {
    Slice slice;
    Chunks chunks;
  };
  /// A peer's message in one direction: its rank and the buffer.
  struct Mail {
    int rank = 0;
    MessageBuffer buffer;
  };

  void open_scatter(int tag);
  void open_gather(int tag);
  void check_rows(const Matrix& in);
  void report_bad(std::int64_t local);
  void take_rows();
  void sum_own_slice();
  void check_header(const MessageHeader& header, int rank, std::int64_t step) const;
  Watch watch(const char* what, const std::vector<int>& ranks) const;

  const Agents& agents_;
  const Layout& layout_;
  Health& health_;
  double stall_seconds_;
  std::string name_;
  Exec exec_;

  std::vector<Part> parts_;     ///< per rank
  std::vector<Mail> rows_out_;  ///< own rows' slices, to each other rank
  std::vector<Mail> rows_in_;   ///< other ranks' rows of the own slice
  std::vector<Mail> means_in_;  ///< other ranks' slices of the mean
  MessageBuffer mean_out_;      ///< the own slice of the mean
  std::vector<int> all_others_, senders_, summers_;
  Link send_rows_, receive_rows_, send_mean_, receive_means_;
  Kokkos::View<RowView*, Memory> views_;
  HostMirror<Kokkos::View<RowView*, Memory>> views_on_host_;
  Vector mean_;

  std::int64_t iteration_ = -1;
  bool begun_ = false;
  Matrix in_;
  std::int64_t bad_agent_ = -1;  ///< the first agent of all whose row is not finite
  Traffic traffic_;
};

}  // namespace parley
