// SPDX-License-Identifier: BSD-3-Clause
// Plans of rounds and their cache.
#include "comm/rounds.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace parley {

RoundPlan make_round_plan(const Weights& weights, const Agents& agents) {
  RoundPlan plan;
  const auto first = weights.rows.begin() + agents.first();
  plan.rows.assign(first, first + agents.count());
  plan.routes = make_routes(weights, agents);
  for (const Route& route : plan.routes.sends) {
    if (plan.sent_agents.empty() || plan.sent_agents.back() != route.agent) {
      plan.sent_agents.push_back(route.agent);
    }
    plan.buffer_of_route.push_back(plan.sent_agents.size() - 1);
  }
  for (const WeightRow& row : plan.rows) plan.terms += row.agent.size() - 1;
  return plan;
}

Rounds::Rounds(const Mixing& mixing, const Agents& agents)
    : mixing_(mixing),
      agents_(agents),
      plans_(static_cast<std::size_t>(std::max<std::int64_t>(mixing.period(), 1))) {}

const RoundPlan& Rounds::at(std::int64_t round) {
  ensure(round >= 0 || !vary(), "Rounds: rounds are counted from 0");
  if (mixing_.random()) return plans_[0].emplace(make_round_plan(mixing_.at(round), agents_));
  const std::int64_t place = vary() ? round % mixing_.period() : 0;
  auto& plan = plans_[static_cast<std::size_t>(place)];
  return plan ? *plan : plan.emplace(make_round_plan(mixing_.at(place), agents_));
}

}  // namespace parley
