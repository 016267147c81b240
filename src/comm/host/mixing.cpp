// SPDX-License-Identifier: BSD-3-Clause
// The matrices by round.
#include "comm/host/mixing.hpp"

#include <algorithm>

#include "comm/host/schedule.hpp"
#include "core/check.hpp"

namespace parley {

Mixing::Mixing(Weights weights) : Mixing(std::vector<Weights>{std::move(weights)}) {}

Mixing::Mixing(std::vector<Weights> period) : period_(std::move(period)) {
  ensure(!period_.empty(), "Mixing: at least one matrix");
  for (const Weights& weights : period_) {
    ensure(weights.rows.size() == period_[0].rows.size(), "Mixing: matrices of one size");
  }
  symmetric_ = std::all_of(period_.begin(), period_.end(),
                           [](const Weights& weights) { return weights.symmetric; });
}

Mixing::Mixing(Draw draw, bool symmetric)
    : draw_(std::move(draw)), symmetric_(symmetric), drawn_(draw_(0)) {}

const Weights& Mixing::at(std::int64_t round) const {
  if (!random()) return period_[static_cast<std::size_t>(varies() ? round % period() : 0)];
  if (round != drawn_round_) {
    drawn_ = draw_(round);
    drawn_round_ = round;
  }
  return drawn_;
}

namespace {

/// UserError where the schedule would ignore what the graph or the deck says.
void check_schedule(const Graph& graph, const GraphOptions& options, const std::string& where) {
  if (graph.directed) {
    fail_user(
        "{}: schedule = \"{}\" pairs agents along edges in both directions, but graph {} is "
        "directed; remove the key or take an undirected graph",
        where, options.schedule, options.kind.kind);
  }
  if (options.weights == "metropolis" && graph.given.empty()) return;
  fail_user(
      "{}: schedule = \"{}\" averages pairs by halves and would ignore the weights of {}; remove "
      "them or the schedule",
      where, options.schedule, graph.given.empty() ? "the deck" : "the graph");
}

}  // namespace

Mixing make_mixing(const Graph& graph, const GraphOptions& options, const std::string& where) {
  const GraphRow& row = find_graph(options.kind.kind);
  if (row.vary != nullptr) {
    if (options.schedule != "static") {
      fail_user("{}: graph {} varies by itself, without schedule = \"{}\"; remove the key", where,
                options.kind.kind, options.schedule);
    }
    return row.vary(options, graph.agents, where);
  }
  if (options.schedule == "static") return Mixing(make_weights(graph, options, where));
  check_schedule(graph, options, where);
  return options.schedule == "round-robin"
             ? round_robin(graph, options.lazy)
             : random_matchings(graph, options.schedule_seed, options.lazy);
}

}  // namespace parley
