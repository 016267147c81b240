// SPDX-License-Identifier: BSD-3-Clause
// Routes of rows, slices of means, and the bytes of both.
#include "comm/routes.hpp"

#include <algorithm>
#include <set>

#include "comm/message.hpp"
#include "comm/mixer.hpp"

namespace parley {

namespace {

constexpr auto header_bytes = static_cast<std::int64_t>(sizeof(MessageHeader));

}  // namespace

Routes make_routes(const Weights& weights, const Agents& agents) {
  std::set<std::pair<std::int64_t, int>> sends;
  std::set<std::int64_t> receives;
  for (std::int64_t i = 0; i < agents.total(); ++i) {
    for (const std::int64_t j : weights.rows[static_cast<std::size_t>(i)].agent) {
      if (agents.owns(j) && !agents.owns(i)) sends.emplace(j, agents.owner(i));
      if (agents.owns(i) && !agents.owns(j)) receives.insert(j);
    }
  }
  Routes routes;
  for (const auto& [agent, rank] : sends) routes.sends.push_back({agent, rank});
  for (const std::int64_t agent : receives) {
    routes.receives.push_back({agent, agents.owner(agent)});
  }
  return routes;
}

Slice slice_of(std::int64_t dim, std::int64_t alignment, int rank, int ranks) {
  const std::int64_t units = (dim + alignment - 1) / alignment;
  const Agents parts(units, rank, ranks);
  return {std::min(dim, parts.first() * alignment),
          std::min(dim, (parts.first() + parts.count()) * alignment)};
}

MixPlan plan_gossip(const Weights& weights, std::int64_t rounds, std::int64_t bytes, int ranks) {
  const auto agents = static_cast<std::int64_t>(weights.rows.size());
  const auto message = static_cast<double>((bytes + header_bytes) * rounds);
  std::int64_t edges = 0;
  for (const WeightRow& row : weights.rows) {
    edges += static_cast<std::int64_t>(row.agent.size()) - 1;
  }
  std::size_t messages = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    messages += make_routes(weights, Agents(agents, rank, ranks)).sends.size();
  }
  return {static_cast<double>(edges) / static_cast<double>(agents) * message,
          static_cast<double>(messages) * message};
}

MixPlan plan_gossip(const Mixing& mixing, std::int64_t rounds, std::int64_t bytes, int ranks) {
  constexpr std::int64_t sample = 64;
  const std::int64_t count = mixing.random() ? sample : mixing.period();
  MixPlan mean;
  for (std::int64_t r = 0; r < count; ++r) {
    const MixPlan one = plan_gossip(mixing.at(r), rounds, bytes, ranks);
    mean.bytes_per_agent += one.bytes_per_agent / static_cast<double>(count);
    mean.bytes_between_ranks += one.bytes_between_ranks / static_cast<double>(count);
  }
  return mean;
}

MixPlan plan_mean(std::int64_t agents, std::int64_t bytes, int ranks) {
  const auto between = [&](int count) {
    std::int64_t sum = 0;
    for (int q = 0; q < count; ++q) {
      const std::int64_t slice = slice_of(bytes, header_bytes, q, count).size();
      for (int p = 0; p < count; ++p) {
        const std::int64_t rows = Agents(agents, p, count).count();
        if (p != q && rows > 0) sum += header_bytes + rows * slice;
        if (p != q && slice > 0) sum += header_bytes + slice;
      }
    }
    return static_cast<double>(sum);
  };
  return {between(static_cast<int>(agents)) / static_cast<double>(agents), between(ranks)};
}

}  // namespace parley
