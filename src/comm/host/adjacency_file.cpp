// SPDX-License-Identifier: BSD-3-Clause
// The adjacency matrix parser.
#include "comm/host/adjacency_file.hpp"

#include <algorithm>
#include <fstream>

#include "comm/host/text_lines.hpp"
#include "core/check.hpp"

namespace parley {

namespace {

using MatrixRows = std::vector<std::vector<double>>;

std::vector<double> parse_row(const std::vector<std::string>& words, std::int64_t n,
                              const std::string& place) {
  if (static_cast<std::int64_t>(words.size()) != n) {
    fail_user("{}: {} numbers; a row of the matrix has run.agents = {}", place, words.size(), n);
  }
  std::vector<double> row;
  for (const std::string& word : words) {
    const auto value = number_of<double>(word);
    if (!value || !(*value >= 0 && *value <= 1)) {
      fail_user("{}: \"{}\" is not a number from 0 to 1", place, word);
    }
    row.push_back(*value);
  }
  return row;
}

MatrixRows read_matrix(const std::string& file, std::int64_t n, const std::string& where) {
  std::ifstream stream(file);
  if (!stream) fail_user("{}: cannot open the adjacency matrix \"{}\"", where, file);
  MatrixRows matrix;
  int count = 0;
  for (std::string line; std::getline(stream, line);) {
    const std::string place = fmt::format("{}:{}", file, ++count);
    const auto words = words_of(line);
    if (words.empty()) continue;
    if (static_cast<std::int64_t>(matrix.size()) == n) {
      fail_user("{}: more than the {} rows of run.agents", place, n);
    }
    matrix.push_back(parse_row(words, n, place));
  }
  if (stream.bad()) fail_user("{}: cannot read \"{}\" to its end", where, file);
  if (static_cast<std::int64_t>(matrix.size()) != n) {
    fail_user("{}: {} rows; the matrix has run.agents = {}", file, matrix.size(), n);
  }
  return matrix;
}

/// UserError when the matrix of an undirected graph is not symmetric or an adjacency matrix has
/// loops.
void check_entries(const MatrixRows& matrix, bool directed, bool weighted,
                   const std::string& file) {
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    if (!weighted && matrix[i][i] != 0) {
      fail_user("{}: agent {} with itself is not an edge; the diagonal of an adjacency matrix is 0",
                file, i);
    }
    for (std::size_t j = 0; !directed && j < i; ++j) {
      if (matrix[i][j] == matrix[j][i]) continue;
      fail_user(
          "{}: entries ({}, {}) and ({}, {}) differ; make the matrix symmetric or set "
          "graph.directed = true",
          file, i, j, j, i);
    }
  }
}

}  // namespace

Graph read_adjacency_file(const std::string& file, std::int64_t n, bool directed,
                          const std::string& where) {
  const MatrixRows matrix = read_matrix(file, n, where);
  const bool weighted = std::any_of(matrix.begin(), matrix.end(), [](const auto& row) {
    return std::any_of(row.begin(), row.end(), [](double a) { return a != 0 && a != 1; });
  });
  check_entries(matrix, directed, weighted, file);
  Graph graph;
  graph.agents = n;
  graph.directed = directed;
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    auto& in = graph.in.emplace_back();
    std::vector<double> weights;
    for (std::size_t j = 0; j < matrix.size(); ++j) {
      if (i == j || matrix[i][j] == 0) continue;
      in.push_back(static_cast<std::int64_t>(j));
      weights.push_back(matrix[i][j]);
    }
    if (!weighted) continue;
    graph.given.push_back(std::move(weights));
    graph.given_self.push_back(matrix[i][i]);
  }
  return graph;
}

}  // namespace parley
