// SPDX-License-Identifier: BSD-3-Clause
// The command: reads its words, dispatches, and maps exceptions to exit codes. The only catch block
// for errors that end the program. --help and --version answer before MPI, Kokkos or CUDA start.
#include <fmt/format.h>
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

#include "core/agree.hpp"
#include "deck/reader.hpp"
#include "deck/writer.hpp"
#include "io/provenance.hpp"
#include "io/show.hpp"
#include "solver/solver.hpp"

namespace parley {

namespace {

struct Command {
  DeckRequest deck;
  RunRequest run;
  std::string resume = "never", walltime, folder, registry;
  int ranks = 1;
};

std::string read_file(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  if (!in) fail_user("{}: cannot be read; name an existing deck", name);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

const Solver& solver_for(const DeckRequest& request) {
  return peek_precision(request) == "double" ? *parley_double() : *parley_single();
}

/// MPI from construction to destruction.
class Mpi {
 public:
  Mpi(int& argc, char**& argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  }
  ~Mpi() { MPI_Finalize(); }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;
};

/// The bytes of rank 0's file on every rank; its error on every rank.
std::string broadcast_file(const std::string& name, MPI_Comm comm) {
  std::string text;
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  agree(comm, "reading the deck", [&] {
    if (rank == 0) text = read_file(name);
  });
  auto size = static_cast<std::uint64_t>(text.size());
  MPI_Bcast(&size, 1, MPI_UINT64_T, 0, comm);
  text.resize(size);
  MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, comm);
  return text;
}

/// Started by srun or mpirun with several tasks, but every process alone: the launcher and MPI do
/// not know each other, and all would write the same output.
void refuse_singletons() {
  int ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > 1) return;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || std::atoi(value) <= 1) continue;
    fail_user(
        "{} = {}, but this process is alone in MPI: the launcher and the MPI library do not "
        "work together; use mpirun of the same MPI, or srun --mpi=pmix",
        name, value);
  }
}

Exit run_command(Command& command, KokkosWords kokkos) {
  command.run.resume = std::map<std::string, Resume>{
      {"never", Resume::never},
      {"auto", Resume::automatic},
      {"require",
       Resume::require}}.at(command.resume);
  if (!command.walltime.empty()) {
    command.deck.settings.push_back(fmt::format("run.walltime='{}'", command.walltime));
  }
  refuse_singletons();
  command.deck.text = broadcast_file(command.deck.file, MPI_COMM_WORLD);
  const Solver* solver = nullptr;
  Deck deck;
  agree(MPI_COMM_WORLD, "reading the deck", [&] {
    solver = &solver_for(command.deck);
    deck = read_deck(command.deck, solver->registries);
  });
  return solver->run(deck, command.run, MPI_COMM_WORLD, kokkos);
}

Exit check_command(Command& command) {
  command.deck.text = read_file(command.deck.file);
  const Solver& solver = solver_for(command.deck);
  const Deck deck = read_deck(command.deck, solver.registries);
  fmt::print("{}", solver.plan(deck, command.ranks));
  return Exit::done;
}

Exit list_command(const Command& command) {
  const Registries& all = parley_single()->registries;
  const std::pair<const char*, std::span<const Kind>> tables[] = {
      {"games", all.games},   {"methods", all.methods},
      {"graphs", all.graphs}, {"compressors", all.compressors},
      {"data", all.sources},  {"partitions", all.partitions}};
  for (const auto& [name, kinds] : tables) {
    if (!command.registry.empty() && command.registry != name) continue;
    fmt::print("{}\n", name);
    for (const Kind& kind : kinds) {
      fmt::print("  {:<26} {}\n  {:<26}   {}\n", kind.name, kind.summary, "", kind.source);
    }
  }
  return Exit::done;
}

Exit schema_command(const Command& command) {
  const Registries& all = parley_single()->registries;
  fmt::print("{}", command.registry == "reference" ? reference_deck(all) : json_schema(all));
  return Exit::done;
}

void add_deck_words(CLI::App& app, Command& command) {
  app.add_option("deck", command.deck.file, "the deck, a TOML file")->required();
  app.add_option("--variant", command.deck.variant, "merge [variant.NAME] of the deck");
  app.add_option("--set", command.deck.settings, "override a key: --set method.step.x=1e-3")
      ->allow_extra_args(false);
}

/// Words that begin with --kokkos- go to Kokkos; they are taken out of argv.
std::vector<char*> take_kokkos_words(std::vector<char*>& words) {
  std::vector<char*> taken;
  std::erase_if(words, [&](char* word) {
    const bool mine = std::string_view(word).starts_with("--kokkos-");
    if (mine) taken.push_back(word);
    return mine;
  });
  return taken;
}

/// Prints the error once for all ranks, or from the rank that is alone with it; the exit code.
template <class Error>
int report(const Error& error, Exit code) {
  int up = 0, down = 0, rank = 0, ranks = 1;
  MPI_Initialized(&up);
  MPI_Finalized(&down);
  const bool in_mpi = up != 0 && down == 0;
  if (in_mpi) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
  if (rank == 0 || !error.agreed) {
    const std::string place = error.agreed || ranks == 1 ? "" : fmt::format(" (rank {})", rank);
    fmt::print(stderr, "parley{}: {}\n", place, error.what());
    std::fflush(stderr);
  }
  if (in_mpi && ranks > 1 && !error.agreed) MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  return static_cast<int>(code);
}

/// Parses the words and runs the subcommand.
int dispatch(int argc, char** argv) {
  std::vector<char*> words(argv, argv + argc);
  std::vector<char*> kokkos = take_kokkos_words(words);
  Command command;
  CLI::App app{"Parley: a batch solver for decentralized min-max problems"};
  app.set_version_flag("--version", [] {
    const Provenance build = build_provenance();
    return fmt::format("parley {} ({}), {}, HDF5 {}", build.version, build.git, build.compiler,
                       build.hdf5);
  });
  app.require_subcommand(1);
  CLI::App* run = app.add_subcommand("run", "run a deck");
  add_deck_words(*run, command);
  run->add_option("--resume", command.resume, "never, auto or require a restart")
      ->check(CLI::IsMember({"never", "auto", "require"}));
  run->add_flag("--resume-inexact", command.run.inexact, "allow a resume in another bit class");
  run->add_flag("--overwrite", command.run.overwrite, "replace an earlier run in the same folder");
  run->add_option("--walltime", command.walltime, "stop with a restart before, e.g. 55m");
  CLI::App* check = app.add_subcommand("check", "check a deck and print the plan; writes nothing");
  add_deck_words(*check, command);
  check->add_option("--ranks", command.ranks, "plan for so many ranks")
      ->check(CLI::Range(1, 1 << 24));
  CLI::App* list = app.add_subcommand("list", "the registries");
  list->add_option("registry", command.registry,
                   "games, methods, graphs, compressors, data or partitions")
      ->check(CLI::IsMember({"games", "methods", "graphs", "compressors", "data", "partitions"}));
  CLI::App* schema = app.add_subcommand("schema", "the deck's JSON Schema");
  schema->add_option("form", command.registry, "json (default), or reference: the annotated deck")
      ->check(CLI::IsMember({"json", "reference"}));
  CLI::App* show = app.add_subcommand("show", "a finished or running run");
  show->add_option("folder", command.folder, "the run's folder")->required();
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(Exit::user_error);
  }
  if (check->parsed()) return static_cast<int>(check_command(command));
  if (list->parsed()) return static_cast<int>(list_command(command));
  if (schema->parsed()) return static_cast<int>(schema_command(command));
  if (show->parsed()) {
    fmt::print("{}", show_run(command.folder));
    return static_cast<int>(Exit::done);
  }
  return static_cast<int>(run_command(command, {static_cast<int>(kokkos.size()), kokkos.data()}));
}

}  // namespace

}  // namespace parley

int main(int argc, char** argv) {
  using namespace parley;
  std::optional<Mpi> mpi;
  // Only `run` needs MPI; it must be up before an error can be shared, and down after it was
  // reported.
  if (argc > 1 && std::string_view(argv[1]) == "run" &&
      std::none_of(argv, argv + argc, [](const char* word) {
        return std::string_view(word) == "--help" || std::string_view(word) == "-h";
      })) {
    mpi.emplace(argc, argv);
  }
  try {
    return dispatch(argc, argv);
  } catch (const UserError& error) {
    return report(error, Exit::user_error);
  } catch (const Diverged& error) {
    return report(error, Exit::diverged);
  } catch (const Failure& error) {
    return report(error, Exit::run_failed);
  } catch (const std::exception& error) {
    return report(RunError(fmt::format("internal error: {}", error.what())), Exit::run_failed);
  }
}
