// SPDX-License-Identifier: BSD-3-Clause
// Recorder: the log in memory, and its fresh copy at each flush.
#include "io/recorder.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "io/durable.hpp"
#include "io/h5.hpp"

namespace parley {

namespace {

using Seconds = std::chrono::duration<double>;

void write_integers(h5::File& file, const std::string& name, const std::vector<double>& values) {
  std::vector<std::int64_t> integers(values.size());
  std::transform(values.begin(), values.end(), integers.begin(),
                 [](double value) { return std::llround(value); });
  file.write(name, integers);
}

void describe_column(h5::File& file, const std::string& name, const Column& column) {
  file.write_attribute(name, "unit", std::string_view(column.unit));
  file.write_attribute(name, "meaning", std::string_view(column.meaning));
}

void write_graph(h5::File& file, const GraphRecord& graph) {
  std::vector<std::int64_t> edges;
  for (const auto& [i, j] : graph.edges) edges.insert(edges.end(), {i, j});
  file.write("graph/edges", {static_cast<std::int64_t>(graph.edges.size()), 2},
             std::span<const std::int64_t>(edges));
  h5::Shape shape = {graph.agents, graph.agents};
  if (graph.period != 1) shape.insert(shape.begin(), graph.matrices);
  file.write("graph/W", shape, std::span<const double>(graph.w));
  file.write_attribute("graph", "kind", std::string_view(graph.kind));
  file.write_attribute("graph", "schedule", std::string_view(graph.schedule));
  file.write_attribute("graph", "rounds", graph.rounds);
  file.write_attribute("graph", "period", graph.period);
  file.write_attribute("graph", "rho", graph.rho);
  file.write_attribute("graph", "gap", graph.gap);
  file.write_attribute("graph", "contraction", graph.contraction);
  if (graph.measured) file.write_attribute("graph", "measured", *graph.measured);
}

/// The columns of a log, after the names under `group` have been compared with the expected ones.
void expect_columns(const h5::File& file, const std::filesystem::path& path,
                    const std::string& group, const std::vector<Column>& columns) {
  std::vector<std::string> expected;
  for (const Column& column : columns) expected.push_back(column.name);
  std::sort(expected.begin(), expected.end());
  const auto found = file.exists(group) ? file.list(group) : std::vector<std::string>{};
  if (found != expected) {
    fail_run(
        "{}: /{} has the columns '{}', but this deck records '{}'; resume with the deck that "
        "wrote the log, or begin anew in another folder",
        path.string(), group, fmt::join(found, " "), fmt::join(expected, " "));
  }
}

}  // namespace

Recorder::Recorder(std::filesystem::path file, Provenance provenance, GraphRecord graph,
                   std::vector<Column> columns, std::vector<Column> agent_columns)
    : file_(std::move(file)),
      provenance_(std::move(provenance)),
      graph_(std::move(graph)),
      columns_(std::move(columns)),
      agent_columns_(std::move(agent_columns)) {
  ensure(!columns_.empty() && columns_.front().name == "iteration",
         "Recorder: the first column is the iteration");
  ensure(
      static_cast<std::int64_t>(graph_.w.size()) == graph_.matrices * graph_.agents * graph_.agents,
      "Recorder: W is agents x agents");
}

void Recorder::append(Row row) {
  ensure(row.values.size() == columns_.size() && row.agents.size() == agent_columns_.size(),
         "Recorder: a row has one value per column");
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    ensure(!columns_[i].integer || std::isfinite(row.values[i]),
           "Recorder: an integer column has no missing values");
  }
  for (const auto& values : row.agents) {
    ensure(static_cast<std::int64_t>(values.size()) == graph_.agents,
           "Recorder: a per-agent column has one value per agent");
  }
  rows_.push_back(std::move(row));
}

double Recorder::last(const std::string& column) const {
  const auto found = std::find_if(columns_.begin(), columns_.end(),
                                  [&](const Column& each) { return each.name == column; });
  if (found == columns_.end() || rows_.empty()) return std::numeric_limits<double>::quiet_NaN();
  return rows_.back().values[static_cast<std::size_t>(found - columns_.begin())];
}

void Recorder::flush_if_due() {
  const double interval = std::max(2.0, 100 * flush_seconds_);
  if (Seconds(std::chrono::steady_clock::now() - flushed_).count() >= interval) flush();
}

void Recorder::flush() {
  const auto begin = std::chrono::steady_clock::now();
  const std::filesystem::path temporary = file_.string() + ".tmp";
  const auto agents = static_cast<std::size_t>(graph_.agents);
  expect_room(temporary,
              sizeof(double) * (rows_.size() * (columns_.size() + agent_columns_.size() * agents) +
                                graph_.w.size() + 2 * graph_.edges.size()));
  h5::File file = h5::File::create(temporary);
  write_provenance(file, provenance_);
  write_graph(file, graph_);
  std::vector<double> values(rows_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string name = "log/" + columns_[i].name;
    std::transform(rows_.begin(), rows_.end(), values.begin(),
                   [&](const Row& row) { return row.values[i]; });
    columns_[i].integer ? write_integers(file, name, values) : file.write(name, values);
    describe_column(file, name, columns_[i]);
  }
  for (std::size_t i = 0; i < agent_columns_.size(); ++i) {
    const std::string name = "agents/" + agent_columns_[i].name;
    std::vector<double> all;
    for (const Row& row : rows_) all.insert(all.end(), row.agents[i].begin(), row.agents[i].end());
    file.write(name, {static_cast<std::int64_t>(rows_.size()), graph_.agents},
               std::span<const double>(all));
    describe_column(file, name, agent_columns_[i]);
  }
  file.close();
  sync_file(temporary);
  move_into_place(temporary, file_);
  flushed_ = std::chrono::steady_clock::now();
  flush_seconds_ = Seconds(flushed_ - begin).count();
}

void Recorder::restore(std::int64_t iteration) {
  const h5::File file = h5::File::open(file_);
  expect_columns(file, file_, "log", columns_);
  expect_columns(file, file_, "agents", agent_columns_);
  const auto iterations = file.read<double>("log/iteration");
  const auto kept = static_cast<std::size_t>(
      std::count_if(iterations.begin(), iterations.end(),
                    [&](double each) { return each <= static_cast<double>(iteration); }));
  rows_.assign(kept, Row{std::vector<double>(columns_.size()),
                         std::vector<std::vector<double>>(agent_columns_.size())});
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto values = file.read<double>("log/" + columns_[i].name);
    if (values.size() != iterations.size()) {
      fail_run("{}: /log/{} has {} rows instead of {}", file_.string(), columns_[i].name,
               values.size(), iterations.size());
    }
    for (std::size_t row = 0; row < kept; ++row) rows_[row].values[i] = values[row];
  }
  const auto agents = static_cast<std::size_t>(graph_.agents);
  for (std::size_t i = 0; i < agent_columns_.size(); ++i) {
    const auto values = file.read<double>("agents/" + agent_columns_[i].name);
    if (values.size() != iterations.size() * agents) {
      fail_run("{}: /agents/{} has {} values instead of {} x {}", file_.string(),
               agent_columns_[i].name, values.size(), iterations.size(), agents);
    }
    for (std::size_t row = 0; row < kept; ++row) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * agents);
      rows_[row].agents[i].assign(begin, begin + static_cast<std::ptrdiff_t>(agents));
    }
  }
}

}  // namespace parley
