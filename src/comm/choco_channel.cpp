// SPDX-License-Identifier: BSD-3-Clause
// The rounds of difference compression on top of the plain channel, which mixes what was sent.
#include "comm/choco_channel.hpp"

#include <limits>

#include "comm/bad_block.hpp"
#include "core/check.hpp"
#include "kernels/compress.hpp"
#include "kernels/vector.hpp"
#include "solver/rows.hpp"

namespace parley {

namespace {

Real* row_data(const Matrix& rows, std::int64_t i) {
  return rows.data() + static_cast<std::int64_t>(rows.stride(0)) * i;
}

/// All numbers of a row as one block.
Layout flat(const Layout& layout) {
  Layout out(layout.alignment());
  out.add("row", Player::x, {layout.dim()});
  return out;
}

}  // namespace

ChocoChannel::ChocoChannel(const MixerContext& context, LinkComm& comm, std::string name,
                           std::int64_t number)
    : agents_(context.agents),
      layout_(context.layout),
      health_(context.health),
      name_(std::move(name)),
      rounds_(context.rounds),
      seed_(context.options.seed),
      number_(number),
      flat_(flat(layout_)),
      chunks_(make_chunks(layout_, 0, layout_.dim())),
      bad_(static_cast<std::size_t>(agents_.count())),
      copied_(bad_) {
  const Choice& choice = context.options.compression;
  const CompressorRow& row = find_compressor(choice.kind);
  rule_ = row.make(choice, layout_.dim());
  step_ = row.step(choice);
  const auto rows = [&](const char* what) {
    return make_matrix(std::string("parley::choco::") + what, agents_.count(), flat_.width());
  };
  x_ = rows("x");
  memory_ = rows("memory");
  pull_ = rows("pull");
  difference_ = rows("difference");
  sent_ = rows("sent");
  mixed_ = rows("mixed");
  messages_ =
      make_matrix("parley::choco::messages", agents_.count(), row.numbers(choice, layout_.dim()));
  const MixerContext plain{context.comm,         agents_, flat_, context.mixing, 1, health_,
                           context.stall_seconds};
  gossip_ = std::make_unique<GossipChannel>(plain, comm, name_, std::vector<Segment>{},
                                            GossipForm{{}, false, this});
}

void ChocoChannel::start_at(const Matrix& rows) {
  for (std::int64_t i = 0; i < agents_.count(); ++i) {
    pack_row(exec_, chunks_, row_data(rows, i), row_data(memory_, i), 0);
  }
}

StateList ChocoChannel::state() {
  StateList list;
  list_rows(list, "memory", memory_, flat_);
  list_rows(list, "pull", pull_, flat_);
  return list;
}

Philox ChocoChannel::random(std::int64_t agent) const {
  const auto draw = static_cast<std::uint64_t>(number_) << 40U | static_cast<std::uint64_t>(round_);
  return {seed_, Purpose::compression, agent, draw};
}

void ChocoChannel::begin(std::int64_t k, const Matrix& in, std::int64_t segment) {
  ensure(segment == 0, "ChocoChannel: one segment");
  ensure(in_.data() == nullptr, "Channel: one mix at a time");
  in_ = in;
  for (std::int64_t i = 0; i < agents_.count(); ++i) {
    const Real* const from = row_data(in, i);
    const bool finite = pack_row(exec_, chunks_, from, row_data(x_, i), 0);
    bad_[static_cast<std::size_t>(i)] = !finite;
    if (finite) continue;
    const std::string block = bad_block(exec_, layout_, from, 0, layout_.dim());
    health_.report(agents_.first() + i, k, fmt::format("{}, block {}", name_, block));
  }
  copied_ = bad_;
  send(k, 1);
}

/// q = Q(x - xhat) on its way. A row that is not finite says so instead, whatever Q would leave
/// out.
void ChocoChannel::send(std::int64_t k, std::int64_t round) {
  round_ = (k - 1) * rounds_ + round - 1;
  combine(exec_, 0, {{one, x_}, {-1 * one, memory_}}, difference_);
  for (std::int64_t i = 0; i < agents_.count(); ++i) {
    if (bad_[static_cast<std::size_t>(i)]) {
      Kokkos::deep_copy(exec_, row(sent_, i), std::numeric_limits<Real>::quiet_NaN());
      continue;
    }
    const Philox draws = random(agents_.first() + i);
    rule_->compress(exec_, draws, row_data(difference_, i), row_data(messages_, i));
    rule_->expand(exec_, draws, row_data(messages_, i), row_data(sent_, i));
  }
  gossip_->begin(k, sent_, 0);
}

/// xhat += q; x += g_c pull. Rows that would take in a bad one stay as they are.
void ChocoChannel::receive(std::int64_t k) {
  gossip_->end(k, mixed_);
  for (std::int64_t i = 0; i < agents_.count(); ++i) {
    if (!gossip_->copied(i)) continue;
    copied_[static_cast<std::size_t>(i)] = true;
    Kokkos::deep_copy(exec_, row(sent_, i), Real(0));
    Kokkos::deep_copy(exec_, row(mixed_, i), Real(0));
  }
  absorb(exec_, step_, {mixed_, sent_, memory_, pull_, x_});
}

void ChocoChannel::end(std::int64_t k, const Matrix& out) {
  ensure(in_.data() != nullptr || agents_.count() == 0, "Channel: end follows begin");
  ensure(out.data() != in_.data() || agents_.count() == 0, "Channel: out may not be in");
  for (std::int64_t round = 1; round <= rounds_; ++round) {
    if (round > 1) send(k, round);
    receive(k);
  }
  for (std::int64_t i = 0; i < agents_.count(); ++i) {
    if (copied_[static_cast<std::size_t>(i)]) {
      Kokkos::deep_copy(exec_, row(out, i), row(in_, i));
    } else {
      unpack_row(exec_, chunks_, row_data(x_, i), 0, row_data(out, i));
    }
  }
  fence(exec_, "parley::choco::end");
  in_ = Matrix();
}

void ChocoChannel::write(std::int64_t local, Real* message) {
  using Unmanaged = Kokkos::View<Real*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const auto size = static_cast<std::size_t>(numbers());
  Kokkos::deep_copy(exec_, Unmanaged(message, size), Unmanaged(row_data(messages_, local), size));
}

void ChocoChannel::read(std::int64_t /*k*/, std::int64_t agent, const Real* message, Real* row) {
  rule_->expand(exec_, random(agent), message, row);
}

}  // namespace parley
