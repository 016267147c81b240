// SPDX-License-Identifier: BSD-3-Clause
// One row of the log: what is measured at a record, and its reduction over agents in agent order.
// Collective; nothing here is on the iteration path.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "comm/mean_channel.hpp"
#include "games/game.hpp"
#include "io/recorder.hpp"
#include "methods/method.hpp"
#include "solver/iterate_average.hpp"

namespace parley {

/// What a record says besides the measures.
struct RecordClock {
  std::int64_t iteration = 0;
  double wall_train = 0, wall_total = 0;
  std::int64_t bytes = 0;  ///< handed to MPI by this rank since the program's start
  std::int64_t bytes_before = 0, rounds_before = 0;  ///< of the run before a resume, all ranks
};

/// What an Evaluation is built from; the references outlive it.
struct EvaluationContext {
  MPI_Comm comm;
  const Agents& agents;
  const Exec& exec;
  Game& game;
  Method& method;
  Mixer& mixer;
  const IterateAverage& average;
  double agent_rows = 0;  ///< rows of data per agent, in the mean; 0 without data
};

class Evaluation {
 public:
  explicit Evaluation(const EvaluationContext& context);

  std::vector<Column> columns() const;
  std::vector<Column> agent_columns() const;

  /// Evaluates everything at the method's current rows. The row is complete on rank 0, empty
  /// elsewhere.
  Row record(const RecordClock& clock);

  /// Mean over agents of rows (local_agents x width): width columns on every rank, valid until the
  /// next call.
  const Vector& mean(const Matrix& rows);

 private:
  /// The contributions of the local agents to one number of the log.
  struct Part {
    Measure measure;
    std::string suffix;
    std::size_t first = 0;  ///< place of its first number among those of an agent
  };
  void add_part(const Measure& measure, const std::string& suffix) {
    parts_.push_back({measure, suffix, width_});
    width_ += static_cast<std::size_t>(measure.parts);
  }
  void append_values(const Part& part, const std::vector<double>& all,
                     std::vector<double>& to) const;
  double epochs(const OracleCount& oracle) const;
  double field_norm(std::int64_t iteration);
  std::vector<double> contributions(const Vector& zbar);
  std::vector<double> gather(const std::vector<double>& local) const;

  EvaluationContext context_;
  std::vector<Part> parts_;
  std::size_t width_;  ///< numbers that an agent contributes to a record
  std::unique_ptr<MeanChannel> channel_;
  Matrix at_mean_, at_average_, field_;
  std::int64_t mixes_ = 0;
};

}  // namespace parley
