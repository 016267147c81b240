// SPDX-License-Identifier: BSD-3-Clause
// Every buffer that a run needs after a restart is in a StateList: a second set of objects, all of
// whose arrays are overwritten with NaN after construction (`parley::constant::` alone is spared),
// loads the state of the first and must go on with the same bits.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "deck/reader.hpp"
#include "plan.hpp"
#include "solver/iterate_average.hpp"
#include "solver/registries.hpp"
#include "solver/rows.hpp"
#include "solver/start.hpp"

namespace parley {
namespace {

/// Arrays under "parley::" that Kokkos has allocated and not yet freed while the object lives.
/// Kokkos' callbacks carry no user data, hence the one pointer to the live object.
class Allocations {
 public:
  Allocations() {
    live_ = this;
    Kokkos::Tools::Experimental::set_allocate_data_callback(
        [](auto, const char* label, const void* place, std::uint64_t bytes) {
          live_->found_[place] = {label, bytes};
        });
    Kokkos::Tools::Experimental::set_deallocate_data_callback(
        [](auto, const char*, const void* place, std::uint64_t) { live_->found_.erase(place); });
    // What Kokkos reports begins with a header of its own.
    const Bytes probe("parley::test::probe", 1);
    for (const auto& [place, each] : found_) {
      if (each.label == "parley::test::probe") {
        header_ = probe.data() - static_cast<const unsigned char*>(place);
      }
    }
  }
  Allocations(const Allocations&) = delete;
  Allocations& operator=(const Allocations&) = delete;
  ~Allocations() { stop(); }

  /// Fills all arrays but the constant ones with 0xFF: NaN in every floating-point type. The labels
  /// of what was filled.
  std::vector<std::string> poison() {
    stop();
    std::vector<std::string> labels;
    for (const auto& [place, each] : found_) {
      if (!each.label.starts_with("parley::") || each.bytes == 0) continue;
      if (each.label.starts_with("parley::constant::")) continue;
      auto* const begin = static_cast<unsigned char*>(const_cast<void*>(place)) + header_;
      Kokkos::deep_copy(Unmanaged(begin, each.bytes), static_cast<unsigned char>(0xFF));
      labels.push_back(each.label);
    }
    Kokkos::fence();
    return labels;
  }

 private:
  using Bytes = Kokkos::View<unsigned char*, Memory>;
  using Unmanaged = Kokkos::View<unsigned char*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  struct Allocation {
    std::string label;
    std::uint64_t bytes = 0;
  };

  void stop() {
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
  }

  static inline Allocations* live_ = nullptr;
  std::map<const void*, Allocation> found_;
  std::ptrdiff_t header_ = 0;
};

// Sizes are multiples of 64 bytes in both precisions, so that rows have no padding: its zeros are
// written once, at construction, and are no state.
constexpr const char* quadratic = R"(
[game]
kind = "quadratic"
dim_x = 16
dim_y = 32
noise = 0.1
heterogeneity = 0.3
[init]
agents = "per_agent"
)";
constexpr const char* rows_of_data = R"(
[game]
kind = "{}"
[init]
agents = "per_agent"
[data]
kind = "linear"
task = "classification"
features = 16
samples = 64
)";
constexpr const char* gan = R"(
[game]
kind = "gan"
loss = "LOSS"
noise = 16
generator = [
  { kind = "dense", width = 16 }, { kind = "tanh" }, { kind = "dense", width = 2, bias = false }]
discriminator = [
  { kind = "dense", width = 16 }, { kind = "leaky_relu" },
  { kind = "dense", width = 1, bias = false }]
[data]
kind = "ring"
samples = 200
test = 16
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  if (const auto at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

Deck deck_of(const std::string& game, const std::string& method, std::int64_t agents) {
  const bool has_data = game.find("[data]") != std::string::npos;
  const std::string text = fmt::format(
      "[run]\nagents = {}\niterations = 10\n{}\n"
      "[method]\n{}ema = 0.9\nstep.x = 0.002\nstep.y = 0.003\n{}",
      agents, game, method, has_data ? "batch = 8\n" : "");
  const Deck deck = read_deck({"poison.toml", text, "", {}}, registries());
  if (!find_method(deck.method.kind).plan(deck.method).random_graph) return deck;
  return read_deck({"poison.toml", text + "[graph]\nschedule = \"random-matching\"\n", "", {}},
                   registries());
}

/// What run() owns, for one rank.
struct Objects {
  explicit Objects(const Deck& from)
      : deck(from),
        plan(make_plan(deck)),
        agents(deck.run.agents, 0, 1),
        data(deck.data ? std::make_unique<DataSet>(load_data(deck, agents)) : nullptr),
        game(plan.game->make({deck, agents, data.get()})),
        mixer(make_mixer(
            {MPI_COMM_SELF, agents, game->layout(), plan.mixing, 2, health, 300, plan.mixer})),
        method(plan.method->make(
            {deck.method, exec, *game, *mixer, agents, 11, 10, deck.init.agents == "same"})),
        average(plan.method_plan.steps, agents.count(), *game, 11) {}

  void start() {
    fill_start(deck, agents, *game, method->z());
    average.start(exec, *method);
    method->start();
  }
  void step(std::int64_t from, std::int64_t to) {
    for (std::int64_t k = from; k <= to; ++k) {
      method->step(k);
      average.update(exec, k, *method);
    }
  }
  StateList state() {
    StateList all;
    all.append("method", method->state());
    all.append("game", game->state());
    all.append("average", average.state());
    return all;
  }

  const Deck& deck;
  Plan plan;
  Agents agents;
  Exec exec;
  std::unique_ptr<DataSet> data;
  Health health;
  std::unique_ptr<Game> game;
  std::unique_ptr<Mixer> mixer;
  std::unique_ptr<Method> method;
  IterateAverage average;
};

using Saved = std::map<std::string, std::vector<std::byte>>;

Saved save(Objects& objects) {
  Saved saved;
  const StateList state = objects.state();
  for (const StateEntry& entry : state.entries()) {
    const std::int64_t rows = entry.per_agent ? objects.agents.count() : 1;
    auto& bytes = saved[entry.name];
    bytes.resize(static_cast<std::size_t>(rows * entry.width) * size_of(entry.type));
    entry.save(bytes);
  }
  // The answer itself, should a method forget to list it.
  for (const Real value : pack_rows(objects.method->z(), objects.game->layout())) {
    const auto* const first = reinterpret_cast<const std::byte*>(&value);
    saved["answer"].insert(saved["answer"].end(), first, first + sizeof value);
  }
  return saved;
}

void load(Objects& objects, const Saved& saved) {
  const StateList state = objects.state();
  for (const StateEntry& entry : state.entries()) entry.load(saved.at(entry.name));
}

void expect_same_after_poison(const std::string& game, const std::string& method,
                              std::int64_t agents) {
  SCOPED_TRACE(method + game);
  const Deck deck = deck_of(game, method, agents);
  Objects undisturbed(deck);
  ASSERT_EQ(undisturbed.game->layout().width(), undisturbed.game->layout().dim()) << "padding";
  undisturbed.start();
  undisturbed.step(1, 5);
  const Saved middle = save(undisturbed);
  undisturbed.step(6, 10);
  const Saved expected = save(undisturbed);
  ASSERT_NE(expected.at("answer"), middle.at("answer"));
  ASSERT_FALSE(undisturbed.health.failed);

  Allocations allocations;
  Objects resumed(deck);
  const auto labels = allocations.poison();
  ASSERT_NE(std::count(labels.begin(), labels.end(), "parley::average::rows"), 0);
  load(resumed, middle);
  resumed.step(6, 10);
  const Saved got = save(resumed);
  ASSERT_EQ(got.size(), expected.size());
  for (const auto& [name, bytes] : expected) {
    EXPECT_TRUE(got.at(name) == bytes) << name << " differs after a resume";
  }
}

/// Choices of keys whose state differs from that of the defaults.
constexpr const char* choices[] = {"kind = \"dposg\"\nmix_order = \"post\"\n",
                                   "kind = \"dposg\"\nmix_order = \"post-one\"\n",
                                   "kind = \"dsgda\"\nmix_order = \"post\"\n",
                                   "kind = \"gt-da\"\nascents = 2\n",
                                   "kind = \"dgda-vr\"\nperiod = 4\n",
                                   "kind = \"dp-oadam\"\norder = \"post\"\n",
                                   "kind = \"dp-oadam\"\nmix_moments = \"v\"\n",
                                   "kind = \"dp-oadam\"\norder = \"post\"\nmix_moments = \"m,v\"\n",
                                   "kind = \"extra-step-local-sgd\"\nlocal_steps = 3\n",
                                   "kind = \"extra-step-local-sgd\"\naverage = \"gossip\"\n",
                                   "kind = \"extra-step-local-sgd\"\naverage = \"none\"\n",
                                   "kind = \"local-sgda\"\nmoments = [2, 7]\n",
                                   "kind = \"local-sgda+\"\nlocal_steps = 2\nrefresh = 2\n",
                                   "kind = \"fedgda-gt\"\nlocal_steps = 3\n",
                                   "kind = \"proxskip-vip\"\nprobability = 0.5\n",
                                   "kind = \"local-adam-extra-step\"\nlocal_steps = 3\n",
                                   "kind = \"local-adam-extra-step\"\naverage_moments = true\n",
                                   "kind = \"sgd\"\nupdates = \"simultaneous\"\n",
                                   "kind = \"adam\"\nupdates = \"alternating\"\nn_critic = 2\n"};
/// Mixers whose channels hold state, or rows of more than one round.
constexpr const char* mixers[] = {"rounds = 3\n",
                                  "schedule = \"random-matching\"\nrounds = 2\n",
                                  "acceleration = \"chebyshev\"\nrounds = 2\n",
                                  "acceleration = \"fastmix\"\nrounds = 2\n",
                                  "compression = { kind = \"identity\", step = 0.5 }\n",
                                  "compression = { kind = \"top-k\", share = 0.25 }\n",
                                  "compression = { kind = \"rand-k\", share = 0.25 }\n",
                                  "compression.kind = \"bf16\"\n"};
constexpr const char* losses[] = {"wgan-gp", "wgan", "non-saturating"};

/// The lines of every method of the registry with its defaults, and of the choices above.
std::vector<std::string> methods() {
  std::vector<std::string> all;
  for (const MethodRow& row : method_registry()) {
    all.push_back(fmt::format("kind = \"{}\"\n", row.kind.name));
  }
  all.insert(all.end(), std::begin(choices), std::end(choices));
  return all;
}

/// A clipped critic asks for them.
bool takes_proximal_steps(const std::string& method) {
  const Deck deck = deck_of(quadratic, method, 4);
  return find_method(deck.method.kind).plan(deck.method).proximal;
}

TEST(Poison, EveryMethodGoesOnWithTheSameBitsOnAQuadratic) {
  for (const auto& method : methods()) {
    expect_same_after_poison(quadratic, method, 4);
  }
}

TEST(Poison, EveryMethodGoesOnWithTheSameBitsOnAGan) {
  for (const char* loss : losses) {
    const std::string game = replaced(gan, "LOSS", loss);
    for (const auto& method : methods()) {
      if (std::string_view(loss) == "wgan" && !takes_proximal_steps(method)) continue;
      expect_same_after_poison(game, method, 4);
    }
  }
}

TEST(Poison, EveryMethodGoesOnWithTheSameBitsOnRowsOfData) {
  for (const auto& method : methods()) {
    expect_same_after_poison(fmt::format(rows_of_data, "robust-nonconvex-regression"), method, 4);
  }
  for (const char* game : {"robust-linear-regression", "robust-logistic",
                           "robust-logistic\"\nperturbation = \"explicit", "dro-logistic"}) {
    for (const char* method : {"dposg", "dm-hsgd"}) {
      expect_same_after_poison(fmt::format(rows_of_data, game),
                               fmt::format("kind = \"{}\"\n", method), 4);
    }
  }
}

void expect_mixer_goes_on(const std::string& mixer, std::initializer_list<const char*> methods) {
  const std::string game = fmt::format("{}[graph]\nkind = \"star\"\n{}", quadratic, mixer);
  for (const char* method : methods) expect_same_after_poison(game, method, 4);
}

TEST(Poison, EveryMixerGoesOnWithTheSameBits) {
  for (const char* mixer : mixers) {
    expect_mixer_goes_on(mixer, {"kind = \"dposg\"\n", "kind = \"dposg\"\nmix_order = \"post\"\n",
                                 "kind = \"gt-gda\"\n"});
  }
  expect_mixer_goes_on("weights = \"push-sum\"\n", {"kind = \"dposg\"\n", "kind = \"gt-gda\"\n"});
}

TEST(Poison, TheBilinearGameGoesOnToo) {
  const std::string game = "[game]\nkind = \"bilinear\"\ndim = 16\nspread = 1\nnoise = 0.1\n";
  expect_same_after_poison(game, "kind = \"dposg\"\n", 3);
}

/// Blocks of whole 64 bytes, as above.
constexpr const char* small_games[] = {
    "kind = \"matrix_game\"\ninstance = \"random\"\nrows = 16\ncolumns = 32\nstart = 1\n"
    "noise = 0.1\n",
    "kind = \"matrix_game\"\ninstance = \"random\"\nrows = 16\ncolumns = 32\nnoise = 0.1\n"
    "geometry = \"entropy\"\nheterogeneity = 0.5\n",
    "kind = \"quadratic\"\ndim_x = 16\ndim_y = 32\nconstraint.x.radius = 0.7\n"
    "constraint.y = { low = -0.5, high = 0.5, l1 = 0.1 }\n",
    "kind = \"linear-wgan\"\ndim = 16\nsamples = 8\n",
    "kind = \"pl-game\"\ndim = 16\nsamples = 50\n",
    "kind = \"chain\"\ndim = 16\n",
    "kind = \"covariance\"\ndim = 4\nsamples = 8\nheterogeneity = 0.1\n",
    "kind = \"robust-network\"\nradius = 0.1\nnetwork = [\n"
    "  { kind = \"dense\", width = 16 }, { kind = \"tanh\" },\n"
    "  { kind = \"dense\", width = 2, bias = false }]\n"
    "[data]\nkind = \"linear\"\ntask = \"classification\"\nfeatures = 16\nsamples = 80\n"};

TEST(Poison, TheSmallGamesGoOnToo) {
  for (const char* game : small_games) {
    for (const char* method : {"dposg", "extra-step-local-sgd", "gt-gda"}) {
      expect_same_after_poison(fmt::format("[game]\n{}", game),
                               fmt::format("kind = \"{}\"\n", method), 4);
    }
  }
}

}  // namespace
}  // namespace parley
