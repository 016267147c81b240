// SPDX-License-Identifier: BSD-3-Clause
// Sets and regularisers of the two players: their keys in a deck, the proximal step on rows, and
// the same on the host in double for merit functions. Knows no objective.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/layout.hpp"
#include "deck/fields.hpp"
#include "kernels/types.hpp"
#include "kernels/vector.hpp"

namespace parley {

/// What one player may play: a Euclidean ball, a box or the simplex (at most one of them; none: the
/// whole space), and the weight of ||v||_1 in its objective.
struct PlayerSet {
  std::optional<double> radius;     ///< ||v||_2 <= radius
  std::optional<double> low, high;  ///< low <= v_j <= high
  bool simplex = false;             ///< v_j >= 0, sum v_j = 1
  double l1 = 0;

  bool any() const { return radius || low || high || simplex || l1 > 0; }
  bool bounded() const { return radius || (low && high) || simplex; }
};

struct PlayerSets {
  PlayerSet x, y;

  bool any() const { return x.any() || y.any(); }
};

/// The table `constraint` with tables x and y: radius, low, high, l1.
void describe(Fields& fields, PlayerSets& sets);

/// Rows z = prox of eta l1 ||.||_1 plus the indicators of the sets; the exact proximal map: a
/// projection on a centred ball, or on a box, may follow the soft threshold (Yu, NeurIPS 2013).
/// Asynchronous.
void prox_rows(const Exec& exec, const PlayerSets& sets, const Layout& layout, const Pair& eta,
               const Matrix& z);

/// The same map of one player's vector, on the host.
void prox_vector(const PlayerSet& set, double eta, std::span<double> v);

/// max over v in the set of g'v - l1 ||v||_1; infinite where nothing bounds it.
double support(const PlayerSet& set, std::span<const double> g);

/// True when v lies in the interior of the set and no regulariser acts on it.
bool is_free(const PlayerSet& set, std::span<const double> v);

}  // namespace parley
