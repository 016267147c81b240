// SPDX-License-Identifier: BSD-3-Clause
// The gan game: a generator (x) against a discriminator (y) on each agent's own data. Brings data
// and random numbers to the oracle, which does the mathematics.
#include <algorithm>

#include "core/check.hpp"
#include "games/gan_oracle.hpp"
#include "games/measures_samples.hpp"
#include "games/network_game.hpp"
#include "kernels/noise.hpp"

namespace parley {

GameRow gan_row();

namespace {

// Draws of the record's fixed noise, far from those of Sampler::at_record.
constexpr std::uint64_t fixed_draw = std::uint64_t{1} << 40U;
constexpr std::int64_t mixture_samples = 10000;

GanPlaces places_of(const Deck& deck) {
  return {deck.where("game.generator"), deck.where("game.discriminator")};
}

class Gan final : public NetworkGame {
 public:
  explicit Gan(const GameContext& context)
      : NetworkGame(context, 2),
        options_(context.deck.game.as<GanOptions>()),
        sample_shape_(context.data->shape.shape),
        oracle_(options_, sample_shape_, places_of(context.deck)),
        mixture_(context.data->mixture),
        seed_(static_cast<std::uint64_t>(context.deck.run.seed)) {}

  const Layout& layout() const override { return oracle_.layout(); }

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
    list.push_back(mixture_measure());
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

 protected:
  void initialize(const InitialSeed& from, const HostVector& z) const override {
    oracle_.initialize(from, z);
  }
  void reserve(std::int64_t batch) override { oracle_.reserve(batch); }
  void fill_batch(const Exec& exec, std::int64_t local, const Sample& sample,
                  std::int64_t batch) override {
    const bool train = sample.stream == Stream::train;
    const std::int64_t agent = agents_.first() + local;
    features_.gather(exec, local, sample, oracle_.real(batch));
    const Purpose noise = train ? Purpose::noise : Purpose::record_noise;
    fill_normal(exec, {sample.seed, noise, agent, sample.draw}, oracle_.noise(batch));
    if (!has_penalty(options_)) return;
    const Purpose mix = train ? Purpose::interpolation : Purpose::record_interpolation;
    fill_uniform(exec, {sample.seed, mix, agent, sample.draw}, oracle_.mix(batch));
  }

  void evaluate(const Exec& exec, const Vector& z, std::int64_t batch, const Vector& f,
                const Doubles& losses, const BlockReady& ready) override {
    oracle_.evaluate(exec, z, batch, f, losses, ready);
  }

 private:
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

  /// The mixture's measures: one score of the mean generator, contributed by the first agent.
  Measure mixture_measure() {
    const auto first = [](std::size_t part) {
      return [part](std::span<const double> all) { return all[part]; };
    };
    return {
        "modes",
        "1",
        "modes that the generator covers",
        Measure::At::mean,
        Measure::Reduce::sum,
        false,
        [this](const Exec& exec, const Matrix& z, std::span<double> out) {
          std::fill(out.begin(), out.end(), 0.0);
          if (!agents_.owns(0)) return;
          const Matrix samples = fixed_samples(exec, row(z, 0), mixture_samples);
          const MixtureResult score = score_mixture(exec, *mixture_, samples);
          out[0] = score.modes;
          out[1] = score.share;
          out[2] = score.kl;
        },
        3,
        first(0),
        {{"share", "1", "share of generated samples within 3 deviations of a mode", first(1)},
         {"kl", "nats", "divergence of the histogram of modes from the uniform one", first(2)}}};
  }

  GanOptions options_;
  Shape sample_shape_;
  GanOracle oracle_;
  std::optional<Mixture> mixture_;
  std::unique_ptr<SlicedWasserstein> swd_;
  std::uint64_t seed_;
};

GamePlan plan_gan(const Deck& deck, const DataShape* data, std::int64_t batch) {
  const GanOracle oracle(deck.game.as<GanOptions>(), data->shape, places_of(deck));
  const SamplePlan of_samples = plan_samples(deck, *data, batch);
  GamePlan plan;
  plan.layout = oracle.layout();
  plan.proximal = has_clip(deck.game.as<GanOptions>());
  plan.flops_per_call = oracle.flops(of_samples.samples);
  plan.bytes = of_samples.bytes;
  plan.shared_bytes = oracle.workspace_bytes(of_samples.samples) + of_samples.shared_bytes;
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
