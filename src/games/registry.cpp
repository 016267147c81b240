// SPDX-License-Identifier: BSD-3-Clause
// The games that a deck can name. A new game adds its declaration and its row.
#include <algorithm>
#include <array>

#include "core/check.hpp"
#include "games/game.hpp"

namespace parley {

GameRow bilinear_row();
GameRow quadratic_row();
GameRow gan_row();
GameRow robust_linear_row();
GameRow robust_nonconvex_row();
GameRow robust_logistic_row();
GameRow dro_logistic_row();
GameRow auc_row();
GameRow matrix_game_row();
GameRow chain_row();
GameRow linear_wgan_row();
GameRow pl_game_row();
GameRow dirac_gan_row();
GameRow covariance_row();
GameRow robust_network_row();

std::span<const GameRow> game_registry() {
  static const std::array rows{
      quadratic_row(),
      bilinear_row(),
      matrix_game_row(),
      linear_wgan_row(),
      pl_game_row(),
      chain_row(),
      dirac_gan_row(),
      covariance_row(),
      robust_linear_row(),
      robust_nonconvex_row(),
      robust_logistic_row(),
      dro_logistic_row(),
      auc_row(),
      robust_network_row(),
      gan_row(),
  };
  return rows;
}

const GameRow& find_game(std::string_view name) {
  const auto rows = game_registry();
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const GameRow& row) { return row.kind.name == name; });
  ensure(found != rows.end(), "find_game: the deck reader lets only registered games through");
  return *found;
}

}  // namespace parley
