// SPDX-License-Identifier: BSD-3-Clause
// Proximal maps and support functions.
#include "games/player_sets.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/project.hpp"

namespace parley {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void describe_player(Fields& fields, PlayerSet& set) {
  fields.key("radius", set.radius,
             {.sentence = "Radius of the Euclidean ball around 0 that the player stays in; absent: "
                          "no ball.",
              .min = 0,
              .min_excluded = true});
  fields.key("low", set.low, {.sentence = "Lower bound of every coordinate; absent: none."});
  fields.key("high", set.high, {.sentence = "Upper bound of every coordinate; absent: none."});
  fields.key("l1", set.l1,
             {.sentence = "Weight of ||.||_1, added to what the player minimizes.", .min = 0});
  if (set.radius && (set.low || set.high)) {
    fields.mistake("radius", "is a ball, low and high are a box; take one of them");
  }
  if (set.low && set.high && *set.low > *set.high) fields.mistake("low", "must not be above high");
}

double square_sum(std::span<const double> v) {
  return std::inner_product(v.begin(), v.end(), v.begin(), 0.0);
}

double soft(double v, double threshold) {
  return std::copysign(std::max(std::abs(v) - threshold, 0.0), v);
}

void project_ball(double radius, std::span<double> v) {
  const double norm = std::sqrt(square_sum(v));
  if (norm <= radius) return;
  for (double& value : v) value *= radius / norm;
}

/// The threshold t with sum max(v_j - t, 0) = 1, by sorting (Held, Wolfe and Crowder 1974).
void project_simplex(std::span<double> v) {
  std::vector<double> sorted(v.begin(), v.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = -1, threshold = 0;
  for (std::size_t j = 0; j < sorted.size(); ++j) {
    sum += sorted[j];
    const double candidate = sum / static_cast<double>(j + 1);
    if (sorted[j] > candidate) threshold = candidate;
  }
  for (double& value : v) value = std::max(value - threshold, 0.0);
}

/// max over t in [low, high] of g t - l1 |t|: at an end of the interval, or at its number nearest
/// to 0. The unbounded directions are infinite only where they gain.
double support_box(const PlayerSet& set, std::span<const double> g) {
  const double low = set.low.value_or(-infinity), high = set.high.value_or(infinity);
  double sum = 0;
  for (const double slope : g) {
    if ((std::isinf(low) && -slope > set.l1) || (std::isinf(high) && slope > set.l1)) {
      return infinity;
    }
    const double nearest = std::clamp(0.0, low, high);
    double best = slope * nearest - set.l1 * std::abs(nearest);
    for (const double t : {low, high}) {
      if (std::isfinite(t)) best = std::max(best, slope * t - set.l1 * std::abs(t));
    }
    sum += best;
  }
  return sum;
}

void prox_player(const Exec& exec, const PlayerSet& set, double eta, const Columns& columns,
                 const Matrix& z) {
  if (set.l1 > 0) soft_threshold(exec, z, columns, eta * set.l1);
  if (set.radius) project_ball(exec, z, columns, *set.radius);
  if (set.low || set.high) {
    project_box(exec, z, columns, set.low.value_or(-infinity), set.high.value_or(infinity));
  }
  if (set.simplex) project_simplex(exec, z, columns, 1);
}

}  // namespace

void describe(Fields& fields, PlayerSets& sets) {
  fields.table("constraint", {.sentence = "Sets and regularisers of the players."},
               [&sets](Fields& both) {
                 both.table("x", {.sentence = "Of the player that minimizes."},
                            [&sets](Fields& f) { describe_player(f, sets.x); });
                 both.table("y", {.sentence = "Of the player that maximizes."},
                            [&sets](Fields& f) { describe_player(f, sets.y); });
               });
}

void prox_rows(const Exec& exec, const PlayerSets& sets, const Layout& layout, const Pair& eta,
               const Matrix& z) {
  for (const Block& block : layout.blocks()) {
    const bool is_x = block.player == Player::x;
    prox_player(exec, is_x ? sets.x : sets.y, is_x ? eta.x : eta.y, {block.column, block.size}, z);
  }
}

void prox_vector(const PlayerSet& set, double eta, std::span<double> v) {
  for (double& value : v) {
    value = std::clamp(soft(value, eta * set.l1), set.low.value_or(-infinity),
                       set.high.value_or(infinity));
  }
  if (set.radius) project_ball(*set.radius, v);
  if (set.simplex) project_simplex(v);
}

double support(const PlayerSet& set, std::span<const double> g) {
  if (set.simplex) return *std::max_element(g.begin(), g.end());
  if (!set.radius) return support_box(set, g);
  std::vector<double> left;
  for (const double slope : g) left.push_back(soft(slope, set.l1));
  return *set.radius * std::sqrt(square_sum(left));
}

bool is_free(const PlayerSet& set, std::span<const double> v) {
  if (set.l1 > 0 || set.simplex) return false;
  if (set.radius && !(square_sum(v) < *set.radius * *set.radius)) return false;
  return std::all_of(v.begin(), v.end(), [&set](double value) {
    return set.low.value_or(-infinity) < value && value < set.high.value_or(infinity);
  });
}

}  // namespace parley
