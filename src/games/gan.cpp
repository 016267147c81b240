// SPDX-License-Identifier: BSD-3-Clause
// The gan game: a generator (x) against a discriminator (y) on each agent's own data. Brings data
// and random numbers to the oracle, which does the mathematics.
#include <algorithm>

#include "core/check.hpp"
#include "games/game.hpp"
#include "games/gan_oracle.hpp"
#include "games/measures_samples.hpp"
#include "kernels/noise.hpp"
#include "solver/features.hpp"

namespace parley {

GameRow gan_row();

namespace {

// Draws of the record's fixed noise, far from those of Sampler::at_record.
constexpr std::uint64_t fixed_draw = std::uint64_t{1} << 40U;
constexpr std::int64_t mixture_samples = 10000;

GanPlaces places_of(const Deck& deck) {
  return {deck.where("game.generator"), deck.where("game.discriminator")};
}

class Gan final : public Game {
 public:
  explicit Gan(const GameContext& context)
      : options_(context.deck.game.as<GanOptions>()),
        agents_(context.agents),
        sample_shape_(context.data->shape.shape),
        features_(*context.data, context.agents),
        oracle_(options_, sample_shape_, places_of(context.deck)),
        mixture_(context.data->mixture),
        seed_(static_cast<std::uint64_t>(context.deck.run.seed)),
        losses_("parley::gan::losses", static_cast<std::size_t>(2 * context.agents.count())),
        unrecorded_("parley::gan::unrecorded_losses", 2) {}

  const Layout& layout() const override { return oracle_.layout(); }

  void initial(std::uint64_t seed, std::string_view agents, const Matrix& z) override {
    HostVector host("parley::gan::initial", static_cast<std::size_t>(layout().width()));
    for (std::int64_t local = 0; local < agents_.count(); ++local) {
      const std::int64_t agent = agents == "per_agent" ? agents_.first() + local : 0;
      oracle_.initialize({seed, agent}, host);
      Kokkos::deep_copy(row(z, local), host);
    }
  }

  void field(const Exec& exec, const Matrix& z, const Sample& sample, const Matrix& f,
             const Ready& ready) override {
    std::int64_t largest = 0;
    for (std::int64_t local = 0; local < agents_.count(); ++local) {
      largest = std::max(largest, features_.batch_rows(local, sample));
    }
    oracle_.reserve(largest);
    for (std::int64_t local = 0; local < agents_.count(); ++local) {
      const std::int64_t batch = features_.batch_rows(local, sample);
      fill_batch(exec, local, sample, batch);
      const auto final_block = [&](std::int64_t block) {
        if constexpr (!on_host) fence(exec, "parley::gan::block");
        ready(local, block);
      };
      oracle_.evaluate(exec, row(z, local), batch, row(f, local), losses_of(local, sample),
                       final_block);
    }
    fence(exec, "parley::gan::field");
  }

  void losses(std::span<double> x, std::span<double> y) override {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), losses_);
    for (std::size_t local = 0; local < x.size(); ++local) {
      x[local] = host(2 * local);
      y[local] = host(2 * local + 1);
    }
  }

  std::vector<Measure> measures() override {
    std::vector<Measure> list;
    if (rows_of(features_.test()) > 0) list.push_back(swd_measure());
    if (!mixture_) return list;
    list.push_back(
        mixture_measure("modes", "1", "modes that the generator covers", &MixtureResult::modes));
    list.push_back(mixture_measure("share", "1",
                                   "share of generated samples within 3 deviations of a mode",
                                   &MixtureResult::share));
    list.push_back(mixture_measure("kl", "nats",
                                   "divergence of the histogram of modes from the uniform one",
                                   &MixtureResult::kl));
    return list;
  }

  void prox(const Exec& exec, const Matrix& z, const Pair&) override {
    if (!has_clip(options_)) return;
    clip_columns(exec, z, layout().y_begin(), layout().width(), static_cast<Real>(options_.clip));
  }

  std::optional<Generated> generate(const Exec& exec, const Vector& z, std::int64_t n) override {
    const Matrix samples = fixed_samples(exec, z, n);
    fence(exec, "parley::gan::generate");
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), samples);
    return Generated{sample_shape_, std::vector<Real>(host.data(), host.data() + host.size())};
  }

 private:
  void fill_batch(const Exec& exec, std::int64_t local, const Sample& sample,
                  std::int64_t batch) const {
    const bool train = sample.stream == Stream::train;
    const std::int64_t agent = agents_.first() + local;
    features_.gather(exec, local, sample, oracle_.real(batch));
    const Purpose noise = train ? Purpose::noise : Purpose::record_noise;
    fill_normal(exec, {sample.seed, noise, agent, sample.draw}, oracle_.noise(batch));
    if (!has_penalty(options_)) return;
    const Purpose mix = train ? Purpose::interpolation : Purpose::record_interpolation;
    fill_uniform(exec, {sample.seed, mix, agent, sample.draw}, oracle_.mix(batch));
  }

  Doubles losses_of(std::int64_t local, const Sample& sample) const {
    if (sample.stream != Stream::train) return unrecorded_;
    return Kokkos::subview(losses_, std::make_pair(2 * local, 2 * local + 2));
  }

  /// n samples of the generator of z from noise that is the same at every record and on every rank.
  Matrix fixed_samples(const Exec& exec, const Vector& z, std::int64_t n) {
    const Matrix noise = make_matrix("parley::gan::fixed_noise", n, options_.noise);
    const Matrix samples = make_matrix("parley::gan::samples", n, features_.features());
    fill_normal(exec, {seed_, Purpose::record_noise, 0, fixed_draw}, noise);
    oracle_.generate(exec, z, noise, samples);
    return samples;
  }

  /// Held-out rows that the swd measure compares with.
  Matrix held_out() const {
    const std::int64_t all = rows_of(features_.test());
    const std::int64_t wanted = options_.swd_samples;
    return rows(features_.test(), 0, wanted == 0 ? all : std::min(all, wanted));
  }

  Measure swd_measure() {
    return {"swd",
            "1",
            "sliced Wasserstein distance of generated samples to held-out ones",
            Measure::At::mean,
            Measure::Reduce::sum,
            false,
            [this](const Exec& exec, const Matrix& z, std::span<double> out) {
              evaluate_swd(exec, z, out);
            }};
  }

  void evaluate_swd(const Exec& exec, const Matrix& z, std::span<double> out) {
    if (out.empty()) return;
    if (!swd_) swd_ = std::make_unique<SlicedWasserstein>(exec, held_out(), agents_, seed_);
    const Matrix samples = fixed_samples(exec, row(z, 0), swd_->samples());
    for (std::size_t local = 0; local < out.size(); ++local) {
      out[local] = swd_->evaluate(exec, static_cast<std::int64_t>(local), samples);
    }
  }

  /// A mixture's measure: one score of the mean generator, contributed by the first agent.
  Measure mixture_measure(const char* name, const char* unit, const char* meaning,
                          double MixtureResult::*value) {
    return {name,
            unit,
            meaning,
            Measure::At::mean,
            Measure::Reduce::sum,
            false,
            [this, value](const Exec& exec, const Matrix& z, std::span<double> out) {
              std::fill(out.begin(), out.end(), 0.0);
              if (!agents_.owns(0)) return;
              const Matrix samples = fixed_samples(exec, row(z, 0), mixture_samples);
              out[0] = score_mixture(exec, *mixture_, samples).*value;
            }};
  }

  GanOptions options_;
  const Agents& agents_;
  Shape sample_shape_;
  Features features_;
  GanOracle oracle_;
  std::optional<Mixture> mixture_;
  std::unique_ptr<SlicedWasserstein> swd_;
  std::uint64_t seed_;
  Doubles losses_, unrecorded_;
};

GamePlan plan_gan(const Deck& deck, const DataShape* data, std::int64_t batch) {
  const GanOracle oracle(deck.game.as<GanOptions>(), data->shape, places_of(deck));
  // The full local data: an agent's share of the rows, the largest one.
  const std::int64_t agents = deck.run.agents;
  const std::int64_t samples = batch > 0 ? batch : (data->train_rows + agents - 1) / agents;
  const auto element = static_cast<std::int64_t>(size_of(data->type));
  GamePlan plan;
  plan.layout = oracle.layout();
  plan.proximal = has_clip(deck.game.as<GanOptions>());
  plan.flops_per_call = oracle.flops(samples);
  plan.bytes = data->train_rows / agents * data->features * element;
  plan.shared_bytes = oracle.workspace_bytes(samples) +
                      data->test_rows * data->features * static_cast<std::int64_t>(sizeof(Real));
  return plan;
}

}  // namespace

GameRow gan_row() {
  return {make_kind<GanOptions>("gan", "generator against discriminator on image or vector data",
                                "Goodfellow et al. 2014; Gulrajani et al. 2017"),
          true, plan_gan, [](const GameContext& context) -> std::unique_ptr<Game> {
            return std::make_unique<Gan>(context);
          }};
}

}  // namespace parley
