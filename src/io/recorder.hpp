// SPDX-License-Identifier: BSD-3-Clause
// log.h5: one row per record, kept whole in memory (it is small), rewritten as a fresh copy and
// renamed into place at each flush, so that the file opens after kill -9 at any moment and while
// the run goes on. One rank's business (rank 0): no MPI, no Kokkos.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/provenance.hpp"

namespace parley {

struct Column {
  std::string name, unit, meaning;
  bool integer = false;  ///< stored as int64
};

/// The graph as the log holds it.
struct GraphRecord {
  std::string kind;
  std::int64_t agents = 1, rounds = 1;
  double rho = 0, gap = 1;  ///< of a period; of one round where random
  std::vector<std::pair<std::int64_t, std::int64_t>> edges;
  std::vector<double> w;  ///< matrices x agents x agents
  std::string schedule = "static";
  std::int64_t period = 1;    ///< rounds until the matrices come again; 0: random
  std::int64_t matrices = 1;  ///< that w holds: of the first rounds
  double contraction = 0;     ///< of one mix by the spectrum
  /// The same as a probe found it; absent where nothing gossips.
  std::optional<double> measured = std::nullopt;
};

/// One record: values in the order of the columns; per-agent values column by column, M each.
struct Row {
  std::vector<double> values;
  std::vector<std::vector<double>> agents;
};

class Recorder {
 public:
  Recorder(std::filesystem::path file, Provenance provenance, GraphRecord graph,
           std::vector<Column> columns, std::vector<Column> agent_columns);

  /// Takes the rows of an existing log up to and including `iteration` (resume); the columns must
  /// be the same: RunError otherwise.
  void restore(std::int64_t iteration);
  void append(Row row);
  /// Writes if `force`d by the caller's cadence max(2 s, 100 x the measured flush time).
  void flush_if_due();
  void flush();

  const std::vector<Column>& columns() const { return columns_; }
  std::size_t rows() const { return rows_.size(); }
  /// Last value of a column by name; NaN when there is no row.
  double last(const std::string& column) const;

 private:
  std::filesystem::path file_;
  Provenance provenance_;
  GraphRecord graph_;
  std::vector<Column> columns_, agent_columns_;
  std::vector<Row> rows_;
  std::chrono::steady_clock::time_point flushed_{};
  double flush_seconds_ = 0;
};

}  // namespace parley
