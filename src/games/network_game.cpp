// SPDX-License-Identifier: BSD-3-Clause
// Loops over the local agents.
#include "games/network_game.hpp"

#include <algorithm>

namespace parley {

NetworkGame::NetworkGame(const GameContext& context, std::int64_t losses)
    : agents_(context.agents),
      features_(*context.data, context.agents),
      losses_("parley::network_game::losses", static_cast<std::size_t>(losses * agents_.count())),
      per_agent_(losses),
      unrecorded_("parley::network_game::unrecorded_losses", static_cast<std::size_t>(losses)) {}

void NetworkGame::initial(std::uint64_t seed, std::string_view agents, const Matrix& z) {
  HostVector host("parley::network_game::initial", static_cast<std::size_t>(layout().width()));
  for (std::int64_t local = 0; local < agents_.count(); ++local) {
    const std::int64_t agent = agents == "per_agent" ? agents_.first() + local : 0;
    initialize({seed, agent}, host);
    Kokkos::deep_copy(row(z, local), host);
  }
}

void NetworkGame::field(const Exec& exec, const Matrix& z, const Sample& sample, const Matrix& f,
                        const Ready& ready) {
  std::int64_t largest = 0;
  for (std::int64_t local = 0; local < agents_.count(); ++local) {
    largest = std::max(largest, features_.batch_rows(local, sample));
  }
  reserve(largest);
  for (std::int64_t local = 0; local < agents_.count(); ++local) {
    const std::int64_t batch = features_.batch_rows(local, sample);
    fill_batch(exec, local, sample, batch);
    const auto final_block = [&](std::int64_t block) {
      if constexpr (!on_host) fence(exec, "parley::network_game::block");
      ready(local, block);
    };
    evaluate(exec, row(z, local), batch, row(f, local), losses_of(local, sample), final_block);
  }
  fence(exec, "parley::network_game::field");
}

Doubles NetworkGame::losses_of(std::int64_t local, const Sample& sample) const {
  if (sample.stream != Stream::train) return unrecorded_;
  return Kokkos::subview(losses_, std::make_pair(per_agent_ * local, per_agent_ * (local + 1)));
}

SamplePlan plan_samples(const Deck& deck, const DataShape& data, std::int64_t batch) {
  // The full local data: an agent's share of the rows, the largest one.
  const std::int64_t agents = deck.run.agents;
  const auto element = static_cast<std::int64_t>(size_of(data.type));
  return {batch > 0 ? batch : (data.train_rows + agents - 1) / agents,
          data.train_rows / agents * data.features * element,
          data.test_rows * data.features * static_cast<std::int64_t>(sizeof(Real))};
}

}  // namespace parley
