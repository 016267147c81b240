// SPDX-License-Identifier: BSD-3-Clause
// Restarts: every bit comes back on any number of ranks; damaged, partial and foreign files are
// found out; a failed write leaves the former generations.
#include "io/restart.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <random>

#include "core/check.hpp"
#include "io/h5.hpp"
#include "io/restart_files.hpp"
#include "support/file_limit.hpp"
#include "support/temp_folder.hpp"

namespace parley {
namespace {

using test::TempFolder;
namespace fs = std::filesystem;

Agents agents_of(std::int64_t total, MPI_Comm comm = MPI_COMM_WORLD) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  return {total, rank, ranks};
}

/// An owner of state of every kind, filled from (iteration, agent).
struct Owner {
  std::vector<double> rows;
  std::vector<float> moments;
  std::vector<std::uint8_t> marks;
  std::vector<std::int64_t> table;
  std::int64_t draw = 0;
  double power = 0;

  explicit Owner(const Agents& agents)
      : rows(static_cast<std::size_t>(agents.count() * 6)),
        moments(static_cast<std::size_t>(agents.count() * 3)),
        marks(static_cast<std::size_t>(agents.count())),
        table(4) {}

  void fill(const Agents& agents, std::int64_t k) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto agent = static_cast<std::uint64_t>(agents.first()) + i / 6;
      const auto bits = (static_cast<std::uint64_t>(k) << 40) ^ (agent << 20) ^ i % 6;
      rows[i] = std::bit_cast<double>(bits);
      // Bits that a conversion would change: a signalling NaN, a negative zero.
      if (i % 6 == 0) rows[i] = std::bit_cast<double>(0x7ff0000000000123ULL + agent);
      if (i % 6 == 1) rows[i] = -0.0;
    }
    for (std::size_t i = 0; i < moments.size(); ++i) {
      moments[i] = static_cast<float>(k * 100 + agents.first() * 3) + static_cast<float>(i);
    }
    for (std::size_t i = 0; i < marks.size(); ++i) {
      marks[i] = static_cast<std::uint8_t>(agents.first() + static_cast<std::int64_t>(i) + 200);
    }
    for (std::size_t i = 0; i < table.size(); ++i) table[i] = k - static_cast<std::int64_t>(i);
    draw = 7 * k;
    power = 0.1 * static_cast<double>(k);
  }

  template <class T>
  static StateEntry entry(std::string name, std::vector<T>& values, bool per_agent,
                          std::int64_t width) {
    return {std::move(name),
            h5::element_type_of<T>(),
            per_agent,
            width,
            [&values](std::span<std::byte> out) {
              if (!out.empty()) std::memcpy(out.data(), values.data(), out.size());
            },
            [&values](std::span<const std::byte> in) {
              if (!in.empty()) std::memcpy(values.data(), in.data(), in.size());
            }};
  }

  StateList state() {
    StateList own, all;
    own.add(entry("rows", rows, true, 6));
    own.add(entry("moments", moments, true, 3));
    own.add(entry("marks", marks, true, 1));
    own.add(entry("table", table, false, 4));
    all.append("method/adam", own);
    all.scalar("sampler/draw", draw);
    all.scalar("power", power);
    return all;
  }

  bool same_bits(const Owner& other) const {
    return rows.size() == other.rows.size() &&
           (rows.empty() ||
            std::memcmp(rows.data(), other.rows.data(), rows.size() * sizeof(double)) == 0) &&
           moments == other.moments && marks == other.marks && table == other.table &&
           draw == other.draw && power == other.power;
  }
};

Provenance provenance() {
  Provenance out = build_provenance();
  out.bit_class = "serial avx512";
  out.deck = "[run]\nname = \"a\"\n";
  out.ranks = agents_of(1).ranks();
  return out;
}

void write(const fs::path& folder, std::int64_t total, std::int64_t iteration, std::int64_t keep) {
  const Agents agents = agents_of(total);
  Owner owner(agents);
  owner.fill(agents, iteration);
  write_restart(MPI_COMM_WORLD, folder, agents, owner.state(), provenance(), iteration, keep);
}

/// The file holds its iteration's state for the ranks of `comm`.
void expect_state(MPI_Comm comm, const RestartInfo& info, std::int64_t total) {
  const Agents agents = agents_of(total, comm);
  Owner read(agents), truth(agents);
  read_restart(comm, info, agents, read.state());
  truth.fill(agents, info.iteration);
  EXPECT_TRUE(read.same_bits(truth));
}

void round_trip(std::int64_t total) {
  const TempFolder folder("restart_" + std::to_string(total), MPI_COMM_WORLD);
  write(folder.path(), total, 40, 2);
  const auto info = find_restart(MPI_COMM_WORLD, folder.path());
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->iteration, 40);
  EXPECT_EQ(info->deck, provenance().deck);
  EXPECT_EQ(info->bit_class, "serial avx512");
  EXPECT_EQ(info->ranks, provenance().ranks);
  EXPECT_TRUE(info->skipped.empty());
  expect_state(MPI_COMM_WORLD, *info, total);
  expect_state(MPI_COMM_SELF, *info, total);
  MPI_Comm half = MPI_COMM_NULL;
  const Agents agents = agents_of(total);
  MPI_Comm_split(MPI_COMM_WORLD, agents.rank() % 3 == 0 ? 0 : 1, 0, &half);
  expect_state(half, *info, total);
  MPI_Comm_free(&half);
}

TEST(Restart, EveryBitOnAnyNumberOfRanks) {
  round_trip(7);
}
TEST(Restart, RanksWithoutAgents) {
  round_trip(1);
}

TEST(Restart, GenerationsAreKeptAndNamed) {
  const TempFolder folder("restart_keep", MPI_COMM_WORLD);
  for (const std::int64_t k : {10, 20, 30}) write(folder.path(), 3, k, 2);
  EXPECT_EQ(list_generations(folder.path()), (std::vector<std::int64_t>{30, 20}));
  std::string latest;
  std::getline(std::ifstream(folder / "latest"), latest);
  EXPECT_EQ(latest, "00000030.h5");
  std::size_t files = 0;
  for (const auto& each : fs::directory_iterator(folder.path())) files += each.exists() ? 1 : 0;
  EXPECT_EQ(files, 5U);
  MPI_Barrier(MPI_COMM_WORLD);
  write(folder.path(), 3, 25, 2);  // a run that went back drops the future that it left
  EXPECT_EQ(list_generations(folder.path()), (std::vector<std::int64_t>{25, 20}));
  MPI_Barrier(MPI_COMM_WORLD);
  write(folder.path(), 3, 25, 2);  // the same generation again
  EXPECT_EQ(find_restart(MPI_COMM_WORLD, folder.path())->iteration, 25);
  clear_restarts(MPI_COMM_WORLD, folder.path());
  EXPECT_FALSE(find_restart(MPI_COMM_WORLD, folder.path()).has_value());
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_FALSE(find_restart(MPI_COMM_WORLD, folder / "missing").has_value());
}

/// Runs `damage` on rank 0 between two barriers.
template <class Damage>
void on_first_rank(Damage damage) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (agents_of(1).rank() == 0) damage();
  MPI_Barrier(MPI_COMM_WORLD);
}

void flip_bit(const fs::path& file, std::uint64_t where) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(where / 8));
  char byte = 0;
  stream.get(byte);
  stream.seekp(static_cast<std::streamoff>(where / 8));
  stream.put(static_cast<char>(byte ^ (1 << (where % 8))));
}

std::int64_t found_iteration(const fs::path& folder) {
  const auto info = find_restart(MPI_COMM_WORLD, folder);
  return info ? info->iteration : -1;
}

TEST(Restart, FlippedBitsFallBackToTheOlderGeneration) {
  const TempFolder folder("restart_flip", MPI_COMM_WORLD);
  write(folder.path(), 3, 10, 2);
  write(folder.path(), 3, 20, 2);
  const fs::path newest = generation_file(folder.path(), 20);
  const std::uint64_t bits = fs::file_size(newest) * 8;
  std::mt19937_64 random(3);
  for (int i = 0; i < 40; ++i) {
    const std::uint64_t where = random() % bits;
    on_first_rank([&] { flip_bit(newest, where); });
    const auto info = find_restart(MPI_COMM_WORLD, folder.path());
    ASSERT_TRUE(info && info->iteration == 10) << "bit " << where;
    ASSERT_EQ(info->skipped.size(), 1U);
    EXPECT_NE(info->skipped[0].find("00000020.h5: damaged"), std::string::npos);
    on_first_rank([&] { flip_bit(newest, where); });
  }
  EXPECT_EQ(found_iteration(folder.path()), 20);
  expect_state(MPI_COMM_WORLD, *find_restart(MPI_COMM_WORLD, folder.path()), 3);
}

TEST(Restart, TruncatedFilesAndMissingChecksumsFallBack) {
  const TempFolder folder("restart_cut", MPI_COMM_WORLD);
  for (const std::int64_t k : {10, 20, 30}) write(folder.path(), 3, k, 3);
  on_first_rank([&] {
    const auto newest = generation_file(folder.path(), 30);
    fs::resize_file(newest, fs::file_size(newest) - 1);
  });
  EXPECT_EQ(found_iteration(folder.path()), 20);
  on_first_rank([&] { fs::remove(checksum_file_of(generation_file(folder.path(), 20))); });
  EXPECT_EQ(found_iteration(folder.path()), 10);
  on_first_rank([&] { fs::resize_file(generation_file(folder.path(), 10), 0); });
  EXPECT_EQ(found_iteration(folder.path()), -1);
}

TEST(Restart, LatestAndLeftoversDoNotMatter) {
  const TempFolder folder("restart_latest", MPI_COMM_WORLD);
  write(folder.path(), 3, 10, 2);
  on_first_rank([&] {
    std::ofstream(folder / "latest") << "0000";
    std::ofstream(folder / "00000020.h5.tmp") << "half";
    std::ofstream(folder / "00000030.h5.sum") << "parley-sum64 0 0\n";
    std::ofstream(folder / "notes.h5") << "not a generation";
  });
  EXPECT_EQ(found_iteration(folder.path()), 10);
  write(folder.path(), 3, 20, 2);
  EXPECT_EQ(list_generations(folder.path()), (std::vector<std::int64_t>{20, 10}));
  EXPECT_FALSE(fs::exists(folder / "00000020.h5.tmp"));
  EXPECT_FALSE(fs::exists(folder / "00000030.h5.sum"));
  EXPECT_TRUE(fs::exists(folder / "notes.h5"));
}

TEST(Restart, AReplacedGenerationIsValidAtEveryMoment) {
  const TempFolder folder("restart_replace", MPI_COMM_WORLD);
  write(folder.path(), 3, 10, 1);
  on_first_rank([&] {
    // As a kill between the new checksum and the rename leaves it: both lines, the old file.
    std::ofstream(checksum_file_of(generation_file(folder.path(), 10)), std::ios::app)
        << "parley-sum64 0123456789abcdef 77\n";
  });
  EXPECT_EQ(found_iteration(folder.path()), 10);
}

/// The text of the RunError of reading into another state.
std::string refusal(const fs::path& folder, const StateList& state) {
  try {
    read_restart(MPI_COMM_WORLD, *find_restart(MPI_COMM_WORLD, folder), agents_of(3), state);
  } catch (const RunError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Restart, OtherStatesAreRefused) {
  const TempFolder folder("restart_other", MPI_COMM_WORLD);
  write(folder.path(), 3, 10, 2);
  Owner owner(agents_of(3));
  StateList more = owner.state(), fewer, wider, retyped;
  more.scalar("ema/steps", owner.draw);
  EXPECT_NE(refusal(folder.path(), more).find("missing in the file: [ema/steps]"),
            std::string::npos);
  const StateList own = owner.state();
  for (const StateEntry& entry : own.entries()) {
    StateEntry changed = entry;
    if (entry.name != "power") fewer.add(entry);
    if (entry.name == "method/adam/table") changed.width = 5;
    wider.add(changed);
    changed = entry;
    if (entry.name == "method/adam/moments") changed.type = ElementType::f64;
    retyped.add(changed);
  }
  EXPECT_NE(refusal(folder.path(), fewer).find("unknown to this run: [power]"), std::string::npos);
  EXPECT_NE(refusal(folder.path(), wider).find("'method/adam/table' has the shape 4"),
            std::string::npos);
  EXPECT_NE(refusal(folder.path(), retyped).find("'method/adam/moments' has another type"),
            std::string::npos);
  EXPECT_EQ(refusal(folder.path(), owner.state()), "no error");
}

TEST(Restart, AFailureOnOneRankIsAnErrorOnAllAndLeavesTheFormer) {
  const TempFolder folder("restart_failure", MPI_COMM_WORLD);
  write(folder.path(), 5, 10, 2);
  const Agents agents = agents_of(5);
  for (int who = 0; who < agents.ranks(); ++who) {
    Owner owner(agents);
    StateList state = owner.state();
    StateEntry broken = Owner::entry("broken", owner.rows, true, 6);
    broken.save = [&](std::span<std::byte>) {
      if (agents.rank() == who) fail_run("the device is lost");
    };
    state.add(broken);
    EXPECT_THROW(write_restart(MPI_COMM_WORLD, folder.path(), agents, state, provenance(), 20, 2),
                 RunError);
    EXPECT_EQ(found_iteration(folder.path()), 10);
  }
}

TEST(Restart, WhatComesBackOtherwiseIsNotPublished) {
  const TempFolder folder("restart_verify", MPI_COMM_WORLD);
  const Agents agents = agents_of(5);
  for (int who = 0; who < agents.ranks(); ++who) {
    Owner owner(agents);
    StateList state;
    StateEntry unsteady = Owner::entry("unsteady", owner.rows, true, 6);
    unsteady.save = [&, calls = 0](std::span<std::byte> out) mutable {
      std::fill(out.begin(), out.end(), std::byte{0});
      if (agents.rank() == who && !out.empty()) out.back() = static_cast<std::byte>(calls++);
    };
    state.add(unsteady);
    if (agents.count_of(who) == 0) continue;
    EXPECT_THROW(write_restart(MPI_COMM_WORLD, folder.path(), agents, state, provenance(), 20, 2),
                 RunError);
    EXPECT_EQ(found_iteration(folder.path()), -1);
  }
}

TEST(Restart, AFullDiskOnAnyRankIsAnErrorOnAllOrDoesNoHarm) {
  const TempFolder folder("restart_full", MPI_COMM_WORLD);
  write(folder.path(), 5, 10, 2);
  const Agents agents = agents_of(5);
  std::vector<double> large(static_cast<std::size_t>(agents.count() * 100000), 1.0);
  StateList state;
  state.add(Owner::entry("large", large, true, 100000));
  for (int who = agents.ranks() - 1; who >= 0; --who) {
    std::optional<test::FileLimit> limit;
    if (agents.rank() == who) limit.emplace(200000);
    bool failed = false;
    try {
      write_restart(MPI_COMM_WORLD, folder.path(), agents, state, provenance(), 20, 2);
    } catch (const RunError&) {
      failed = true;
    }
    limit.reset();
    EXPECT_TRUE(failed || who > 0);  // others may have their rows written by rank 0
    EXPECT_EQ(found_iteration(folder.path()), failed ? 10 : 20);
    MPI_Barrier(MPI_COMM_WORLD);
    if (agents.rank() == 0 && !failed) fs::remove(generation_file(folder.path(), 20));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

}  // namespace
}  // namespace parley
