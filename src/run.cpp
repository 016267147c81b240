// SPDX-License-Identifier: BSD-3-Clause
// The run: objects from a deck, THE iteration loop, and what happens at records and stops.
#include "run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/agree.hpp"
#include "core/flags.hpp"
#include "core/signals.hpp"
#include "core/timer.hpp"
#include "deck/reader.hpp"
#include "deck/writer.hpp"
#include "io/progress.hpp"
#include "io/restart.hpp"
#include "io/run_folder.hpp"
#include "io/snapshot.hpp"
#include "plan.hpp"
#include "solver/contraction.hpp"
#include "solver/describe_run.hpp"
#include "solver/evaluation.hpp"
#include "solver/registries.hpp"
#include "solver/rows.hpp"
#include "solver/start.hpp"

namespace parley {

namespace {

template <class Error>
[[noreturn]] void fail_together(const std::string& text) {
  Error error(text);
  error.agreed = true;
  throw error;
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of_comm(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

class Run {
 public:
  Run(const Deck& deck, const RunRequest& request, MPI_Comm comm);
  Exit execute();

 private:
  // Start.
  void banner() const;
  void check_measures() const;
  void begin();
  bool resume();
  void accept(const RestartInfo& info) const;
  StateList state();

  // Iterations.
  Exit iterate();
  std::uint32_t wishes();
  bool walltime_is_near();
  void record();
  void save_restart();
  Exit stop_early();
  Exit finish();
  Exit judge() const;
  void snapshot();
  [[noreturn]] void diverge();
  void find_bad_rows();

  bool first_rank() const { return agents_.rank() == 0; }
  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  }

  double train_seconds() const { return timers_.seconds("start") + timers_.seconds("step"); }

  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  const Deck& deck_;
  const RunRequest& request_;
  MPI_Comm comm_;
  RunFolder folder_;
  StopSignals signals_;
  Timers timers_{[](const std::string& name) { Kokkos::Profiling::pushRegion("parley::" + name); },
                 [] { Kokkos::Profiling::popRegion(); }};
  Plan plan_;
  Agents agents_;
  Exec exec_;
  Provenance provenance_;
  std::optional<DataSet> data_;
  Health health_;
  std::unique_ptr<Game> game_;
  MixerContext mixing_;
  std::unique_ptr<Mixer> mixer_;
  std::unique_ptr<Method> method_;
  IterateAverage average_;
  Evaluation evaluation_;
  std::optional<double> measured_;  ///< contraction of one mix
  Recorder recorder_;
  Flags flags_;
  std::optional<Progress> progress_;  ///< rank 0, once the first iteration is known

  std::int64_t k_ = 0;      ///< iterations done
  std::int64_t first_ = 0;  ///< iterations done before this program
  // Of the run up to the restart, so that the log goes on; restarts hold the sums.
  double wall_train_before_ = 0, wall_total_before_ = 0;
  std::int64_t bytes_before_ = 0, rounds_before_ = 0;
  double restart_seconds_ = 0, restart_written_ = 0;
  std::int64_t restart_at_ = -1;  ///< iteration of the newest restart of this program
  std::int64_t quality_at_ = -1;  ///< record that met run.until; -1: none yet
};

Run::Run(const Deck& deck, const RunRequest& request, MPI_Comm comm)
    : deck_(deck),
      request_(request),
      comm_(comm),
      folder_(deck),
      plan_(agreed(comm, "reading the deck", [&] { return make_plan(deck); })),
      agents_(deck.run.agents, rank_in(comm), size_of_comm(comm)),
      provenance_(describe_build(deck, comm)),
      data_(agreed(comm, "reading the data",
                   [&]() -> std::optional<DataSet> {
                     if (!deck.data) return std::nullopt;
                     return load_data(deck, agents_);
                   })),
      game_(agreed(comm, "building the game",
                   [&] {
                     return plan_.game->make({deck, agents_, data_ ? &*data_ : nullptr});
                   })),
      mixing_{comm,    agents_, game_->layout(), plan_.mixing, deck.graph.rounds,
              health_, 300,     plan_.mixer},
      mixer_(make_mixer(mixing_)),
      method_(plan_.method->make({deck.method, exec_, *game_, *mixer_, agents_,
                                  static_cast<std::uint64_t>(deck.run.seed), deck.run.iterations,
                                  deck.init.agents == "same", plan_.steps.size})),
      average_(plan_.method_plan.steps, agents_.count(), *game_,
               static_cast<std::uint64_t>(deck.run.seed)),
      evaluation_({comm, agents_, exec_, *game_, *method_, *mixer_, average_,
                   data_ ? data_->rows_per_agent() : 0}),
      measured_(measure_contraction(plan_, mixing_)),
      recorder_(folder_.log(), provenance_, describe_graph(deck, plan_, measured_),
                evaluation_.columns(), evaluation_.agent_columns()),
      flags_(comm) {}

Exit Run::execute() {
  banner();
  check_measures();
  bool resumed = false;
  const Earlier earlier = request_.resume != Resume::never ? Earlier::keep
                          : request_.overwrite             ? Earlier::replace
                                                           : Earlier::refuse;
  agree(comm_, "opening the run folder", [&] {
    if (first_rank()) folder_.prepare(earlier);
  });
  if (request_.resume != Resume::never) resumed = resume();
  if (first_rank()) progress_.emplace(first_, deck_.run.iterations, wall_total_before_);
  if (!resumed) begin();
  const Exit exit = iterate();
  const auto rows = reduce_timers(comm_, timers_);
  if (first_rank()) fmt::print("\n{}", format_timers(rows));
  return exit;
}

/// Rank 0 says what runs where.
void Run::banner() const {
  if (!first_rank()) return;
  fmt::print("Parley {} ({}), {}\n", provenance_.version, provenance_.git, provenance_.bit_class);
  fmt::print("{}: {} agents on {} rank{} ({}), {}\n", deck_.run.name, agents_.total(),
             agents_.ranks(), agents_.ranks() == 1 ? "" : "s", provenance_.hosts, provenance_.mpi);
  if (agents_.ranks() > agents_.total()) {
    fmt::print("warning: {} ranks own no agent\n", agents_.ranks() - agents_.total());
  }
  for (const std::string& warning : plan_.warnings) fmt::print("warning: {}\n", warning);
  if (measured_) fmt::print("{}\n", contraction_text(deck_, plan_, *measured_));
  fmt::print("output in {}\n\n", folder_.path().string());
  std::fflush(stdout);
}

/// Measures that the deck waits for or expects must be columns of the log.
void Run::check_measures() const {
  std::vector<std::string> names;
  for (const Column& column : evaluation_.columns()) names.push_back(column.name);
  const auto check = [&](const std::string& measure, const std::string& path) {
    if (measure.empty() || std::find(names.begin(), names.end(), measure) != names.end()) return;
    fail_together<UserError>(fmt::format("{} = \"{}\": no such column in this run's log; it has {}",
                                         deck_.where(path), measure, fmt::join(names, ", ")));
  };
  check(deck_.run.until_measure, "run.until.measure");
  for (const ExpectOptions& expect : deck_.expect) check(expect.measure, "expect.measure");
}

/// A fresh start.
void Run::begin() {
  clear_restarts(comm_, folder_.restarts());
  agree(comm_, "writing the deck", [&] {
    if (first_rank()) folder_.write_deck(deck_.text);
  });
  agree(comm_, "filling the starting point",
        [&] { fill_start(deck_, agents_, *game_, method_->z()); });
  average_.start(exec_, *method_);
  {
    const auto timing = timers_.scope("start");
    method_->start();
  }
  record();
}

/// What a restart holds besides the rows of method, game and average.
StateList Run::state() {
  StateList all;
  all.scalar("iteration", k_);
  all.scalar("wall_train", wall_train_before_);
  all.scalar("wall_total", wall_total_before_);
  all.scalar("bytes", bytes_before_);
  all.scalar("rounds", rounds_before_);
  all.scalar("quality_at", quality_at_);
  all.append("method", method_->state());
  all.append("game", game_->state());
  all.append("average", average_.state());
  return all;
}

/// True when a restart was found and read.
bool Run::resume() {
  const auto info = find_restart(comm_, folder_.restarts());
  if (!info) {
    if (request_.resume == Resume::require) {
      fail_together<UserError>(
          fmt::format("{}: no valid restart; run without --resume, or set record.restart_every",
                      folder_.restarts().string()));
    }
    agree(comm_, "clearing the run folder", [&] {
      if (first_rank()) folder_.prepare(Earlier::replace);
    });
    return false;
  }
  if (first_rank()) {
    for (const std::string& reason : info->skipped) fmt::print("warning: passed over {}\n", reason);
  }
  agree(comm_, "resuming", [&] { accept(*info); });
  read_restart(comm_, *info, agents_, state());
  first_ = k_;
  agree(comm_, "reading the log", [&] {
    if (first_rank()) recorder_.restore(k_);
  });
  if (first_rank()) fmt::print("resumed at iteration {} from {}\n", k_, info->file.string());
  return true;
}

/// UserError when the deck or the machine differ in what may not differ.
void Run::accept(const RestartInfo& info) const {
  const Registries all = registries();
  const Deck before = read_deck({"restart", info.deck, "", {}}, all);
  const auto conflicts = resume_conflicts(before, deck_, all);
  if (!conflicts.empty()) {
    fail_user(
        "{} was written with another deck:\n  {}\nrun with these values, or start anew in "
        "another folder",
        info.file.string(), fmt::join(conflicts, "\n  "));
  }
  if (info.bit_class != provenance_.bit_class && !request_.inexact) {
    fail_user(
        "{} was written in another bit class:\n  {}\n  {} (now)\nadd --resume-inexact to go on "
        "with other rounding",
        info.file.string(), info.bit_class, provenance_.bit_class);
  }
}

Exit Run::iterate() {
  restart_written_ = elapsed();
  const RecordOptions& cadence = deck_.record;
  while (k_ < deck_.run.iterations) {
    ++k_;
    {
      const auto timing = timers_.scope("step");
      method_->step(k_);
      average_.update(exec_, k_, *method_);
    }
    flags_.post(k_, wishes());
    const std::uint32_t word = flags_.consume(k_);
    if (Flags::holds(word, Flag::failure)) diverge();
    // The second condition is the first one's iteration, for a run resumed in between.
    const bool enough = Flags::holds(word, Flag::quality_reached) ||
                        (quality_at_ >= 0 && k_ == quality_at_ + 1 + Flags::default_lag);
    if (k_ % cadence.every == 0 || k_ == deck_.run.iterations || enough) record();
    if (enough) break;
    if (cadence.snapshot_every > 0 && k_ % cadence.snapshot_every == 0) snapshot();
    if (Flags::holds(word, Flag::signal_stop) || Flags::holds(word, Flag::walltime)) {
      return stop_early();
    }
    const bool scheduled = cadence.restart_every > 0 && k_ % cadence.restart_every == 0;
    if (scheduled || Flags::holds(word, Flag::restart_due)) save_restart();
  }
  return finish();
}

/// This rank's bits of the flag word.
std::uint32_t Run::wishes() {
  std::uint32_t word = 0;
  const auto wish = [&](bool wanted, Flag flag) {
    if (wanted) word |= static_cast<std::uint32_t>(flag);
  };
  wish(health_.failed, Flag::failure);
  wish(signals_.caught() != 0, Flag::signal_stop);
  if (!first_rank()) return word;
  wish(walltime_is_near(), Flag::walltime);
  wish(quality_at_ >= 0, Flag::quality_reached);
  const auto& every = deck_.record.restart_seconds;
  if (every && elapsed() - restart_written_ > *every) {
    wish(true, Flag::restart_due);
    restart_written_ = elapsed();
  }
  return word;
}

/// True when the time left is what the stop itself needs: the lag of the flag word and a restart.
bool Run::walltime_is_near() {
  const auto& limit = deck_.run.walltime;
  if (!limit) return false;
  const double per_step = elapsed() / static_cast<double>(std::max<std::int64_t>(k_ - first_, 1));
  const double lag = static_cast<double>(Flags::default_lag + 1) * per_step;
  return elapsed() + lag + 2 * restart_seconds_ + 0.5 > *limit;
}

/// One row of the log (collective).
void Run::record() {
  find_bad_rows();
  const auto timing = timers_.scope("record");
  const double train = wall_train_before_ + train_seconds();
  const Row row = evaluation_.record({k_, train, wall_total_before_ + elapsed(),
                                      method_->traffic().bytes, bytes_before_, rounds_before_});
  if (!first_rank()) return;
  recorder_.append(row);
  recorder_.flush_if_due();
  progress_->print(recorder_);
  const RunOptions& run = deck_.run;
  if (!run.until_measure.empty()) {
    const double value = recorder_.last(run.until_measure);
    const bool met = (run.until_below && value < *run.until_below) ||
                     (run.until_above && value > *run.until_above);
    if (met && quality_at_ < 0) quality_at_ = k_;
  }
}

/// A row that nobody sends is seen here at the latest.
void Run::find_bad_rows() {
  const std::int64_t bad = first_bad_row(exec_, method_->z());
  if (bad >= 0) health_.report(agents_.first() + bad, k_, "iterate");
}

/// Writes the full state; never a non-finite one.
void Run::save_restart() {
  find_bad_rows();
  int failed = health_.failed ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm_);
  if (failed != 0) diverge();
  const auto timing = timers_.scope("restart");
  const double begin = elapsed();
  if (first_rank()) recorder_.flush();
  // The restart holds the sums so far; afterwards this program goes on counting from its own start.
  const double train = wall_train_before_, total = wall_total_before_;
  const std::int64_t bytes = bytes_before_, rounds = rounds_before_;
  std::int64_t sent = method_->traffic().bytes;
  MPI_Allreduce(MPI_IN_PLACE, &sent, 1, MPI_INT64_T, MPI_SUM, comm_);
  // Rank 0's clock is the run's: what all ranks hold alike must be equal to the bit.
  double walls[2] = {train_seconds(), elapsed()};
  MPI_Bcast(walls, 2, MPI_DOUBLE, 0, comm_);
  MPI_Bcast(&quality_at_, 1, MPI_INT64_T, 0, comm_);
  wall_train_before_ += walls[0];
  wall_total_before_ += walls[1];
  bytes_before_ += sent;
  rounds_before_ += method_->traffic().rounds;
  write_restart(comm_, folder_.restarts(), agents_, state(), provenance_, k_, deck_.record.keep);
  wall_train_before_ = train;
  wall_total_before_ = total;
  bytes_before_ = bytes;
  rounds_before_ = rounds;
  restart_at_ = k_;
  restart_written_ = elapsed();
  restart_seconds_ = restart_written_ - begin;
}

Exit Run::stop_early() {
  save_restart();
  flags_.finish();
  if (first_rank()) {
    fmt::print("stopped early at iteration {} of {}; go on with --resume auto\n", k_,
               deck_.run.iterations);
  }
  return Exit::stopped_early;
}

Exit Run::finish() {
  std::uint32_t word = flags_.finish();
  if (health_.failed) word |= static_cast<std::uint32_t>(Flag::failure);
  MPI_Allreduce(MPI_IN_PLACE, &word, 1, MPI_UINT32_T, MPI_BOR, comm_);
  if (Flags::holds(word, Flag::failure)) diverge();
  snapshot();
  const bool wanted = deck_.record.restart_every > 0 || deck_.record.restart_seconds;
  if (wanted && restart_at_ != k_) save_restart();
  agree(comm_, "writing the log", [&] {
    if (first_rank()) recorder_.flush();
  });
  int exit = first_rank() ? static_cast<int>(judge()) : 0;
  MPI_Bcast(&exit, 1, MPI_INT, 0, comm_);
  return static_cast<Exit>(exit);
}

/// Rank 0: the deck's expectations against the last row.
Exit Run::judge() const {
  Exit exit = Exit::done;
  for (const ExpectOptions& expect : deck_.expect) {
    const double value = recorder_.last(expect.measure);
    const bool holds = expect.below ? value < *expect.below : value > *expect.above;
    fmt::print("expected {} {} {}: {} ({:.6g})\n", expect.measure, expect.below ? "<" : ">",
               expect.below ? *expect.below : *expect.above, holds ? "met" : "MISSED", value);
    if (!holds) exit = Exit::expectation_missed;
  }
  return exit;
}

void Run::snapshot() {
  const auto timing = timers_.scope("snapshot");
  const Layout& layout = game_->layout();
  const std::vector<Real> rows = pack_rows(method_->z(), layout);
  const Vector best = make_vector("parley::run::best", layout.width());
  const Matrix as_row(best.data(), 1, best.extent(0));
  broadcast_row(exec_, evaluation_.mean(method_->z()), as_row);
  const std::vector<Real> mean = pack_rows(as_row, layout);
  std::vector<Real> average;
  if (average_.on()) {
    broadcast_row(exec_, evaluation_.mean(average_.rows()), as_row);
    game_->from_primal(exec_, as_row);
    average = pack_rows(as_row, layout);
  }
  std::optional<Generated> samples;
  if (deck_.record.samples > 0) samples = game_->generate(exec_, best, deck_.record.samples);

  SnapshotData out;
  out.iteration = k_;
  out.type = real_type;
  out.parameters = std::as_bytes(std::span(rows));
  out.mean = std::as_bytes(std::span(mean));
  out.average = std::as_bytes(std::span(average));
  out.average_name = average_.name();
  out.has_samples = samples.has_value();
  if (samples) {
    out.samples = std::as_bytes(std::span(samples->values));
    out.sample_shape = samples->shape;
    out.sample_source = average_.on() ? average_.name() : "mean";
  }
  write_snapshot(comm_, folder_.snapshot(k_), agents_, layout, provenance_, out);
}

/// Names the first bad agent on all ranks, keeps the log, and throws.
void Run::diverge() {
  struct Report {
    std::int64_t iteration, agent;
  };
  constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  Report mine{health_.failed ? health_.iteration : never, health_.failed ? health_.agent : never};
  std::vector<Report> all(static_cast<std::size_t>(agents_.ranks()));
  MPI_Allgather(&mine, 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, comm_);
  const auto worst = std::min_element(all.begin(), all.end(), [](const Report& a, const Report& b) {
    return std::pair(a.iteration, a.agent) < std::pair(b.iteration, b.agent);
  });
  const int owner = agents_.owner(worst->agent);
  std::array<char, 128> where{};
  if (agents_.rank() == owner) health_.where.copy(where.data(), where.size() - 1);
  MPI_Bcast(where.data(), static_cast<int>(where.size()), MPI_CHAR, owner, comm_);
  if (first_rank()) recorder_.flush();
  fail_together<Diverged>(
      fmt::format("diverged: agent {} (rank {}) has non-finite numbers in {} at iteration {}; the "
                  "last restart, "
                  "if any, is untouched; take smaller steps (method.step)",
                  worst->agent, owner, where.data(), worst->iteration));
}

}  // namespace

Exit run(const Deck& deck, const RunRequest& request, MPI_Comm comm) {
  return Run(deck, request, comm).execute();
}

}  // namespace parley
