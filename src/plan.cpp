// SPDX-License-Identifier: BSD-3-Clause
// Checks of the deck's parts against each other, and the plan as text.
#include "plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <functional>

#include "comm/compressor.hpp"
#include "comm/host/acceleration.hpp"
#include "core/check.hpp"
#include "data/dataset.hpp"
#include "io/progress.hpp"

namespace parley {

namespace {

/// Runs checks one after the other and keeps the text of every UserError.
class Mistakes {
 public:
  void attempt(const std::function<void()>& work) {
    try {
      work();
    } catch (const UserError& error) {
      texts_.emplace_back(error.what());
    }
  }
  void throw_if_any() const {
    if (!texts_.empty()) throw UserError(fmt::format("{}", fmt::join(texts_, "\n")));
  }

 private:
  std::vector<std::string> texts_;
};

/// The property that `needs` asks for and `has` lacks; empty when there is none.
std::string missing_property(const MixerProperties& needs, const MixerProperties& has) {
  if (needs.linear && !has.linear) return "linear";
  if (needs.symmetric && !has.symmetric) return "symmetric";
  if (needs.doubly_stochastic && !has.doubly_stochastic) return "doubly stochastic";
  if (needs.stateless && !has.stateless) return "stateless";
  if (needs.keeps_mean && !has.keeps_mean) return "mean-keeping";
  if (needs.convex && !has.convex) return "convex";
  return {};
}

bool gossips(const MethodPlan& plan) {
  return plan.gossip_vectors > 0;
}

/// Keys that are legal but that nothing would read.
void refuse_ignored_keys(const Deck& deck, const Plan& plan) {
  const GraphOptions& g = deck.graph;
  const bool graph_set = g.kind.kind != "ring" || g.rounds != 1 || g.lazy ||
                         g.weights != "metropolis" || g.schedule != "static" ||
                         g.acceleration != "none" || g.compression.kind != "none";
  if (!gossips(plan.method_plan) && graph_set) {
    fail_user(
        "{}: method {} does not gossip and ignores [graph]; remove the section (a variant: "
        "unset = [\"graph\"])",
        deck.where("graph"), deck.method.kind);
  }
  if (plan.game->needs_data) return;
  std::vector<BatchKey> batches = plan.method_plan.batches;
  batches.push_back({"batch", plan.method_plan.steps.batch});
  for (const auto& [key, value] : batches) {
    if (value == 0) continue;
    fail_user("{} = {}: game {} has no data and ignores it; remove it", deck.where("method." + key),
              value, deck.game.kind);
  }
}

void check_method(const Deck& deck, const Plan& plan) {
  if (!plan.method_plan.proximal && plan.game_plan.proximal) {
    fail_user(
        "{}: method {} takes no proximal steps, which the constraints or regularisers of game {} "
        "ask for; remove them or take another method",
        deck.where("method.kind"), deck.method.kind, deck.game.kind);
  }
  if (!gossips(plan.method_plan)) return;
  if (plan.method_plan.random_graph && !plan.mixing.random()) {
    fail_user(
        "{}: method {} mixes on a graph that is random in each round; set graph.schedule = "
        "\"random-matching\" or graph.kind = \"random-permutation\"",
        deck.where("graph.kind"), deck.method.kind);
  }
  if (const auto refusal = mixer_refusal(plan.mixer, plan.mixing)) {
    fail_user("{}: {}", deck.where("graph." + refusal->key), refusal->reason);
  }
  const MixerProperties has = mixer_properties(plan.mixer, plan.mixing);
  const std::string missing = missing_property(plan.method_plan.needs, has);
  if (missing.empty()) return;
  if (missing == "doubly stochastic") {
    fail_user(
        "{}: method {} needs doubly stochastic mixing weights, which push-sum's are not; take a "
        "method that mixes its iterates once an iteration (dposg with mix_order = \"pre\")",
        deck.where("graph.weights"), deck.method.kind);
  }
  fail_user(
      "{}: method {} with these keys needs a {} mixer, which this [graph] ({}, acceleration {}, "
      "compression {}) does not give; write acceleration = \"none\" and no compression",
      deck.where("graph"), deck.method.kind, missing, deck.graph.kind.kind, deck.graph.acceleration,
      deck.graph.compression.kind);
}

/// Whether a measure that the deck waits for or expects will be in the log is known only to the
/// built game; here: data where the game wants them.
void plan_game(const Deck& deck, Plan& plan) {
  if (plan.game->needs_data && !deck.data) {
    fail_user("{}: game {} needs data; add a [data] section", deck.where("game.kind"),
              deck.game.kind);
  }
  if (!plan.game->needs_data && deck.data) {
    fail_user("{}: game {} reads no data; remove the section [data]", deck.where("data"),
              deck.game.kind);
  }
  if (deck.data) plan.data = inspect_data(deck);
  plan.game_plan =
      plan.game->plan(deck, plan.data ? &*plan.data : nullptr, plan.method_plan.steps.batch);
  plan.steps = plan_steps(deck, plan.method_plan.steps.step, plan.game_plan);
}

/// How one mix contracts towards the mean.
double contraction_of(const Deck& deck, const Plan& plan) {
  const std::int64_t rounds = deck.graph.rounds;
  const auto factors = round_factors(plan.mixer.acceleration, plan.spectrum.rho, rounds);
  if (factors.empty()) return plan.spectrum.contraction(rounds);
  return mix_contraction(factors, rounds, plan.spectrum.rho, plan.spectrum.lambda_min);
}

/// The eigenvalues of one mix, where it is linear with one symmetric W.
GossipModes modes_of(const Deck& deck, const Plan& plan) {
  const MixerProperties has = mixer_properties(plan.mixer, plan.mixing);
  if (plan.mixing.varies() || !has.symmetric || !has.linear) return {};
  const std::int64_t rounds = deck.graph.rounds;
  const double lowest = plan.spectrum.lambda_min;
  // A polynomial swings between both signs over the spectrum.
  if (plan.mixer.acceleration != "none") return {true, -contraction_of(deck, plan)};
  // An even power has no negative eigenvalue.
  return {true, rounds % 2 == 0 ? 0.0 : std::pow(lowest, static_cast<double>(rounds))};
}

std::vector<std::string> warnings_of(const Deck& deck, const Plan& plan) {
  const GossipModes modes = modes_of(deck, plan);
  std::vector<std::string> texts = step_warnings(deck, plan.method_plan, plan.steps, modes);
  if (gossips(plan.method_plan) && modes.known && modes.lambda_min < -1.0 / 3 - 1e-9) {
    texts.push_back(fmt::format(
        "smallest eigenvalue {:.3g} of W^t is below -1/3: optimistic steps have a small "
        "stable range; consider graph.lazy = true",
        modes.lambda_min));
  }
  return texts;
}

/// Bytes of the busiest rank: the rows of its agents, their channels' buffers, the game.
double rank_memory(const Deck& deck, const Plan& plan, int ranks) {
  const MethodPlan& method = plan.method_plan;
  const std::int64_t agents = Agents(deck.run.agents, 0, ranks).count();
  const double row = static_cast<double>(plan.game_plan.layout.width()) * sizeof(Real);
  // Every rank has two channels for records, one buffer each way and two sets of them per channel.
  const double buffers = ranks == 1 ? 2 : 4 * (method.gossip_vectors + method.mean_vectors + 2);
  // The average, the point that enters it, and its mean over agents.
  const bool averages = method.steps.ema > 0 || method.steps.iterate_average != "none";
  const double channels =
      method.gossip_vectors * static_cast<double>(channel_rows(plan.mixer, deck.graph.rounds));
  const double rows =
      static_cast<double>(method.state_rows) + 3 + (averages ? 3 : 0) + channels + buffers;
  return static_cast<double>(agents) * (rows * row + static_cast<double>(plan.game_plan.bytes)) +
         static_cast<double>(plan.game_plan.shared_bytes);
}

/// "ring: diameter 4, rho 0.8, ...": the graph and what its spectrum promises.
std::string graph_text(const Deck& deck, const Plan& plan) {
  const Spectrum& spectrum = plan.spectrum;
  const std::int64_t t = deck.graph.rounds;
  std::string text = deck.graph.kind.kind;
  if (deck.graph.schedule != "static") text += fmt::format(", {}", deck.graph.schedule);
  text += fmt::format(": diameter {}, rho {:.6g}", diameter(plan.graph), spectrum.rho);
  if (plan.mixing.random()) text += " a round in the mean square";
  if (plan.mixing.period() > 1) text += fmt::format(" over a period of {} rounds", spectrum.rounds);
  return text + fmt::format(", spectral gap {:.6g}, {} round{} a mix (contraction {:.3g})",
                            spectrum.gap, t, t == 1 ? "" : "s", plan.contraction);
}

/// What a mix is, in words.
std::string mixer_text(const Deck& deck, const Plan& plan) {
  const std::int64_t dim = plan.game_plan.layout.dim();
  const std::string& rule = deck.graph.compression.kind;
  if (rule != "none") {
    return fmt::format("choco with {}: {} of the row's {} in a message, step {:.3g}", rule,
                       format_bytes(static_cast<double>(message_bytes(plan.mixer, dim))),
                       format_bytes(static_cast<double>(dim) * sizeof(Real)),
                       find_compressor(rule).step(deck.graph.compression));
  }
  if (!plan.mixing.doubly_stochastic()) return "push-sum: rows divided by weights that mix along";
  return deck.graph.acceleration == "none" ? "W^t" : deck.graph.acceleration;
}

}  // namespace

Plan make_plan(const Deck& deck) {
  Plan plan;
  plan.game = &find_game(deck.game.kind);
  plan.method = &find_method(deck.method.kind);
  plan.method_plan = plan.method->plan(deck.method);
  Mistakes mistakes;
  mistakes.attempt([&] { plan_game(deck, plan); });
  mistakes.attempt([&] {
    plan.graph = make_graph(deck.graph.kind, deck.run.agents, deck.where("graph.kind"));
    const auto* key = deck.graph.schedule == "static" ? "graph.weights" : "graph.schedule";
    plan.mixing = make_mixing(plan.graph, deck.graph, deck.where(key));
    plan.spectrum = spectrum(plan.mixing);
    plan.mixer = mixer_options(deck, plan.spectrum.rho);
    check_method(deck, plan);
    plan.contraction = contraction_of(deck, plan);
  });
  mistakes.attempt([&] { refuse_ignored_keys(deck, plan); });
  mistakes.throw_if_any();
  plan.warnings = warnings_of(deck, plan);
  return plan;
}

std::string plan_text(const Deck& deck, int ranks) {
  const Plan plan = make_plan(deck);
  const Layout& layout = plan.game_plan.layout;
  const MethodPlan& method = plan.method_plan;
  const std::int64_t row = layout.dim() * static_cast<std::int64_t>(sizeof(Real));
  const std::int64_t mixed = method.mixes_x_alone ? layout.dim_x() : layout.dim();
  const MixPlan gossip =
      plan_gossip(plan.mixing, deck.graph.rounds, message_bytes(plan.mixer, mixed), ranks);
  const MixPlan mean = plan_mean(deck.run.agents, row, ranks);
  const auto per_iteration = [&](double MixPlan::*bytes) {
    return method.gossip_vectors * gossip.*bytes + method.mean_vectors * mean.*bytes;
  };
  const Agents first(deck.run.agents, 0, ranks);
  const double flops = method.oracle_calls * plan.game_plan.flops_per_call;
  std::string text;
  const auto line = [&](const std::string& name, const std::string& value) {
    text += fmt::format("{:<12} {}\n", name, value);
  };
  line("run",
       fmt::format("{}: {} iterations, {} agents on {} rank{} (at most {} a rank), {} precision",
                   deck.run.name, deck.run.iterations, deck.run.agents, ranks,
                   ranks == 1 ? "" : "s", first.count(), deck.run.precision));
  if (ranks > deck.run.agents) {
    line("warning", fmt::format("{} ranks have no agent", ranks - deck.run.agents));
  }
  line("game", fmt::format("{}: {} parameters an agent ({} of x, {} of y)", deck.game.kind,
                           layout.dim(), layout.dim_x(), layout.dim_y()));
  if (plan.data) {
    line("data", fmt::format("{} training rows and {} held-out rows of {} features, {} an agent",
                             plan.data->train_rows, plan.data->test_rows, plan.data->features,
                             deck.data->partition.kind));
  }
  line("method",
       fmt::format("{}: {} oracle calls, {:.3g} gossip mixes and {:.3g} means an iteration",
                   deck.method.kind, method.oracle_calls, method.gossip_vectors,
                   method.mean_vectors));
  line("step", step_text(plan.steps));
  if (gossips(method)) {
    line("graph", graph_text(deck, plan));
    line("mixer", mixer_text(deck, plan));
  }
  line("sent", fmt::format("{} an agent and iteration, {} between ranks",
                           format_bytes(per_iteration(&MixPlan::bytes_per_agent)),
                           format_bytes(per_iteration(&MixPlan::bytes_between_ranks))));
  line("work", fmt::format("{:.4g} MFLOP an agent and iteration", flops / 1e6));
  line("memory", fmt::format("{} on the busiest rank, libraries not counted",
                             format_bytes(rank_memory(deck, plan, ranks))));
  for (const std::string& warning : plan.warnings) line("warning", warning);
  return text;
}

}  // namespace parley
