// SPDX-License-Identifier: BSD-3-Clause
// Scatter slices, sum in agent order, gather.
#include "comm/ordered_mean.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace parley {

namespace {

// The two steps of a mean, as rounds of the message header.
constexpr std::int64_t scatter_step = 1;
constexpr std::int64_t gather_step = 2;

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

const Real* row_data(const Matrix& rows, std::int64_t i) {
  return rows.data() + static_cast<std::int64_t>(rows.stride(0)) * i;
}

}  // namespace

OrderedMean::OrderedMean(const MixerContext& context, LinkComm& comm, std::string name)
    : agents_(context.agents),
      layout_(context.layout),
      health_(context.health),
      stall_seconds_(context.stall_seconds),
      name_(std::move(name)),
      mean_out_(
          "parley::mean::mean_out",
          slice_of(layout_.dim(), layout_.alignment(), agents_.rank(), agents_.ranks()).size()),
      send_rows_(comm.get(), Direction::send),
      receive_rows_(comm.get(), Direction::receive),
      send_mean_(comm.get(), Direction::send),
      receive_means_(comm.get(), Direction::receive),
      views_("parley::mean::views", at(agents_.total())),
      views_on_host_(Kokkos::create_mirror_view(views_)),
      mean_(make_vector("parley::mean::mean", layout_.width())) {
  for (int q = 0; q < agents_.ranks(); ++q) {
    const Slice slice = slice_of(layout_.dim(), layout_.alignment(), q, agents_.ranks());
    parts_.push_back({slice, make_chunks(layout_, slice.begin, slice.end)});
    if (q == agents_.rank()) continue;
    all_others_.push_back(q);
    if (agents_.count_of(q) > 0) senders_.push_back(q);
    if (slice.size() > 0) summers_.push_back(q);
  }
  const int first_tag = comm.take_tags(2);
  open_scatter(first_tag);
  open_gather(first_tag + 1);
}

/// Ranks with agents send to every other rank, if only the header when its slice is empty: all must
/// learn of a bad row.
void OrderedMean::open_scatter(int tag) {
  if (agents_.count() > 0) {
    for (const int q : all_others_) {
      const std::int64_t size = parts_[at(q)].slice.size();
      rows_out_.push_back({q, MessageBuffer("parley::mean::rows_out", agents_.count() * size)});
      send_rows_.add(q, tag, rows_out_.back().buffer.bytes());
    }
  }
  const std::int64_t own = parts_[at(agents_.rank())].slice.size();
  for (const int p : senders_) {
    rows_in_.push_back({p, MessageBuffer("parley::mean::rows_in", agents_.count_of(p) * own)});
    receive_rows_.start(receive_rows_.add(p, tag, rows_in_.back().buffer.bytes()));
  }
}

/// Ranks with a slice send its mean to every other rank.
void OrderedMean::open_gather(int tag) {
  if (parts_[at(agents_.rank())].slice.size() > 0) {
    for (const int q : all_others_) send_mean_.add(q, tag, mean_out_.bytes());
  }
  for (const int p : summers_) {
    means_in_.push_back({p, MessageBuffer("parley::mean::means_in", parts_[at(p)].slice.size())});
    receive_means_.start(receive_means_.add(p, tag, means_in_.back().buffer.bytes()));
  }
}

Watch OrderedMean::watch(const char* what, const std::vector<int>& ranks) const {
  return {stall_seconds_, [this, what, &ranks](std::size_t index) {
            return fmt::format("{}, iteration {}, {}, agents {} to {}", name_, iteration_, what,
                               agents_.first_of(ranks[index]),
                               agents_.first_of(ranks[index] + 1) - 1);
          }};
}

void OrderedMean::begin(std::int64_t k, const Matrix& in, std::int64_t segment) {
  ensure(segment == 0 && !begun_, "MeanChannel: one segment, one mean at a time");
  iteration_ = k;
  begun_ = true;
  in_ = in;
  send_rows_.wait(watch("rows", all_others_));
  check_rows(in);
  for (std::size_t m = 0; m < rows_out_.size(); ++m) {
    const MessageBuffer& buffer = rows_out_[m].buffer;
    buffer.to_host(exec_);
    buffer.set_header({iteration_, scatter_step, agents_.first(), 0, bad_agent_, {}});
    send_rows_.start(m);
  }
}

/// Packs the other ranks' slices and checks all of each own row: every header says whether any part
/// of any row is bad.
void OrderedMean::check_rows(const Matrix& in) {
  bad_agent_ = -1;
  for (std::int64_t local = 0; local < agents_.count(); ++local) {
    const Real* row = row_data(in, local);
    bool finite = all_finite(exec_, parts_[at(agents_.rank())].chunks, row);
    for (const Mail& mail : rows_out_) {
      const Part& part = parts_[at(mail.rank)];
      Real* to = mail.buffer.payload() + local * part.slice.size();
      finite = pack_row(exec_, part.chunks, row, to, part.slice.begin) && finite;
    }
    if (finite) continue;
    if (bad_agent_ < 0) bad_agent_ = agents_.first() + local;
    report_bad(local);
  }
}

/// Names the first block of the row that is not finite.
void OrderedMean::report_bad(std::int64_t local) {
  for (const Block& block : layout_.blocks()) {
    const Chunks chunks = make_chunks(layout_, block.packed, block.packed + block.size);
    if (all_finite(exec_, chunks, row_data(in_, local))) continue;
    return health_.report(agents_.first() + local, iteration_,
                          fmt::format("{}, block {}", name_, block.name));
  }
}

const Vector& OrderedMean::finish(std::int64_t k) {
  ensure(begun_ && k == iteration_, "MeanChannel: finish follows begin");
  take_rows();
  sum_own_slice();
  for (std::size_t m = 0; m < receive_rows_.size(); ++m) receive_rows_.start(m);
  receive_means_.wait(watch("mean", summers_));
  for (const Mail& mail : means_in_) {
    check_header(mail.buffer.header(), mail.rank, gather_step);
    mail.buffer.to_device(exec_);
    const Part& part = parts_[at(mail.rank)];
    unpack_row(exec_, part.chunks, mail.buffer.payload(), part.slice.begin, mean_.data());
  }
  fence(exec_, "parley::mean::finish");
  for (std::size_t m = 0; m < receive_means_.size(); ++m) receive_means_.start(m);
  begun_ = false;
  ++traffic_.rounds;
  traffic_.bytes = send_rows_.bytes_started() + send_mean_.bytes_started();
  traffic_.messages = send_rows_.messages_started() + send_mean_.messages_started();
  return mean_;
}

void OrderedMean::take_rows() {
  receive_rows_.wait(watch("rows", senders_));
  std::int64_t first_bad = bad_agent_ < 0 ? agents_.total() : bad_agent_;
  for (const Mail& mail : rows_in_) {
    const MessageHeader header = mail.buffer.header();
    check_header(header, mail.rank, scatter_step);
    if (header.bad_agent >= 0) first_bad = std::min(first_bad, header.bad_agent);
    mail.buffer.to_device(exec_);
  }
  bad_agent_ = first_bad == agents_.total() ? -1 : first_bad;
  if (bad_agent_ >= 0) health_.report(bad_agent_, iteration_, name_);
}

/// Own rows are read where they lie, others from their messages.
void OrderedMean::sum_own_slice() {
  const Part& own = parts_[at(agents_.rank())];
  for (std::int64_t local = 0; local < agents_.count(); ++local) {
    views_on_host_(at(agents_.first() + local)) = {row_data(in_, local), 0, false};
  }
  for (const Mail& mail : rows_in_) {
    const std::int64_t first = agents_.first_of(mail.rank);
    for (std::int64_t n = 0; n < agents_.count_of(mail.rank); ++n) {
      const Real* data = mail.buffer.payload() + n * own.slice.size();
      views_on_host_(at(first + n)) = {data, own.slice.begin, true};
    }
  }
  Kokkos::deep_copy(exec_, views_, views_on_host_);
  send_mean_.wait(watch("mean", all_others_));
  mean_rows(exec_, own.chunks, views_, mean_out_.payload(), own.slice.begin);
  unpack_row(exec_, own.chunks, mean_out_.payload(), own.slice.begin, mean_.data());
  mean_out_.to_host(exec_);
  mean_out_.set_header({iteration_, gather_step, agents_.first(), 0, bad_agent_, {}});
  for (std::size_t m = 0; m < send_mean_.size(); ++m) send_mean_.start(m);
}

void OrderedMean::check_header(const MessageHeader& header, int rank, std::int64_t step) const {
  if (header.iteration == iteration_ && header.round == step &&
      header.agent == agents_.first_of(rank)) {
    return;
  }
  fail_run(
      "{}: rank {} sent agents from {}, iteration {}, step {} where rank {} expects agents "
      "from {}, iteration {}, step {}: the ranks do not run the same steps",
      name_, rank, header.agent, header.iteration, header.round, agents_.rank(),
      agents_.first_of(rank), iteration_, step);
}

void OrderedMean::end(std::int64_t k, const Matrix& out) {
  ensure(out.data() != in_.data() || agents_.count() == 0, "Channel: out may not be in");
  finish(k);
  for (std::int64_t local = 0; local < agents_.count(); ++local) {
    const Vector from = bad_agent_ < 0 ? mean_ : row(in_, local);
    Kokkos::deep_copy(exec_, row(out, local), from);
  }
  fence(exec_, "parley::mean::end");
}

}  // namespace parley
