// SPDX-License-Identifier: BSD-3-Clause
// The local agents' contributions go to rank 0 by one gather and are reduced there in agent order,
// so that a row has the same bits on any number of ranks.
#include "solver/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parley {

namespace {

// Contributions that every game has: losses and consensus of both players.
enum Fixed : std::size_t { loss_x, loss_y, consensus_x, consensus_y, fixed_count };

double reduce(Measure::Reduce how, const std::vector<double>& values, std::size_t first,
              std::size_t stride) {
  double sum = 0, largest = -std::numeric_limits<double>::infinity();
  std::size_t count = 0;
  for (std::size_t i = first; i < values.size(); i += stride, ++count) {
    sum += values[i];
    largest = std::isnan(values[i]) ? values[i] : std::max(largest, values[i]);
  }
  switch (how) {
    case Measure::Reduce::sum:
      return sum;
    case Measure::Reduce::mean:
      return sum / static_cast<double>(count);
    case Measure::Reduce::max:
      return largest;
  }
  return sum;
}

}  // namespace

Evaluation::Evaluation(const EvaluationContext& context)
    : context_(context), width_(fixed_count), channel_(context.mixer.open_mean("record")) {
  const std::int64_t width = context_.game.layout().width();
  const auto rows = [&](const char* name) {
    return make_matrix(std::string("parley::evaluation::") + name, context_.agents.count(), width);
  };
  at_mean_ = rows("at_mean");
  field_ = rows("field");
  if (context_.average.on()) at_average_ = rows("at_average");
  for (const Measure& measure : context_.game.measures()) {
    add_part(measure, "");
    if (context_.average.on() && measure.at == Measure::At::mean) {
      add_part(measure, context_.average.suffix());
    }
  }
}

std::vector<Column> Evaluation::columns() const {
  std::vector<Column> columns = {
      {"iteration", "", "iterations done", true},
      {"epoch", "", "mean passes over an agent's data", false},
      {"wall_train", "s", "wall time without measures and output", false},
      {"wall_total", "s", "wall time since the start of the run", false},
      {"oracle_calls", "", "oracle calls per agent", true},
      {"rounds", "", "communication rounds", true},
      {"bytes", "bytes", "bytes handed to MPI by the method, all ranks", true},
      {"loss_x", "", "loss of x on the latest batches, mean over agents", false},
      {"loss_y", "", "loss of y on the latest batches, mean over agents", false},
      {"field_norm", "", "||F(zbar)||, F the mean of the agents' fields", false},
      {"consensus_x", "", "(1/M) ||X - Xbar||_F^2", false},
      {"consensus_y", "", "(1/M) ||Y - Ybar||_F^2", false},
      {"stationarity", "", "||F(zbar)||^2 + consensus_x + consensus_y", false}};
  for (const Part& part : parts_) {
    const std::string at =
        part.suffix.empty() ? "" : ", at the mean of the agents' averages over iterations";
    columns.push_back(
        {part.measure.name + part.suffix, part.measure.unit, part.measure.meaning + at, false});
    for (const Measure::Derived& derived : part.measure.more) {
      columns.push_back({derived.name + part.suffix, derived.unit, derived.meaning + at, false});
    }
  }
  return columns;
}

std::vector<Column> Evaluation::agent_columns() const {
  return {{"loss_x", "", "loss of x on the agent's latest batch", false},
          {"loss_y", "", "loss of y on the agent's latest batch", false}};
}

const Vector& Evaluation::mean(const Matrix& rows) {
  return channel_->mean_of(mixes_++, rows);
}

/// Mean passes over an agent's data.
double Evaluation::epochs(const OracleCount& oracle) const {
  if (context_.agent_rows == 0) return 0;
  return static_cast<double>(oracle.full) +
         static_cast<double>(oracle.samples) / context_.agent_rows;
}

double Evaluation::field_norm(std::int64_t iteration) {
  const std::int64_t y_begin = context_.game.layout().y_begin();
  Sample sample = context_.method.sampler().at_record(iteration);
  if (context_.game.exact_records()) sample.batch = 0;
  context_.game.field(context_.exec, at_mean_, sample, field_, not_watched);
  const Vector& f = mean(field_);
  const auto norms = row_norms(context_.exec, y_begin, Matrix(f.data(), 1, f.extent(0))).front();
  return std::sqrt(norms.x + norms.y);
}

std::vector<double> Evaluation::contributions(const Vector& zbar) {
  const auto agents = static_cast<std::size_t>(context_.agents.count());
  std::vector<double> local(agents * width_), x(agents), y(agents);
  context_.game.losses(x, y);
  if (context_.method.oracle().calls == 0) {
    // No batch has been seen yet.
    std::fill(x.begin(), x.end(), std::numeric_limits<double>::quiet_NaN());
    y = x;
  }
  const auto distances =
      row_distances(context_.exec, context_.game.layout().y_begin(), context_.method.z(), zbar);
  for (std::size_t i = 0; i < agents; ++i) {
    local[i * width_ + loss_x] = x[i];
    local[i * width_ + loss_y] = y[i];
    local[i * width_ + consensus_x] = distances[i].x;
    local[i * width_ + consensus_y] = distances[i].y;
  }
  for (const Part& part : parts_) {
    const Matrix& at = part.measure.at == Measure::At::rows ? context_.method.z()
                       : part.suffix.empty()                ? at_mean_
                                                            : at_average_;
    const auto numbers = static_cast<std::size_t>(part.measure.parts);
    x.resize(agents * numbers);
    part.measure.evaluate(context_.exec, at, x);
    for (std::size_t i = 0; i < agents; ++i) {
      std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(i * numbers), numbers,
                  local.begin() + static_cast<std::ptrdiff_t>(i * width_ + part.first));
    }
  }
  return local;
}

/// The part's own column and those that derive from its contributions.
void Evaluation::append_values(const Part& part, const std::vector<double>& all,
                               std::vector<double>& to) const {
  const Measure& measure = part.measure;
  std::vector<double> own;
  if (measure.combine || !measure.more.empty()) {
    for (std::size_t i = part.first; i < all.size(); i += width_) {
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(i);
      own.insert(own.end(), from, from + static_cast<std::ptrdiff_t>(measure.parts));
    }
  }
  const double value =
      measure.combine ? measure.combine(own) : reduce(measure.reduce, all, part.first, width_);
  to.push_back(measure.root ? std::sqrt(value) : value);
  for (const Measure::Derived& derived : measure.more) to.push_back(derived.combine(own));
}

std::vector<double> Evaluation::gather(const std::vector<double>& local) const {
  const Agents& agents = context_.agents;
  std::vector<int> counts, offsets;
  for (int r = 0; r < agents.ranks(); ++r) {
    counts.push_back(static_cast<int>(agents.count_of(r) * static_cast<std::int64_t>(width_)));
    offsets.push_back(static_cast<int>(agents.first_of(r) * static_cast<std::int64_t>(width_)));
  }
  std::vector<double> all;
  if (agents.rank() == 0) all.resize(static_cast<std::size_t>(agents.total()) * width_);
  MPI_Gatherv(local.data(), static_cast<int>(local.size()), MPI_DOUBLE, all.data(), counts.data(),
              offsets.data(), MPI_DOUBLE, 0, context_.comm);
  return all;
}

Row Evaluation::record(const RecordClock& clock) {
  if (context_.average.on()) {
    broadcast_row(context_.exec, mean(context_.average.rows()), at_average_);
    context_.game.from_primal(context_.exec, at_average_);
  }
  const Vector& zbar = mean(context_.method.z());
  broadcast_row(context_.exec, zbar, at_mean_);
  const std::vector<double> all = gather(contributions(zbar));
  const double norm = field_norm(clock.iteration);
  std::int64_t bytes = 0;
  MPI_Reduce(&clock.bytes, &bytes, 1, MPI_INT64_T, MPI_SUM, 0, context_.comm);
  if (context_.agents.rank() != 0) return {};

  const auto mean_of = [&](std::size_t part) {
    return reduce(Measure::Reduce::mean, all, part, width_);
  };
  const OracleCount& oracle = context_.method.oracle();
  Row row;
  row.values = {static_cast<double>(clock.iteration),
                epochs(oracle),
                clock.wall_train,
                clock.wall_total,
                static_cast<double>(oracle.calls),
                static_cast<double>(clock.rounds_before + context_.method.traffic().rounds),
                static_cast<double>(clock.bytes_before + bytes),
                mean_of(loss_x),
                mean_of(loss_y),
                norm,
                mean_of(consensus_x),
                mean_of(consensus_y),
                norm * norm + mean_of(consensus_x) + mean_of(consensus_y)};
  for (const Part& part : parts_) append_values(part, all, row.values);
  row.agents.assign(2, {});
  for (std::size_t i = 0; i < all.size(); i += width_) {
    row.agents[0].push_back(all[i + loss_x]);
    row.agents[1].push_back(all[i + loss_y]);
  }
  return row;
}

}  // namespace parley
