// SPDX-License-Identifier: BSD-3-Clause
// How rows are mixed, what that promises, and which choices do not go together: what a plan needs
// to know of a mixer. No messages, any number of ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "comm/host/mixing.hpp"
#include "deck/deck.hpp"

namespace parley {

/// What a mixer promises; a method declares which of them it requires.
struct MixerProperties {
  bool linear = true;
  bool symmetric = true;
  bool doubly_stochastic = true;  ///< equal rows stay as they are: no division by weights
  bool stateless = true;
  bool keeps_mean = true;
  bool convex = true;  ///< mixed rows are convex combinations: what is positive stays so
};

/// How rows are mixed beyond W and the number of rounds.
struct MixerOptions {
  std::string acceleration = "none";  ///< none | chebyshev | fastmix
  double rho = 0;                     ///< ||W - J||_2, which the accelerated forms need
  Choice compression{"none", {}};     ///< of compressor_registry()
  std::uint64_t seed = 0;             ///< of random compressors
};

/// The options of a deck whose W contracts by rho.
MixerOptions mixer_options(const Deck& deck, double rho);

/// What the mixer of these options promises: the same in a plan and in a run.
MixerProperties mixer_properties(const MixerOptions& options, const Mixing& mixing);

/// A key of [graph] that does not go with the mixing matrices or with another key, and why.
struct MixerRefusal {
  std::string key;
  std::string reason;  ///< with the remedy
};
std::optional<MixerRefusal> mixer_refusal(const MixerOptions& options, const Mixing& mixing);

/// Bytes of one row of dim numbers in a message, header not counted.
std::int64_t message_bytes(const MixerOptions& options, std::int64_t dim);

/// Rows per local agent that a channel holds besides its messages.
std::int64_t channel_rows(const MixerOptions& options, std::int64_t rounds);

}  // namespace parley
