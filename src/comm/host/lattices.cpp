// SPDX-License-Identifier: BSD-3-Clause
// Graphs with the neighbours of a lattice: ring, path, grid, torus, ladder, hypercube.
#include <optional>

#include "comm/host/topologies.hpp"
#include "core/check.hpp"

namespace parley {

namespace {

struct LatticeOptions {
  std::optional<std::int64_t> rows, columns;
};

void describe(Fields& fields, LatticeOptions& options) {
  About about{"Rows; absent: the divisor of run.agents that makes it most square."};
  about.min = 1;
  fields.key("rows", options.rows, about);
  about.sentence = "Columns; absent: run.agents / rows.";
  fields.key("columns", options.columns, about);
}

Graph make_ring(const Choice&, std::int64_t n, const std::string&) {
  Neighbours in = no_neighbours(n);
  for (std::int64_t i = 0; i < n; ++i) join(in, i, (i + 1) % n);
  return graph_from(std::move(in));
}

Graph make_path(const Choice&, std::int64_t n, const std::string&) {
  Neighbours in = no_neighbours(n);
  for (std::int64_t i = 0; i + 1 < n; ++i) join(in, i, i + 1);
  return graph_from(std::move(in));
}

std::int64_t most_square_rows(std::int64_t n) {
  std::int64_t rows = 1;
  for (std::int64_t r = 1; r * r <= n; ++r) {
    if (n % r == 0) rows = r;
  }
  return rows;
}

/// Agent r columns + c at row r and column c; joined to the next row and column, also from the last
/// to the first where the lattice `closes`.
Graph make_lattice(const Choice& choice, std::int64_t n, const std::string& where, bool closes) {
  const auto& options = choice.as<LatticeOptions>();
  const std::int64_t rows =
      options.rows.value_or(options.columns ? n / *options.columns : most_square_rows(n));
  const std::int64_t columns = options.columns.value_or(rows > 0 ? n / rows : 0);
  if (rows * columns != n) {
    fail_user(
        "{}: a {} of {} x {} agents does not hold the {} agents of run.agents; rows x columns must "
        "equal them",
        where, choice.kind, rows, columns, n);
  }
  Neighbours in = no_neighbours(n);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t i = r * columns + c;
      if (closes || c + 1 < columns) join(in, i, r * columns + (c + 1) % columns);
      if (closes || r + 1 < rows) join(in, i, (r + 1) % rows * columns + c);
    }
  }
  return graph_from(std::move(in));
}

Graph make_grid(const Choice& choice, std::int64_t n, const std::string& where) {
  return make_lattice(choice, n, where, false);
}

Graph make_torus(const Choice& choice, std::int64_t n, const std::string& where) {
  return make_lattice(choice, n, where, true);
}

/// Agents 0..n/2-1 are one rail, the others the other rail.
Graph make_ladder(const Choice&, std::int64_t n, const std::string& where) {
  if (n % 2 != 0) {
    fail_user("{}: a ladder has two rails of equal length; run.agents = {} is odd", where, n);
  }
  Neighbours in = no_neighbours(n);
  for (std::int64_t i = 0; i < n / 2; ++i) {
    join(in, i, i + n / 2);
    if (i + 1 == n / 2) continue;
    join(in, i, i + 1);
    join(in, i + n / 2, i + 1 + n / 2);
  }
  return graph_from(std::move(in));
}

/// Neighbours differ in one binary digit of their numbers.
Graph make_hypercube(const Choice&, std::int64_t n, const std::string& where) {
  if ((n & (n - 1)) != 0) {
    fail_user("{}: a hypercube has 1, 2, 4, 8, ... agents; run.agents = {} is no power of two",
              where, n);
  }
  Neighbours in = no_neighbours(n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t bit = 1; bit < n; bit *= 2) {
      if ((i & bit) == 0) join(in, i, i | bit);
    }
  }
  return graph_from(std::move(in));
}

}  // namespace

GraphRow ring_row() {
  return {make_kind<PlainGraphOptions>("ring", "Each agent reads the one before and the one after",
                                       "Liu et al. 2020, section 5"),
          make_ring};
}

GraphRow path_row() {
  return {make_kind<PlainGraphOptions>("path", "A ring that does not close",
                                       "the slowest graph to mix"),
          make_path};
}

GraphRow grid_row() {
  return {make_kind<LatticeOptions>("grid", "Rows and columns; up to 4 neighbours",
                                    "product of two paths"),
          make_grid};
}

GraphRow torus_row() {
  return {make_kind<LatticeOptions>("torus", "A grid whose rows and columns close; 4 neighbours",
                                    "product of two rings"),
          make_torus};
}

GraphRow ladder_row() {
  return {
      make_kind<PlainGraphOptions>("ladder", "Two paths of M/2 agents with rungs from i to i + M/2",
                                   "product of a path and an edge"),
      make_ladder};
}

GraphRow hypercube_row() {
  return {make_kind<PlainGraphOptions>("hypercube",
                                       "Neighbours differ in one binary digit; M a power of two",
                                       "product of log2 M edges"),
          make_hypercube};
}

}  // namespace parley
