// SPDX-License-Identifier: BSD-3-Clause
// The keys that every method has, and the step size of every iteration. Knows no method.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "deck/fields.hpp"
#include "kernels/vector.hpp"

namespace parley {

/// [method] step = { ... }: the step size of iteration k is the player's size times a factor.
struct StepSizes {
  double x = 0.01, y = 0.01;          ///< sizes at the start
  std::string rule = "given";         ///< given, or a formula in L and mu for both players
  std::string schedule = "constant";  ///< factor of x, and of y unless schedule_y says otherwise
  std::string schedule_y = "same";
  double delay = 1;                                    ///< inverse-sqrt
  std::optional<std::int64_t> horizon = std::nullopt;  ///< cosine; absent: run.iterations
  double final_factor = 0;                             ///< cosine
  std::vector<std::int64_t> at = {};                   ///< piecewise: iterations, ascending
  std::vector<double> factors = {};                    ///< piecewise: one per iteration of `at`
};

/// [method] clip = { x, y }: largest norm of a player's part of a field; 0: not clipped.
struct ClipOptions {
  double x = 0, y = 0;
};

/// Keys that every method has.
struct StepOptions {
  StepSizes step;
  std::int64_t batch = 0;                ///< samples per oracle call; 0: the full local data
  double ema = 0;                        ///< decay of the iterates' moving average; 0: none
  std::string iterate_average = "none";  ///< none | uniform | linear | random
  ClipOptions clip;
};
/// [method] step, batch, ema, clip.
void describe(Fields& fields, StepOptions& options);

/// eta_k of both players.
class Schedule {
 public:
  /// `iterations`: of the run, for a cosine without a horizon of its own.
  Schedule(const StepSizes& sizes, std::int64_t iterations) : sizes_(sizes), run_(iterations) {}
  /// Step sizes of iteration k = 1, 2, ...: constant: eta; inverse-sqrt: eta sqrt(d / (d + k - 1));
  /// cosine: eta (f + (1 - f) (1 + cos(pi (k - 1) / K)) / 2), f from K + 1 on; piecewise: eta times
  /// the factor of the last entry of `at` below k, 1 before the first.
  Pair at(std::int64_t k) const;

 private:
  double factor(const std::string& schedule, std::int64_t k) const;

  StepSizes sizes_;
  std::int64_t run_;
};

}  // namespace parley
