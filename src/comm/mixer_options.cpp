// SPDX-License-Identifier: BSD-3-Clause
// Properties, refusals and sizes of the mixers.
#include "comm/mixer_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "comm/compressor.hpp"

namespace parley {

namespace {

bool accelerates(const MixerOptions& options) {
  return options.acceleration != "none";
}

bool compresses(const MixerOptions& options) {
  return options.compression.kind != "none";
}

}  // namespace

MixerOptions mixer_options(const Deck& deck, double rho) {
  return {deck.graph.acceleration, rho, deck.graph.compression,
          static_cast<std::uint64_t>(deck.run.seed)};
}

MixerProperties mixer_properties(const MixerOptions& options, const Mixing& mixing) {
  MixerProperties out;
  out.linear = !compresses(options);
  out.symmetric = mixing.symmetric() && !compresses(options);
  out.doubly_stochastic = mixing.doubly_stochastic();
  out.stateless = mixing.doubly_stochastic() && !compresses(options);
  // Push-sum keeps the sum of the rows that it mixes, which is what methods build on.
  out.keeps_mean = true;
  out.convex = mixing.doubly_stochastic() && !accelerates(options) && !compresses(options);
  return out;
}

std::optional<MixerRefusal> mixer_refusal(const MixerOptions& options, const Mixing& mixing) {
  if (accelerates(options)) {
    const std::string set = fmt::format("\"{}\" ", options.acceleration);
    const std::string remedy = "; write acceleration = \"none\"";
    if (mixing.varies()) {
      return MixerRefusal{"acceleration", set +
                                              "is a polynomial of one W, and this graph's W varies "
                                              "from round to round" +
                                              remedy};
    }
    if (!mixing.doubly_stochastic()) {
      return MixerRefusal{
          "acceleration",
          set + "needs symmetric mixing weights, which push-sum's are not" + remedy};
    }
    if (!mixing.symmetric()) {
      return MixerRefusal{"acceleration", set +
                                              "needs symmetric mixing weights, which this directed "
                                              "graph does not give; take an undirected graph or "
                                              "write acceleration = \"none\""};
    }
  }
  if (compresses(options)) {
    const std::string set = fmt::format("\"{}\" ", options.compression.kind);
    if (accelerates(options)) {
      return MixerRefusal{"compression.kind", set +
                                                  "does not go with acceleration: differences are "
                                                  "mixed round by round; drop one of the two"};
    }
    if (mixing.varies()) {
      return MixerRefusal{"compression.kind", set +
                                                  "needs one W for all rounds, for which agents "
                                                  "remember what neighbours sent; this graph's W "
                                                  "varies; drop the compression"};
    }
    if (!mixing.doubly_stochastic()) {
      return MixerRefusal{"compression.kind", set +
                                                  "needs doubly stochastic mixing weights, which "
                                                  "push-sum's are not; drop one of the two"};
    }
  }
  return std::nullopt;
}

std::int64_t message_bytes(const MixerOptions& options, std::int64_t dim) {
  const CompressorRow& rule = find_compressor(options.compression.kind);
  return rule.numbers(options.compression, dim) * static_cast<std::int64_t>(sizeof(Real));
}

std::int64_t channel_rows(const MixerOptions& options, std::int64_t rounds) {
  // Compressed: x, xhat, the pull, x - xhat, q, W q, and the neighbours' q.
  if (compresses(options)) return 7;
  return std::min<std::int64_t>(rounds - 1, accelerates(options) ? 2 : 1);
}

}  // namespace parley
