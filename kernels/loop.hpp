// SPDX-License-Identifier: BSD-3-Clause
// Element-wise loops over matrices: rows in parallel with a vectorized inner loop on CPUs, one
// thread per element on GPUs. Arithmetic belongs to the callers.
#pragma once

#include "kernels/types.hpp"

namespace parley {

/// Calls body(i, j) for every element, i < rows, j < columns; the calls must not depend on one
/// another and columns are contiguous in the caller's arrays.
template <class Body>
void for_each_element(const Exec& exec, const char* label, std::int64_t rows, std::int64_t columns,
                      const Body& body) {
#ifdef PARLEY_CUDA
  Kokkos::parallel_for(
      label, Range(exec, 0, rows * columns),
      KOKKOS_LAMBDA(std::int64_t t) { body(t / columns, t % columns); });
#else
  Kokkos::parallel_for(label, Range(exec, 0, rows), [=](std::int64_t i) {
#pragma GCC ivdep
    for (std::int64_t j = 0; j < columns; ++j) body(i, j);
  });
#endif
}

/// Adds term(i, j) over j < columns in double, in an order that depends on `columns` only, and
/// calls finish(i, sum) for every row.
template <class Term, class Finish>
void for_each_row_sum(const Exec& exec, const char* label, std::int64_t rows, std::int64_t columns,
                      const Term& term, const Finish& finish) {
#ifdef PARLEY_CUDA
  using Team = Kokkos::TeamPolicy<Exec>;
  Kokkos::parallel_for(
      label, Team(exec, static_cast<int>(rows), 128), KOKKOS_LAMBDA(const Team::member_type& team) {
        const std::int64_t i = team.league_rank();
        double sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::TeamThreadRange(team, columns),
            [&](std::int64_t j, double& part) { part += term(i, j); }, sum);
        Kokkos::single(Kokkos::PerTeam(team), [&] { finish(i, sum); });
      });
#else
  Kokkos::parallel_for(label, Range(exec, 0, rows), [=](std::int64_t i) {
    constexpr std::int64_t lanes = 16;  // independent partial sums, so that the loop vectorizes
    double part[lanes] = {};
    std::int64_t j = 0;
    for (; j + lanes <= columns; j += lanes) {
      for (std::int64_t l = 0; l < lanes; ++l) part[l] += term(i, j + l);
    }
    double sum = 0;
    for (; j < columns; ++j) sum += term(i, j);
    for (std::int64_t l = 0; l < lanes; ++l) sum += part[l];
    finish(i, sum);
  });
#endif
}

/// Calls body(is_x, t) for every element t = i * width + j of rows of agents; is_x tells columns
/// before y_begin. The calls must not depend on one another. On CPUs in chunks that belong to one
/// player.
template <class Body>
void for_each_parameter(const Exec& exec, const char* label, std::int64_t rows, std::int64_t width,
                        std::int64_t y_begin, const Body& body) {
#ifdef PARLEY_CUDA
  Kokkos::parallel_for(
      label, Range(exec, 0, rows * width),
      KOKKOS_LAMBDA(std::int64_t t) { body(t % width < y_begin, t); });
#else
  constexpr std::int64_t chunk = 2048;
  const std::int64_t chunks_x = (y_begin + chunk - 1) / chunk;
  const std::int64_t chunks = chunks_x + (width - y_begin + chunk - 1) / chunk;
  Kokkos::parallel_for(label, Range(exec, 0, rows * chunks), [=](std::int64_t item) {
    const std::int64_t c = item % chunks;
    const bool is_x = c < chunks_x;
    const std::int64_t begin = is_x ? c * chunk : y_begin + (c - chunks_x) * chunk;
    const std::int64_t limit = is_x ? y_begin : width;
    const std::int64_t size = begin + chunk < limit ? chunk : limit - begin;
    const std::int64_t first = item / chunks * width + begin;
#pragma GCC ivdep
    for (std::int64_t t = first; t < first + size; ++t) body(is_x, t);
  });
#endif
}

}  // namespace parley
