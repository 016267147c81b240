// SPDX-License-Identifier: BSD-3-Clause
// A row that is drawn twice moves its entry twice, one after the other: no atomics.
#include "kernels/row_player.hpp"

#include "kernels/batch_loop.hpp"

namespace parley {

void scale_by_player(const Exec& exec, const RowBatch& batch, const RowPlayer& player,
                     const Matrix& z, const Doubles& values) {
  for_each_batch_row(
      exec, "parley::margins::scale_by_player", batch,
      KOKKOS_LAMBDA(const std::int64_t m, const std::int64_t i) {
        const std::int64_t number = player.numbers(static_cast<std::size_t>(batch.row(m, i)));
        values(static_cast<std::size_t>(m * batch.width + i)) *=
            static_cast<double>(row_of(z, m, player.column)[number]);
      });
}

void player_field(const Exec& exec, const RowBatch& batch, const RowPlayer& player, double shift,
                  const Matrix& z, const Doubles& weights, const Doubles& values, const Matrix& f) {
  const Real constant = static_cast<Real>(shift);
  for_each_element(
      exec, "parley::margins::player", rows_of(z), player.size,
      KOKKOS_LAMBDA(const std::int64_t m, const std::int64_t j) {
        row_of(f, m, player.column)[j] = row_of(z, m, player.column)[j] - constant;
      });
  for_each_draw(
      exec, "parley::margins::player_draws", batch,
      KOKKOS_LAMBDA(const std::int64_t m, const std::int64_t i) {
        const std::int64_t number = player.numbers(static_cast<std::size_t>(batch.row(m, i)));
        row_of(f, m, player.column)[number] -=
            static_cast<Real>(weights(static_cast<std::size_t>(m)) *
                              values(static_cast<std::size_t>(m * batch.width + i)));
      });
}

void add_perturbed(const Exec& exec, const RowBatch& batch, const RowPlayer& player,
                   const Matrix& z, std::int64_t w, const Doubles& products) {
  const std::int64_t features = batch.table.features;
  for_each_batch_row(
      exec, "parley::margins::perturbed", batch,
      KOKKOS_LAMBDA(const std::int64_t m, const std::int64_t i) {
        const std::int64_t number = player.numbers(static_cast<std::size_t>(batch.row(m, i)));
        const Real* const d = row_of(z, m, player.column) + number * features;
        const Real* const model = row_of(z, m, w);
        products(static_cast<std::size_t>(m * batch.width + i)) +=
            lane_sum(features, [=](std::int64_t j) {
              return static_cast<double>(d[j]) * static_cast<double>(model[j]);
            });
      });
}

void perturbed_field(const Exec& exec, const RowBatch& batch, const RowPlayer& player,
                     const Matrix& z, std::int64_t w, const Doubles& slopes, const Matrix& f) {
  const std::int64_t features = batch.table.features;
  for_each_element(
      exec, "parley::margins::perturbed_zero", rows_of(z), player.size * features,
      KOKKOS_LAMBDA(const std::int64_t m, const std::int64_t j) {
        row_of(f, m, player.column)[j] = 0;
      });
  // A column of an agent is one item: no two items write to one number.
  for_each_element(
      exec, "parley::margins::perturbed_field", rows_of(z), features,
      KOKKOS_LAMBDA(const std::int64_t m, const std::int64_t j) {
        const double model = row_of(z, m, w)[j];
        double sum = 0;
        for (std::int64_t i = 0; i < batch.size(m); ++i) {
          const std::int64_t number = player.numbers(static_cast<std::size_t>(batch.row(m, i)));
          const std::int64_t place = number * features + j;
          const double slope = slopes(static_cast<std::size_t>(m * batch.width + i));
          sum += slope * static_cast<double>(row_of(z, m, player.column)[place]);
          row_of(f, m, player.column)[place] -= static_cast<Real>(slope * model);
        }
        row_of(f, m, w)[j] += static_cast<Real>(sum);
      });
}

}  // namespace parley
