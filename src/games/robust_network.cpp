// SPDX-License-Identifier: BSD-3-Clause
// robust-network: min over a network, max over one perturbation d of all samples, of
// cross-entropy(network(s + d), class) - c ||d||^2 on each agent's own data (universal
// perturbations: Moosavi-Dezfooli et al., CVPR 2017). Brings data to the classifier, which does the
// mathematics.
#include <array>

#include "core/check.hpp"
#include "games/network_classifier.hpp"
#include "games/network_game.hpp"
#include "kernels/project.hpp"

namespace parley {

namespace {

struct RobustNetworkOptions {
  double weight = 1;
  std::optional<double> radius;
  std::string init = "he";
  std::vector<LayerOptions> network;
};

void describe(Fields& fields, RobustNetworkOptions& o) {
  static constexpr std::array<std::string_view, 3> inits = {"he", "xavier", "uniform"};
  fields.key("weight", o.weight, {.sentence = "c, the weight of -||d||^2.", .min = 0});
  fields.key("radius", o.radius,
             {.sentence = "d stays in the Euclidean ball of this radius; absent: anywhere.",
              .min = 0,
              .min_excluded = true});
  fields.one_of("init", o.init, inits,
                {.sentence = "Initial parameters, as of a gan; d starts at 0."});
  fields.list_of("network", o.network,
                 {.sentence = "Layers, from a sample to one score per class.", .required = true});
}

ClassifierParts parts_of(const Deck& deck, const DataShape& data) {
  const auto& o = deck.game.as<RobustNetworkOptions>();
  if (data.classes < 2) {
    fail_user("{}: game {} needs data with labels of at least two classes; these have {}",
              deck.where("data.kind"), deck.game.kind,
              data.classes == 0 ? "no labels" : "labels of one class");
  }
  return {o.network, data.shape, data.classes, o.weight};
}

class RobustNetwork final : public NetworkGame {
 public:
  explicit RobustNetwork(const GameContext& context)
      : NetworkGame(context, 1),
        options_(context.deck.game.as<RobustNetworkOptions>()),
        classifier_(parts_of(context.deck, context.data->shape),
                    context.deck.where("game.network")) {}

  const Layout& layout() const override { return classifier_.layout(); }

  void losses(std::span<double> x, std::span<double> y) override { zero_sum_losses(losses_, x, y); }

  std::vector<Measure> measures() override {
    if (rows_of(features_.test()) == 0) return {};
    using Samples = NetworkClassifier::Samples;
    return {accuracy("accuracy", "share of held-out samples that are classified rightly",
                     Samples::clean),
            accuracy("accuracy_perturbed", "the same with the perturbation d added",
                     Samples::perturbed)};
  }

  void prox(const Exec& exec, const Matrix& z, const Pair&) override {
    const Block& d = layout().block("d");
    if (options_.radius) project_ball(exec, z, {d.column, d.size}, *options_.radius);
  }

 protected:
  void initialize(const InitialSeed& from, const HostVector& z) const override {
    classifier_.initialize(options_.init, from, z);
  }
  void reserve(std::int64_t batch) override { classifier_.reserve(batch); }
  void fill_batch(const Exec& exec, std::int64_t local, const Sample& sample,
                  std::int64_t batch) override {
    features_.gather(exec, local, sample, classifier_.samples(batch));
    features_.gather_labels(exec, local, sample, classifier_.classes(batch));
  }
  void evaluate(const Exec& exec, const Vector& z, std::int64_t batch, const Vector& f,
                const Doubles& losses, const BlockReady& ready) override {
    classifier_.evaluate(exec, z, batch, f, losses, ready);
  }

 private:
  /// Agent m of M counts the hits among the held-out rows [T m / M, T (m + 1) / M).
  Measure accuracy(const char* name, const char* meaning, NetworkClassifier::Samples which) {
    return {name,
            "1",
            meaning,
            Measure::At::mean,
            Measure::Reduce::sum,
            false,
            [this, which](const Exec& exec, const Matrix& z, std::span<double> out) {
              const std::int64_t total = rows_of(features_.test());
              for (std::size_t i = 0; i < out.size(); ++i) {
                const std::int64_t m = agents_.first() + static_cast<std::int64_t>(i);
                const std::int64_t begin = total * m / agents_.total(),
                                   end = total * (m + 1) / agents_.total();
                const Indices classes =
                    Kokkos::subview(features_.test_labels(), std::make_pair(begin, end));
                out[i] = classifier_.hits(exec, row(z, static_cast<std::int64_t>(i)),
                                          rows(features_.test(), begin, end), classes, which) /
                         static_cast<double>(total);
              }
            }};
  }

  RobustNetworkOptions options_;
  NetworkClassifier classifier_;
};

GamePlan plan_robust_network(const Deck& deck, const DataShape* data, std::int64_t batch) {
  const NetworkClassifier classifier(parts_of(deck, *data), deck.where("game.network"));
  const SamplePlan of_samples = plan_samples(deck, *data, batch);
  GamePlan plan;
  plan.layout = classifier.layout();
  plan.flops_per_call = classifier.flops(of_samples.samples);
  plan.proximal = deck.game.as<RobustNetworkOptions>().radius.has_value();
  plan.bytes = of_samples.bytes;
  plan.shared_bytes = classifier.workspace_bytes(of_samples.samples) + of_samples.shared_bytes;
  return plan;
}

}  // namespace

GameRow robust_network_row() {
  return {
      make_kind<RobustNetworkOptions>(
          "robust-network", "cross-entropy of a network against one perturbation of all samples",
          "universal perturbations: Moosavi-Dezfooli et al., CVPR 2017"),
      true, plan_robust_network, [](const GameContext& context) -> std::unique_ptr<Game> {
        return std::make_unique<RobustNetwork>(context);
      }};
}

}  // namespace parley
