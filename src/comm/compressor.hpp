// SPDX-License-Identifier: BSD-3-Clause
// What a message of compressed mixing carries of a row, and the registry of the rules. A rule knows
// rows without padding and nothing of agents' neighbours.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "deck/fields.hpp"
#include "kernels/philox.hpp"
#include "kernels/types.hpp"

namespace parley {

/// Q: a contraction, E||Q(x) - x||^2 <= (1 - delta)||x||^2 with delta in (0, 1]. Unbiased forms
/// (rand-k scaled up) are no contractions and make difference compression diverge.
class Compressor {
 public:
  virtual ~Compressor() = default;
  /// message = Q(row), row of dim finite numbers, message of numbers() numbers. `random`: keyed by
  /// agent and draw; both ends of a message have it.
  virtual void compress(const Exec& exec, const Philox& random, const Real* row, Real* message) = 0;
  /// row = what the message stands for.
  virtual void expand(const Exec& exec, const Philox& random, const Real* message, Real* row) = 0;
};

/// A rule of the registry.
struct CompressorRow {
  Kind kind;
  /// Numbers of type Real in the message of a row of dim numbers.
  std::int64_t (*numbers)(const Choice& choice, std::int64_t dim);
  /// g_c: the step towards the neighbours.
  double (*step)(const Choice& choice);
  /// Null for "none".
  std::unique_ptr<Compressor> (*make)(const Choice& choice, std::int64_t dim);
};

/// none, identity, top-k, rand-k, bf16.
std::span<const CompressorRow> compressor_registry();
const CompressorRow& find_compressor(std::string_view name);

/// The key `share` of rules that keep some numbers; the sentence says which.
void describe_share(Fields& fields, double& share, std::string_view sentence);

/// The key `step` of all rules.
void describe_step(Fields& fields, double& step);

/// The numbers that a share of dim keeps: at least one.
std::int64_t kept_numbers(double share, std::int64_t dim);

}  // namespace parley
