// SPDX-License-Identifier: BSD-3-Clause
// The sections of a deck describe themselves, in the order of reference.toml.
#include "deck/deck.hpp"

#include <fmt/format.h>

#include <array>

namespace parley {
namespace {

constexpr std::array<std::string_view, 2> precisions{"single", "double"};
constexpr std::array<std::string_view, 2> starts{"same", "per_agent"};
constexpr std::array<std::string_view, 4> sources_of_start{"mean", "ema", "average", "parameters"};
constexpr std::array<std::string_view, 4> weight_rules{"metropolis", "max-degree", "given",
                                                       "push-sum"};
constexpr std::array<std::string_view, 3> schedules{"static", "random-matching", "round-robin"};
constexpr std::array<std::string_view, 3> accelerations{"none", "chebyshev", "fastmix"};

/// below or above, one of them.
void describe_bounds(Fields& fields, std::optional<double>& below, std::optional<double>& above) {
  fields.key("below", below, {.sentence = "Bound: holds when the measure is below it."});
  fields.key("above", above, {.sentence = "Bound: holds when the measure is above it."});
  if (below.has_value() == above.has_value()) {
    fields.mistake("", below ? "below and above are both set: keep one of them"
                             : "needs a bound: write below = NUMBER or above = NUMBER");
  }
}

void describe_until(Fields& fields, RunOptions& options) {
  fields.key("measure", options.until_measure,
             {.sentence = "Column of the log that is compared.", .required = true});
  describe_bounds(fields, options.until_below, options.until_above);
}

void describe(Fields& fields, GraphOptions& graph, const Registries& registries) {
  fields.choice("kind", graph.kind, registries.graphs, {.sentence = "Who talks to whom."});
  fields.one_of("weights", graph.weights, weight_rules,
                {.sentence = "Mixing weights: Metropolis 1/(1+max(degrees)), max-degree "
                             "1/(1+largest degree), given with the graph (from a file only), or "
                             "push-sum: each agent shares out its row by 1/(1+out-degree), for "
                             "directed graphs."});
  if (graph.weights == "given" && graph.kind.kind != "file" && graph.kind.kind != "files") {
    fields.mistake("weights", "only a graph from a file has given weights: write \"metropolis\"");
  }
  fields.one_of("schedule", graph.schedule, schedules,
                {.sentence = "Static: all edges in each round; random-matching: a random set of "
                             "pairs, which average; round-robin: sets of pairs in turn."});
  fields.only_when(graph.schedule == "random-matching", "schedule = \"random-matching\"",
                   [&](Fields& inner) {
                     inner.key("schedule_seed", graph.schedule_seed,
                               {.sentence = "Seed of the random matchings.", .min = 0});
                   });
  fields.key("lazy", graph.lazy, {.sentence = "Mixes with (I + W)/2 instead of W."});
  fields.key("rounds", graph.rounds,
             {.sentence = "Neighbour exchanges per mix (t of W^t).", .min = 1});
  fields.one_of("acceleration", graph.acceleration, accelerations,
                {.sentence = "Polynomial of degree `rounds` in W that a mix applies: W^t (none), "
                             "Chebyshev's, which contracts most, or FastMix."});
  fields.table("compression", {.sentence = "What messages carry of a row (choco)."},
               [&](Fields& inner) {
                 inner.choice("kind", graph.compression, registries.compressors,
                              {.sentence = "Rule that shortens the messages."});
               });
}

void describe(Fields& fields, DataOptions& data, const Registries& registries) {
  fields.choice("kind", data.source, registries.sources, {.sentence = "Where the data come from."});
  fields.table("partition", {.sentence = "How the rows are dealt to the agents."},
               [&](Fields& inner) {
                 inner.choice("kind", data.partition, registries.partitions,
                              {.sentence = "Rule of the split."});
               });
}

}  // namespace

void describe(Fields& fields, RunOptions& options) {
  fields.key(
      "name", options.name,
      {.sentence = "Name of the run; part of paths, titles and legends.", .resumable = true});
  if (options.name.empty() || options.name.find('/') != std::string::npos ||
      options.name.front() == '.') {
    fields.mistake("name", "expected a name for a folder: not empty, without /, no leading dot");
  }
  fields.key("agents", options.agents,
             {.sentence = "Participants, each with its own parameters and data.", .min = 1});
  fields.key("iterations", options.iterations,
             {.sentence = "Iterations of the method.", .min = 0, .resumable = true});
  fields.key("seed", options.seed, {.sentence = "Seed of every random number.", .min = 0});
  fields.one_of("precision", options.precision, precisions,
                {.sentence = "Floating-point type of parameters and fields."});
  fields.key("threads", options.threads, {.sentence = "Threads per rank.", .min = 1});
  fields.key("output", options.output,
             {.sentence = "Run folder; empty: runs/NAME.", .resumable = true});
  fields.duration("walltime", options.walltime,
                  {.sentence = "Stops in time, with a restart (exit code 75); absent: no limit.",
                   .unit = "s",
                   .min = 0,
                   .min_excluded = true,
                   .resumable = true});
  fields.maybe("until",
               {[&] { return !options.until_measure.empty(); }, [] {},
                [&](Fields& inner) { describe_until(inner, options); }},
               {.sentence = "Stops when a measure of the log passes a bound.", .resumable = true});
}

void describe(Fields& fields, InitOptions& options) {
  fields.key("seed", options.seed,
             {.sentence = "Seed of the start alone; absent: run.seed.", .min = 0});
  fields.one_of("agents", options.agents, starts,
                {.sentence = "Whether all agents start at one point."});
  fields.key("snapshot", options.snapshot,
             {.sentence = "Snapshot file to start from; absent: the game's own start."});
  fields.only_when(options.snapshot.has_value(), "init.snapshot is set", [&](Fields& inner) {
    inner.one_of("from", options.from, sources_of_start,
                 {.sentence = "Data set of the snapshot: the mean over agents, its average over "
                              "iterations (method.ema or iterate_average), or each agent's own "
                              "row."});
  });
  if (options.from == "parameters" && options.agents == "same") {
    fields.mistake("from", "rows differ between agents: write agents = \"per_agent\"");
  }
}

void describe(Fields& fields, RecordOptions& options) {
  fields.key("every", options.every,
             {.sentence = "Iterations between rows of the log.", .min = 1, .resumable = true});
  fields.key("snapshot_every", options.snapshot_every,
             {.sentence = "Iterations between snapshots; 0: only at the end.",
              .min = 0,
              .resumable = true});
  fields.key("restart_every", options.restart_every,
             {.sentence = "Iterations between restarts; 0: only when stopped early.",
              .min = 0,
              .resumable = true});
  fields.duration("restart_seconds", options.restart_seconds,
                  {.sentence = "Time between restarts; absent: none by time.",
                   .unit = "s",
                   .min = 0,
                   .min_excluded = true,
                   .resumable = true});
  fields.key("keep", options.keep,
             {.sentence = "Restarts that are kept.", .min = 1, .resumable = true});
  fields.key("samples", options.samples,
             {.sentence = "Generated samples per snapshot (games that generate).",
              .min = 0,
              .resumable = true});
}

void describe(Fields& fields, ExpectOptions& options) {
  fields.key("measure", options.measure,
             {.sentence = "Column of the log whose last row is compared.", .required = true});
  describe_bounds(fields, options.below, options.above);
}

void describe(Fields& fields, Deck& deck, const Registries& registries) {
  fields.table("run", {.sentence = "The run as a whole."},
               [&](Fields& inner) { describe(inner, deck.run); });
  fields.table("game", {.sentence = "The min-max problem.", .required = true}, [&](Fields& inner) {
    inner.choice("kind", deck.game, registries.games, {.sentence = "The game."});
  });
  fields.maybe("data",
               {[&] { return deck.data.has_value(); }, [&] { deck.data.emplace(); },
                [&](Fields& inner) { describe(inner, *deck.data, registries); }},
               {.sentence = "The data of games that learn from data."});
  fields.table("init", {.sentence = "Where the iterates start."},
               [&](Fields& inner) { describe(inner, deck.init); });
  fields.table("method", {.sentence = "The update rule.", .required = true}, [&](Fields& inner) {
    inner.choice("kind", deck.method, registries.methods, {.sentence = "The method."});
  });
  fields.table("graph", {.sentence = "The communication graph and its mixing."},
               [&](Fields& inner) { describe(inner, deck.graph, registries); });
  fields.table("record", {.sentence = "What is written, and how often."},
               [&](Fields& inner) { describe(inner, deck.record); });
  fields.list_of("expect", deck.expect,
                 {.sentence = "Acceptance conditions on the last row of the log; a missed one is "
                              "exit code 4.",
                  .resumable = true});
}

std::string Deck::where(const std::string& path) const {
  std::string place = path;
  while (!place.empty() && lines.find(place) == lines.end()) {
    const std::size_t dot = place.find_last_of('.');
    place = dot == std::string::npos ? "" : place.substr(0, dot);
  }
  const int line = place.empty() ? -1 : lines.at(place);
  if (line == 0) return fmt::format("--set {}", path);
  return line > 0 ? fmt::format("{}:{}: {}", file, line, path) : fmt::format("{}: {}", file, path);
}

}  // namespace parley
