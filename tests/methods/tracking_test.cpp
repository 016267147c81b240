// SPDX-License-Identifier: BSD-3-Clause
// The invariant of gradient tracking, iteration by iteration: the mean over agents of the tracker's
// rows is the mean of the latest estimates of their fields, on any graph, by any mixer and with
// different data.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "deck/reader.hpp"
#include "plan.hpp"
#include "solver/registries.hpp"
#include "solver/rows.hpp"
#include "solver/start.hpp"

namespace parley {
namespace {

constexpr std::int64_t agents = 5, dim_x = 4, dim_y = 3, dim = dim_x + dim_y;

/// Weights that are not symmetric.
constexpr const char* exponential = "kind = \"exponential\"\n";

/// A run with rows and state to look at.
class Trial {
 public:
  Trial(const std::string& method, double noise, const std::string& graph = exponential)
      : deck_(read_deck(
            {"tracking.toml",
             fmt::format("[run]\nagents = {}\niterations = 10\n[game]\nkind = "
                         "\"quadratic\"\ndim_x = {}\ndim_y = {}\nmu = 0.9\nheterogeneity = 0.2\n"
                         "noise = {}\n[init]\nagents = \"per_agent\"\n[graph]\n{}"
                         "[method]\n{}step.x = 0.1\nstep.y = 0.2\n",
                         agents, dim_x, dim_y, noise, graph, method),
             "",
             {}},
            registries())),
        plan_(make_plan(deck_)),
        agents_(agents, 0, 1),
        game_(plan_.game->make({deck_, agents_, nullptr})),
        mixer_(make_mixer({MPI_COMM_SELF, agents_, game_->layout(), plan_.mixing, 1, health_})),
        method_(plan_.method->make({deck_.method, exec_, *game_, *mixer_, agents_, 1, 10, false})) {
    fill_start(deck_, agents_, *game_, method_->z());
    method_->start();
  }

  void step(std::int64_t k) { method_->step(k); }

  /// Mean over agents of the iterates' fields, without noise.
  std::vector<double> mean_field() {
    const Matrix g = make_matrix("parley::test::g", agents, game_->layout().width());
    game_->field(exec_, method_->z(), {1, Stream::record, 0, 0}, g, not_watched);
    return mean(pack_rows(g, game_->layout()));
  }

  /// Mean over agents of rows that the method keeps.
  std::vector<double> mean_of(const std::string& name) {
    const StateList state = method_->state();
    for (const StateEntry& entry : state.entries()) {
      if (entry.name != name) continue;
      std::vector<Real> rows(static_cast<std::size_t>(agents * dim));
      entry.save(std::as_writable_bytes(std::span(rows)));
      return mean(rows);
    }
    fail_run("no state {}", name);
  }

 private:
  static std::vector<double> mean(const std::vector<Real>& rows) {
    std::vector<double> out(static_cast<std::size_t>(dim), 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out[i % out.size()] += static_cast<double>(rows[i]) / static_cast<double>(agents);
    }
    return out;
  }

  Deck deck_;
  Plan plan_;
  Agents agents_;
  Exec exec_;
  Health health_;
  std::unique_ptr<Game> game_;
  std::unique_ptr<Mixer> mixer_;
  std::unique_ptr<Method> method_;
};

/// Sums of some hundred numbers of size 1 to 10.
constexpr double round_off = sizeof(Real) == 8 ? 1e-14 : 5e-6;

void expect_near(const std::vector<double>& got, const std::vector<double>& expected,
                 std::int64_t columns, std::int64_t k) {
  for (std::int64_t j = 0; j < columns; ++j) {
    const auto i = static_cast<std::size_t>(j);
    EXPECT_NEAR(got[i], expected[i], round_off) << "coordinate " << j << ", iteration " << k;
  }
}

constexpr std::int64_t iterations = 40;

/// Trackers of the fields at the rows that an iteration begins with.
void expect_tracks_the_rows_before(const std::string& method, std::int64_t columns) {
  SCOPED_TRACE(method);
  Trial run(method, 0);
  for (std::int64_t k = 1; k <= iterations; ++k) {
    const auto before = run.mean_field();
    run.step(k);
    expect_near(run.mean_of("s"), before, columns, k);
  }
}

TEST(Tracking, TheMeanOfTheTrackersIsTheMeanOfTheFields) {
  expect_tracks_the_rows_before("kind = \"gt-gda\"\n", dim);
  expect_tracks_the_rows_before("kind = \"gt-eg\"\n", dim);
  expect_tracks_the_rows_before("kind = \"dm-hsgd\"\n", dim);
  expect_tracks_the_rows_before("kind = \"gt-da\"\nascents = 2\n", dim_x);
}

TEST(Tracking, OfDgdaVrIsThatAtTheNewRows) {
  Trial run("kind = \"dgda-vr\"\nperiod = 6\n", 0);
  for (std::int64_t k = 1; k <= iterations; ++k) {
    run.step(k);
    const auto after = run.mean_field();
    expect_near(run.mean_of("s"), after, dim, k);
    expect_near(run.mean_of("v"), after, dim, k);
  }
}

TEST(Tracking, OfOptimisticGtIsThatOfTheExtrapolatedFields) {
  Trial run("kind = \"optimistic-gt\"\n", 0);
  std::vector<double> last = run.mean_field();
  for (std::int64_t k = 1; k <= iterations; ++k) {
    const auto now = run.mean_field();
    std::vector<double> q(now.size());
    for (std::size_t j = 0; j < q.size(); ++j) q[j] = 2 * now[j] - last[j];
    run.step(k);
    expect_near(run.mean_of("s"), q, dim, k);
    last = now;
  }
}

TEST(Tracking, NoiseIsTrackedLikeFields) {
  for (const char* kind : {"gt-gda", "gt-eg", "optimistic-gt", "dm-hsgd", "dgda-vr", "gt-da"}) {
    SCOPED_TRACE(kind);
    Trial noisy(fmt::format("kind = \"{}\"\n", kind), 0.5);
    for (std::int64_t k = 1; k <= iterations; ++k) {
      noisy.step(k);
      expect_near(noisy.mean_of("s"), noisy.mean_of("previous"), dim, k);
    }
  }
}

void expect_tracks_over(const std::string& mixer, const std::string& kind) {
  SCOPED_TRACE(fmt::format("{} over {}", kind, mixer));
  Trial run(fmt::format("kind = \"{}\"\n", kind), 0.1, mixer);
  for (std::int64_t k = 1; k <= iterations; ++k) {
    run.step(k);
    expect_near(run.mean_of("s"), run.mean_of("previous"), dim, k);
  }
}

TEST(Tracking, IsKeptByEveryMixer) {
  for (const char* mixer : {"kind = \"complete\"\n", "kind = \"path\"\nlazy = true\nrounds = 2\n",
                            "kind = \"one-peer-exponential\"\n", "kind = \"random-permutation\"\n",
                            "kind = \"ring\"\nschedule = \"random-matching\"\n"}) {
    for (const char* kind : {"gt-gda", "gt-eg", "optimistic-gt", "dm-hsgd", "dgda-vr", "gt-da"}) {
      expect_tracks_over(mixer, kind);
    }
  }
  // gt-da asks for a mixer without state.
  for (const char* mixer :
       {"rounds = 3\nacceleration = \"chebyshev\"\n", "rounds = 3\nacceleration = \"fastmix\"\n",
        "compression = { kind = \"identity\", step = 0.5 }\n",
        "compression = { kind = \"top-k\", share = 0.4 }\n",
        "compression = { kind = \"rand-k\", share = 0.4 }\n",
        "compression = { kind = \"bf16\" }\n"}) {
    for (const char* kind : {"gt-gda", "gt-eg", "optimistic-gt", "dm-hsgd", "dgda-vr"}) {
      expect_tracks_over(fmt::format("kind = \"ring\"\n{}", mixer), kind);
    }
  }
}

TEST(Tracking, AWrongFieldWouldBeSeen) {
  Trial exact("kind = \"gt-gda\"\n", 0), noisy("kind = \"gt-gda\"\n", 0.5);
  const auto field = exact.mean_field();
  noisy.step(1);
  const auto tracked = noisy.mean_of("s");
  double distance = 0;
  for (std::size_t j = 0; j < field.size(); ++j) {
    distance = std::max(distance, std::abs(field[j] - tracked[j]));
  }
  EXPECT_GT(distance, 0.01);
}

}  // namespace
}  // namespace parley
