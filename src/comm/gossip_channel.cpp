// SPDX-License-Identifier: BSD-3-Clause
// The rounds of gossip: pack, send, wait, sum.
#include "comm/gossip_channel.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "comm/bad_block.hpp"
#include "core/check.hpp"

namespace parley {

namespace {

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

Real* row_data(const Matrix& rows, std::int64_t i) {
  return rows.data() + static_cast<std::int64_t>(rows.stride(0)) * i;
}

std::int64_t index_in(const std::vector<Route>& routes, std::int64_t agent) {
  const auto found = std::lower_bound(
      routes.begin(), routes.end(), agent,
      [](const Route& route, std::int64_t wanted) { return route.agent < wanted; });
  return found - routes.begin();
}

}  // namespace

GossipChannel::GossipChannel(const MixerContext& context, LinkComm& comm, std::string name,
                             std::vector<Segment> segments, GossipForm form)
    : agents_(context.agents),
      layout_(context.layout),
      rounds_(context.rounds),
      health_(context.health),
      stall_seconds_(context.stall_seconds),
      name_(std::move(name)),
      form_(std::move(form)),
      doubly_stochastic_(context.mixing.doubly_stochastic()),
      plans_(context.mixing, agents_),
      plan_(&plans_.at(0)),
      rows_("parley::gossip::rows", at(agents_.count())),
      rows_on_host_(Kokkos::create_mirror_view(rows_)),
      sets_{
          Set{{}, {}, {}, Link(comm.get(), Direction::send), Link(comm.get(), Direction::receive)},
          Set{{}, {}, {}, Link(comm.get(), Direction::send), Link(comm.get(), Direction::receive)}},
      bad_(at(agents_.count()), -1),
      mass_(at(agents_.count()), 1.0) {
  ensure(rounds_ >= 1, "GossipChannel: at least one round");
  ensure(form_.factors.empty() || std::ssize(form_.factors) == rounds_,
         "GossipChannel: a factor per round");
  ensure(form_.wire == nullptr || !plans_.vary(), "GossipChannel: a wire wants one W");
  make_parts(std::move(segments));
  ensure(form_.wire == nullptr || this->segments() == 1, "GossipChannel: a wire takes whole rows");
  const std::int64_t kept = form_.factors.empty() ? 1 : 2;
  for (std::int64_t n = 0; n < std::min(rounds_ - 1, kept); ++n) {
    scratch_.push_back(make_matrix("parley::gossip::scratch", agents_.count(), layout_.width()));
  }
  const std::int64_t ghosts = std::ssize(plan_->routes.receives);
  if (form_.wire != nullptr && ghosts > 0) {
    expanded_ = make_matrix("parley::gossip::expanded", ghosts, layout_.dim());
  }
  if (form_.carries_weights) {
    weights_view_ = make_vector("parley::gossip::weights", agents_.count());
    show_weights();
  }
  first_tag_ = comm.take_tags(2 * agents_.count_of(0) * this->segments());
  for (round_count_ = 0; !plans_.vary() && round_count_ < 2; ++round_count_) {
    lay_messages();
    start_receives();
  }
  round_count_ = 0;
}

/// Blocks are cut into the given segments, which cover them, or the first of them, in order; none
/// given: one of all.
void GossipChannel::make_parts(std::vector<Segment> segments) {
  const auto& blocks = layout_.blocks();
  const auto count = static_cast<std::int64_t>(blocks.size());
  if (segments.empty()) segments = {{0, count}};
  std::int64_t next = 0;
  for (const Segment& segment : segments) {
    ensure(segment.first_block == next && segment.last_block > next && segment.last_block <= count,
           "GossipChannel: segments cover the blocks in order");
    next = segment.last_block;
    const std::int64_t begin = blocks[at(segment.first_block)].packed;
    const std::int64_t end = next == count ? layout_.dim() : blocks[at(next)].packed;
    parts_.push_back({begin, end, make_chunks(layout_, begin, end)});
  }
  whole_ = next == count;
}

/// Lays the messages of the plan in the set, whose earlier ones are over. Messages are told apart
/// by tag: the agent's place on its rank, segment and parity of the round. Within a tag they keep
/// their order, so the tags need not grow with the iteration.
void GossipChannel::lay_messages() {
  Set& set = this->set();
  set.routes = plan_->routes;
  set.sends.clear();
  set.receives.clear();
  const auto tag = [&](std::int64_t agent, std::int64_t segment) {
    const std::int64_t place = agent - agents_.first_of(agents_.owner(agent));
    return first_tag_ + static_cast<int>(2 * (place * segments() + segment) + parity());
  };
  const auto grow = [&](std::vector<MessageBuffer>& buffers, std::size_t rows, const char* label) {
    while (buffers.size() < rows * parts_.size()) {
      const Part& part = parts_[buffers.size() % parts_.size()];
      buffers.emplace_back(label,
                           form_.wire != nullptr ? form_.wire->numbers() : part.end - part.begin);
    }
  };
  grow(set.outgoing, plan_->sent_agents.size(), "parley::gossip::outgoing");
  grow(set.incoming, set.routes.receives.size(), "parley::gossip::incoming");
  for (std::size_t r = 0; r < set.routes.sends.size(); ++r) {
    const Route& route = set.routes.sends[r];
    for (std::int64_t s = 0; s < segments(); ++s) {
      const std::size_t buffer = plan_->buffer_of_route[r] * parts_.size() + at(s);
      set.sends.add(route.rank, tag(route.agent, s), set.outgoing[buffer].bytes());
    }
  }
  for (std::size_t g = 0; g < set.routes.receives.size(); ++g) {
    const Route& route = set.routes.receives[g];
    for (std::int64_t s = 0; s < segments(); ++s) {
      const MessageBuffer& buffer = set.incoming[g * parts_.size() + at(s)];
      set.receives.add(route.rank, tag(route.agent, s), buffer.bytes());
    }
  }
}

void GossipChannel::start_receives() {
  Link& receives = set().receives;
  for (std::size_t m = 0; m < receives.size(); ++m) receives.start(m);
}

/// Waits for the messages of two rounds before, whose buffers this round uses.
void GossipChannel::open_round(std::int64_t round) {
  set().sends.wait(watch(Direction::send));
  if (plans_.vary()) {
    plan_ = &plans_.at((iteration_ - 1) * rounds_ + round - 1);
    lay_messages();
    start_receives();
  }
  ghost_bad_.assign(plan_->routes.receives.size(), -1);
  ghost_mass_.assign(plan_->routes.receives.size(), 1.0);
  if (terms_.extent(0) < plan_->terms) {
    terms_ = MixTerms("parley::gossip::terms", plan_->terms);
    terms_on_host_ = Kokkos::create_mirror_view(terms_);
  }
}

Watch GossipChannel::watch(Direction direction) const {
  return {stall_seconds_, [this, direction](std::size_t index) {
            const Routes& all = sets_[static_cast<std::size_t>(parity())].routes;
            const auto& routes = direction == Direction::send ? all.sends : all.receives;
            return fmt::format("{}, iteration {}, agent {}", name_, iteration_,
                               routes[index / parts_.size()].agent);
          }};
}

void GossipChannel::begin(std::int64_t k, const Matrix& in, std::int64_t segment) {
  const bool starts =
      std::none_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.begun; });
  if (starts) {
    iteration_ = k;
    in_ = in;
    std::fill(bad_.begin(), bad_.end(), -1);
  }
  Part& part = parts_.at(at(segment));
  ensure(k == iteration_ && in.data() == in_.data(), "Channel: one mix at a time");
  ensure(!part.begun, "Channel: a segment begins once per mix");
  part.begun = true;
  if (starts) open_round(1);
  send_segment(in, 1, at(segment));
}

/// Packs, checks and sends the rows that others read; checks the others in round 1. What is bad in
/// later rounds follows from the first.
void GossipChannel::send_segment(const Matrix& rows, std::int64_t round, std::size_t segment) {
  const Part& part = parts_[segment];
  std::size_t next = 0;
  for (std::int64_t local = 0; local < agents_.count(); ++local) {
    const std::int64_t agent = agents_.first() + local;
    const Real* row = row_data(rows, local);
    bool finite = true;
    if (next < plan_->sent_agents.size() && plan_->sent_agents[next] == agent) {
      const MessageBuffer& buffer = set().outgoing[next * parts_.size() + segment];
      finite = write_message(local, row, part, buffer.payload());
      if (round == 1 && !finite) bad_[at(local)] = agent;
      buffer.to_host(exec_);
      buffer.set_header({iteration_, round, agent, static_cast<std::int64_t>(segment),
                         bad_[at(local)], mass_[at(local)]});
      ++next;
    } else if (round == 1) {
      finite = all_finite(exec_, part.chunks, row);
      if (!finite) bad_[at(local)] = agent;
    }
    if (round == 1 && !finite) report_bad(row, agent, part);
  }
  Link& sends = set().sends;
  const std::size_t routes = plan_->routes.sends.size();
  for (std::size_t r = 0; r < routes; ++r) sends.start(r * parts_.size() + segment);
  set().receives.poll();
}

/// True when the row is finite; only then is a wire's message written.
bool GossipChannel::write_message(std::int64_t local, const Real* row, const Part& part,
                                  Real* message) {
  if (form_.wire == nullptr) return pack_row(exec_, part.chunks, row, message, part.begin);
  const bool finite = all_finite(exec_, part.chunks, row);
  if (finite) form_.wire->write(local, message);
  return finite;
}

/// Names the first block of the row that is not finite.
void GossipChannel::report_bad(const Real* row, std::int64_t agent, const Part& part) {
  const std::string block = bad_block(exec_, layout_, row, part.begin, part.end);
  health_.report(agent, iteration_, fmt::format("{}, block {}", name_, block));
}

void GossipChannel::end(std::int64_t k, const Matrix& out) {
  ensure(k == iteration_ &&
             std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.begun; }),
         "Channel: end follows begin of every segment");
  ensure(out.data() != in_.data() || agents_.count() == 0, "Channel: out may not be in");
  if (!whole_) Kokkos::deep_copy(exec_, out, in_);
  Matrix from = in_, previous = in_;
  for (std::int64_t round = 1; round <= rounds_; ++round) {
    if (round > 1) {
      open_round(round);
      for (std::size_t s = 0; s < parts_.size(); ++s) send_segment(from, round, s);
    }
    receive(round);
    spread_flags();
    if (form_.carries_weights) spread_weights();
    const Matrix to = target(out, round);
    sum_rows(from, to, previous, round);
    if (!plans_.vary()) start_receives();
    ++round_count_;
    previous = from;
    from = to;
  }
  if (form_.carries_weights) show_weights();
  for (std::int64_t local = 0; local < agents_.count(); ++local) {
    if (bad_[at(local)] >= 0) Kokkos::deep_copy(exec_, row(out, local), row(in_, local));
  }
  fence(exec_, "parley::gossip::end");
  for (Part& part : parts_) part.begun = false;
  in_ = Matrix();
  count_traffic();
}

void GossipChannel::receive(std::int64_t round) {
  set().receives.wait(watch(Direction::receive));
  for (std::size_t g = 0; g < plan_->routes.receives.size(); ++g) {
    for (std::size_t s = 0; s < parts_.size(); ++s) {
      const MessageBuffer& buffer = set().incoming[g * parts_.size() + s];
      const MessageHeader header = buffer.header();
      check_header(header, plan_->routes.receives[g], round, s);
      if (ghost_bad_[g] < 0) ghost_bad_[g] = header.bad_agent;
      ghost_mass_[g] = header.weight;
      buffer.to_device(exec_);
      if (form_.wire != nullptr && header.bad_agent < 0) {
        form_.wire->read(iteration_, header.agent, buffer.payload(),
                         row_data(expanded_, static_cast<std::int64_t>(g)));
      }
    }
  }
}

void GossipChannel::check_header(const MessageHeader& header, const Route& route,
                                 std::int64_t round, std::size_t segment) const {
  if (header.iteration == iteration_ && header.round == round && header.agent == route.agent &&
      header.segment == static_cast<std::int64_t>(segment)) {
    return;
  }
  fail_run(
      "{}: rank {} sent agent {}, iteration {}, round {}, segment {} where rank {} expects "
      "agent {}, iteration {}, round {}, segment {}: the ranks do not run the same steps",
      name_, route.rank, header.agent, header.iteration, header.round, header.segment,
      agents_.rank(), route.agent, iteration_, round, segment);
}

/// A row whose sum includes a bad row is bad in the next round.
void GossipChannel::spread_flags() {
  std::vector<std::int64_t> next(bad_.size(), -1);
  for (std::int64_t local = 0; local < agents_.count(); ++local) {
    for (const std::int64_t j : plan_->rows[at(local)].agent) {
      const std::int64_t bad = agents_.owns(j)
                                   ? bad_[at(agents_.local(j))]
                                   : ghost_bad_[at(index_in(plan_->routes.receives, j))];
      if (bad < 0) continue;
      next[at(local)] = bad;
      health_.report(bad, iteration_, name_);
      break;
    }
  }
  bad_ = std::move(next);
}

/// w = A w, in agent order.
void GossipChannel::spread_weights() {
  std::vector<double> next(mass_.size(), 0.0);
  for (std::int64_t local = 0; local < agents_.count(); ++local) {
    const WeightRow& row = plan_->rows[at(local)];
    for (std::size_t t = 0; t < row.agent.size(); ++t) {
      const std::int64_t j = row.agent[t];
      const double mass = agents_.owns(j) ? mass_[at(agents_.local(j))]
                                          : ghost_mass_[at(index_in(plan_->routes.receives, j))];
      next[at(local)] += row.weight[t] * mass;
    }
  }
  mass_ = std::move(next);
}

void GossipChannel::show_weights() {
  const auto host = Kokkos::create_mirror_view(weights_view_);
  for (std::size_t i = 0; i < mass_.size(); ++i) host(i) = static_cast<Real>(mass_[i]);
  Kokkos::deep_copy(weights_view_, host);
}

StateList GossipChannel::state() {
  StateList list;
  if (!form_.carries_weights) return list;
  list.add({"weights", ElementType::f64, true, 1,
            [this](std::span<std::byte> out) { std::memcpy(out.data(), mass_.data(), out.size()); },
            [this](std::span<const std::byte> in) {
              std::memcpy(mass_.data(), in.data(), in.size());
              show_weights();
            }});
  return list;
}

/// The rows that a round fills: scratch and out in turn so that the last round ends in out and the
/// rows that a round reads, two rounds of them when accelerated, stay as they are.
Matrix GossipChannel::target(const Matrix& out, std::int64_t round) const {
  const std::int64_t place = (rounds_ - round) % (std::ssize(scratch_) + 1);
  return place == 0 ? out : scratch_[at(place - 1)];
}

/// out = W in, or previous + alpha_round (W in - previous).
void GossipChannel::sum_rows(const Matrix& in, const Matrix& out, const Matrix& previous,
                             std::int64_t round) {
  const double factor = form_.factors.empty() ? 1.0 : form_.factors[at(round - 1)];
  std::int64_t first = 0;
  for (std::int64_t local = 0; local < agents_.count(); ++local) {
    const auto& row = plan_->rows[at(local)];
    const std::int64_t last = first + static_cast<std::int64_t>(row.agent.size()) - 1;
    // Rounding in the sum of a doubly stochastic row may not move equal rows.
    const double total =
        doubly_stochastic_ ? 1.0 : std::accumulate(row.weight.begin(), row.weight.end(), 0.0);
    rows_on_host_(at(local)) = {{row_data(in, local), 0, false},
                                row_data(out, local),
                                first,
                                last,
                                static_cast<Real>(total),
                                factor == 1 ? nullptr : row_data(previous, local),
                                static_cast<Real>(factor)};
    first = last;
  }
  Kokkos::deep_copy(exec_, rows_, rows_on_host_);
  for (std::size_t s = 0; s < parts_.size(); ++s) {
    fill_terms(in, s);
    Kokkos::deep_copy(exec_, terms_, terms_on_host_);
    mix_rows(exec_, parts_[s].chunks, rows_, terms_);
    // The tables on the host are filled again for the next segment.
    fence(exec_, "parley::gossip::sum_rows");
  }
}

void GossipChannel::fill_terms(const Matrix& in, std::size_t segment) {
  std::size_t n = 0;
  for (std::int64_t i = agents_.first(); i < agents_.first() + agents_.count(); ++i) {
    const WeightRow& row = plan_->rows[at(agents_.local(i))];
    for (std::size_t t = 0; t < row.agent.size(); ++t) {
      const std::int64_t j = row.agent[t];
      if (j == i) continue;
      RowView view;
      if (agents_.owns(j)) {
        view = {row_data(in, agents_.local(j)), 0, false};
      } else {
        const std::size_t ghost = at(index_in(plan_->routes.receives, j));
        const MessageBuffer& buffer = set().incoming[ghost * parts_.size() + segment];
        view = {form_.wire == nullptr ? buffer.payload()
                                      : row_data(expanded_, static_cast<std::int64_t>(ghost)),
                parts_[segment].begin, true};
      }
      terms_on_host_(n++) = {view, static_cast<Real>(row.weight[t])};
    }
  }
}

void GossipChannel::count_traffic() {
  traffic_.rounds += rounds_;
  traffic_.bytes = sets_[0].sends.bytes_started() + sets_[1].sends.bytes_started();
  traffic_.messages = sets_[0].sends.messages_started() + sets_[1].sends.messages_started();
}

}  // namespace parley
