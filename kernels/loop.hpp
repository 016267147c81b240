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

/// term(0) + ... + term(count - 1) in double, in an order that depends on `count` only: sixteen
/// independent partial sums, so that the loop vectorizes.
template <class Term>
KOKKOS_INLINE_FUNCTION double lane_sum(std::int64_t count, const Term& term) {
  constexpr std::int64_t lanes = 16;
  double part[lanes] = {};
  std::int64_t j = 0;
  for (; j + lanes <= count; j += lanes) {
    for (std::int64_t l = 0; l < lanes; ++l) part[l] += term(j + l);
  }
  double sum = 0;
  for (; j < count; ++j) sum += term(j);
  for (std::int64_t l = 0; l < lanes; ++l) sum += part[l];
  return sum;
}

/// The passes of for_each_row over one row: a CPU thread alone, on GPUs a team.
class RowWorker {
 public:
#ifdef PARLEY_CUDA
  using Team = Kokkos::TeamPolicy<Exec>::member_type;
  KOKKOS_INLINE_FUNCTION explicit RowWorker(const Team& team) : team_(team) {}

  template <class Term>
  KOKKOS_INLINE_FUNCTION double sum(std::int64_t count, const Term& term) const {
    double total = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team_, count),
        [&](const std::int64_t j, double& part) { part += term(j); }, total);
    return total;
  }
  template <class Term>
  KOKKOS_INLINE_FUNCTION double largest(std::int64_t count, const Term& term) const {
    double most = term(0);
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team_, count),
        [&](const std::int64_t j, double& part) {
          const double value = term(j);
          if (value > part) part = value;
        },
        Kokkos::Max<double>(most));
    return most;
  }
  template <class Body>
  KOKKOS_INLINE_FUNCTION void each(std::int64_t count, const Body& body) const {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team_, count),
                         [&](const std::int64_t j) { body(j); });
    team_.team_barrier();
  }

 private:
  const Team& team_;
#else
  /// term(0) + ... in double, in an order that depends on `count` only.
  template <class Term>
  double sum(std::int64_t count, const Term& term) const {
    return lane_sum(count, term);
  }
  /// The largest term, in double; count > 0.
  template <class Term>
  double largest(std::int64_t count, const Term& term) const {
    double most = term(0);
    for (std::int64_t j = 1; j < count; ++j) {
      const double value = term(j);
      most = value > most ? value : most;
    }
    return most;
  }
  /// Calls body(j) for every j < count; the calls must not depend on one another.
  template <class Body>
  void each(std::int64_t count, const Body& body) const {
#pragma GCC ivdep
    for (std::int64_t j = 0; j < count; ++j) body(j);
  }
#endif
};

/// Calls body(worker, i) for every row i < rows: for work on a row that takes several passes.
/// `body` is a functor whose call operator is KOKKOS_INLINE_FUNCTION.
template <class Body>
void for_each_row(const Exec& exec, const char* label, std::int64_t rows, const Body& body) {
#ifdef PARLEY_CUDA
  using Team = Kokkos::TeamPolicy<Exec>;
  Kokkos::parallel_for(
      label, Team(exec, static_cast<int>(rows), 128),
      KOKKOS_LAMBDA(const Team::member_type& team) { body(RowWorker(team), team.league_rank()); });
#else
  Kokkos::parallel_for(label, Range(exec, 0, rows), [=](std::int64_t i) { body(RowWorker(), i); });
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
    finish(i, lane_sum(columns, [&](std::int64_t j) { return term(i, j); }));
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
