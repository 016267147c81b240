// SPDX-License-Identifier: BSD-3-Clause
// A process that writes its log and its restarts without a pause is killed at random moments: each
// time the log opens, a restart is found, and the next process goes on from it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>

#include "core/check.hpp"
#include "io/h5.hpp"
#include "io/recorder.hpp"
#include "io/restart.hpp"
#include "support/temp_folder.hpp"

extern char** environ;  // NOLINT: POSIX declares it nowhere else

namespace parley {
namespace {

namespace fs = std::filesystem;

constexpr const char* folder_variable = "PARLEY_TEST_KILL_FOLDER";
constexpr int kills = 30;
constexpr std::int64_t agents_total = 4, width = 2000;

Recorder make_recorder(const fs::path& folder) {
  GraphRecord graph;
  graph.kind = "complete";
  graph.agents = agents_total;
  graph.w.assign(agents_total * agents_total, 1.0 / agents_total);
  return {folder / "log.h5",
          build_provenance(),
          graph,
          {{"iteration", "1", "iterations done", true}, {"loss_x", "1", "loss of x"}},
          {{"loss_x", "1", "loss of x"}}};
}

/// State whose rows all hold the iteration.
struct Owner {
  std::vector<double> rows = std::vector<double>(agents_total * width);
  std::int64_t iteration = 0;

  StateList state() {
    StateList list;
    list.add(
        {"rows", ElementType::f64, true, width,
         [this](std::span<std::byte> out) { std::memcpy(out.data(), rows.data(), out.size()); },
         [this](std::span<const std::byte> in) {
           std::memcpy(rows.data(), in.data(), in.size());
         }});
    list.scalar("iteration", iteration);
    return list;
  }
};

/// What is on disk: the state of the newest restart (iteration 0 without one), after the log has
/// been opened and compared with it.
Owner read_back(const fs::path& folder) {
  Owner owner;
  const auto info = find_restart(MPI_COMM_SELF, folder / "restart");
  if (!info) return owner;
  read_restart(MPI_COMM_SELF, *info, Agents(agents_total, 0, 1), owner.state());
  EXPECT_EQ(owner.iteration, info->iteration);
  for (const double value : owner.rows) {
    if (value != static_cast<double>(info->iteration)) fail_run("a row is of another iteration");
  }
  Recorder recorder = make_recorder(folder);
  recorder.restore(info->iteration);
  EXPECT_EQ(recorder.rows(), static_cast<std::size_t>(info->iteration));
  EXPECT_EQ(recorder.last("iteration"), static_cast<double>(info->iteration));
  return owner;
}

/// Tells the parent, by one byte, that the child has begun or that a restart has been written.
void tell_parent() {
  if (::write(STDOUT_FILENO, "!", 1) != 1) _exit(EXIT_FAILURE);
}

/// The killed process: resumes, then writes until the end comes.
[[noreturn]] void write_for_ever(const fs::path& folder) {
  Owner owner = read_back(folder);
  Recorder recorder = make_recorder(folder);
  if (owner.iteration > 0) recorder.restore(owner.iteration);
  tell_parent();
  while (true) {
    ++owner.iteration;
    const auto k = static_cast<double>(owner.iteration);
    owner.rows.assign(owner.rows.size(), k);
    recorder.append({{k, -k}, {std::vector<double>(agents_total, k)}});
    recorder.flush();
    write_restart(MPI_COMM_SELF, folder / "restart", Agents(agents_total, 0, 1), owner.state(),
                  build_provenance(), owner.iteration, 2);
    tell_parent();
  }
}

/// This environment without what MPI has put into it, and with the folder.
std::vector<std::string> child_environment(const fs::path& folder) {
  std::vector<std::string> out;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string text = *each;
    const bool of_mpi = text.rfind("PMIX_", 0) == 0 || text.rfind("OMPI_COMM", 0) == 0 ||
                        text.rfind("OMPI_MCA_orte", 0) == 0 || text.rfind("OMPI_MCA_ess", 0) == 0;
    if (!of_mpi) out.push_back(text);
  }
  out.push_back(std::string(folder_variable) + "=" + folder.string());
  return out;
}

/// A child and the pipe by which it speaks.
struct Child {
  pid_t pid = -1;
  int pipe = -1;
};

Child start_child(const fs::path& folder) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_run("no pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<std::string> environment = child_environment(folder);
  std::vector<char*> pointers;
  for (auto& each : environment) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  std::string program = fs::read_symlink("/proc/self/exe").string();
  std::string brief = "--gtest_brief=1";
  std::array<char*, 3> arguments = {program.data(), brief.data(), nullptr};
  Child child;
  const int error = posix_spawn(&child.pid, program.c_str(), &actions, nullptr, arguments.data(),
                                pointers.data());
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error != 0) fail_run("cannot start the child: {}", std::strerror(error));
  child.pipe = ends[0];
  return child;
}

/// Waits for so many signs of the child, lets it go on for a while, kills it. False when it died by
/// itself.
bool kill_after(const Child& child, std::int64_t signs, std::chrono::microseconds delay) {
  std::int64_t seen = 0;
  char sign = 0;
  while (seen < signs && ::read(child.pipe, &sign, 1) == 1) seen += sign == '!' ? 1 : 0;
  std::this_thread::sleep_for(delay);
  ::kill(child.pid, SIGKILL);
  int status = 0;
  ::waitpid(child.pid, &status, 0);
  ::close(child.pipe);
  return seen == signs && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

TEST(Kill, LogAndRestartSurviveEveryMoment) {
  if (const char* folder = std::getenv(folder_variable)) write_for_ever(folder);
  const test::TempFolder folder("kill");
  std::mt19937_64 random(11);
  std::int64_t iteration = 0;
  for (int i = 0; i < kills; ++i) {
    const Child child = start_child(folder.path());
    const auto restarts = static_cast<std::int64_t>(random() % 3);
    const std::chrono::microseconds delay(random() % 100000);
    ASSERT_TRUE(kill_after(child, 1 + restarts, delay)) << "the child ended by itself";
    if (fs::exists(folder / "log.h5")) {
      EXPECT_NO_THROW(h5::File::open(folder / "log.h5").read<double>("log/iteration"));
    }
    const Owner owner = read_back(folder.path());
    ASSERT_GE(owner.iteration, iteration + restarts) << "a restart was lost in kill " << i;
    iteration = owner.iteration;
  }
  EXPECT_GE(iteration, kills / 2);
}

}  // namespace
}  // namespace parley
