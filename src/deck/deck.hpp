// SPDX-License-Identifier: BSD-3-Clause
// The deck as a value: complete and valid once constructed. The keys of [game], [method], [graph]
// and of data and partition kinds belong to their registries, which are handed in. Knows no TOML.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "deck/fields.hpp"

namespace parley {

struct RunOptions {
  std::string name = "run";
  std::int64_t agents = 1;
  std::int64_t iterations = 1000;
  std::int64_t seed = 1;
  std::string precision = "single";  ///< single | double
  std::int64_t threads = 1;          ///< per rank
  std::string output = "";           ///< run folder; empty: runs/<name>
  std::optional<double> walltime;    ///< seconds; stop early with a valid restart
  /// Stop when a measure of the log passes a bound.
  std::string until_measure;
  std::optional<double> until_below, until_above;
};
void describe(Fields& fields, RunOptions& options);

struct InitOptions {
  std::optional<std::int64_t> seed;     ///< absent: run.seed
  std::string agents = "same";          ///< same | per_agent
  std::optional<std::string> snapshot;  ///< start from /mean (same) or /parameters (per_agent)
  std::string from = "mean";            ///< snapshot's mean | ema | average | parameters
};
void describe(Fields& fields, InitOptions& options);

struct RecordOptions {
  std::int64_t every = 100;         ///< iterations per row of the log
  std::int64_t snapshot_every = 0;  ///< 0: only at the end
  std::int64_t restart_every = 0;   ///< iterations; 0: only on a stop
  std::optional<double> restart_seconds;
  std::int64_t keep = 2;      ///< generations of restarts
  std::int64_t samples = 64;  ///< generated samples per snapshot (gan)
};
void describe(Fields& fields, RecordOptions& options);

/// One acceptance condition on the last row of the log; missing it is exit code 4.
struct ExpectOptions {
  std::string measure;
  std::optional<double> below, above;
};
void describe(Fields& fields, ExpectOptions& options);

/// The graph section: the topology is a registry choice (comm/host/graph.hpp).
struct GraphOptions {
  Choice kind{"ring", {}};
  std::string weights = "metropolis";  ///< metropolis | max-degree | given (a file's) | push-sum
  std::string schedule = "static";     ///< static | random-matching | round-robin
  std::int64_t schedule_seed = 1;      ///< of random-matching
  bool lazy = false;                   ///< (I + W) / 2
  std::int64_t rounds = 1;             ///< t: neighbour exchanges per mix
  std::string acceleration =
      "none";                      ///< none | chebyshev | fastmix: polynomials of W instead of W^t
  Choice compression{"none", {}};  ///< table `compression`, key `kind`
};

/// The data section: the source is a registry choice (data/source.hpp), so is the partition.
struct DataOptions {
  Choice source;                ///< key `kind`
  Choice partition{"iid", {}};  ///< table `partition`, key `kind`
};

/// The registries that give the deck its alternatives. Spans of static tables.
struct Registries {
  std::span<const Kind> games, methods, graphs, sources, partitions;
  std::span<const Kind> compressors = {};
};

struct Deck {
  RunOptions run;
  Choice game;
  std::optional<DataOptions> data;  ///< present when the deck has [data]
  InitOptions init;
  Choice method;
  GraphOptions graph;
  RecordOptions record;
  std::vector<ExpectOptions> expect;

  std::string file;  ///< name for messages
  std::string text;  ///< the resolved deck, variant and --set merged: running it gives the same run
  std::map<std::string, int> lines;  ///< "method.step.x" -> line in `file`, 0 for --set

  /// "deck.toml:12: method.step.x": the place of a key for messages; the section's line when the
  /// deck does not set the key.
  std::string where(const std::string& path) const;
};

/// Visits every section of a deck, in the order of reference.toml.
void describe(Fields& fields, Deck& deck, const Registries& registries);

}  // namespace parley
