// SPDX-License-Identifier: BSD-3-Clause
// covariance: f_m(V, W) = <W, S_m - V V'>, the expectation of x'Wx - (Vz)'W(Vz) over data x ~ N(0,
// S_m) and latent z ~ N(0, I): a linear generator and a quadratic critic learn a covariance
// (Daskalakis, Ilyas, Syrgkanis and Zeng, ICLR 2018). V V' = mean S and W = 0 solve it.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "games/game_parts.hpp"
#include "games/generate.hpp"
#include "games/random_rows.hpp"
#include "kernels/noise.hpp"
#include "kernels/second_moments.hpp"
#include "solver/rows.hpp"

namespace parley {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Square = Eigen::Map<const RowMajor>;

struct CovarianceOptions {
  std::int64_t dim = 3;
  double mu = 0.5, smoothness = 1.5, heterogeneity = 0;
  std::int64_t samples = 0;
  double start = 1;
  std::int64_t seed = 1;
};

void describe(Fields& fields, CovarianceOptions& o) {
  fields.key("dim", o.dim, {.sentence = "Dimension of the data.", .min = 1, .max = 1024});
  fields.key(
      "mu", o.mu,
      {.sentence = "Smallest eigenvalue of the mean covariance.", .min = 0, .min_excluded = true});
  fields.key("smoothness", o.smoothness,
             {.sentence = "Largest eigenvalue of the mean covariance.", .min = 0});
  fields.key("heterogeneity", o.heterogeneity,
             {.sentence = "Scale of each agent's own part of its covariance.", .min = 0});
  fields.key("samples", o.samples,
             {.sentence = "Data, and as many latent vectors, behind an oracle call; 0: the "
                          "expectation.",
              .min = 0});
  fields.key("start", o.start,
             {.sentence = "Standard deviation of the numbers of V and of W before its symmetric "
                          "part is taken.",
              .min = 0});
  fields.key("seed", o.seed, {.sentence = "Seed of the covariances.", .min = 0});
  if (o.smoothness < o.mu) fields.mistake("smoothness", "must not be below mu");
}

Layout covariance_layout(std::int64_t dim) {
  Layout layout(row_alignment);
  layout.add("V", Player::x, {dim, dim});
  layout.add("W", Player::y, {dim, dim});
  return layout;
}

class CovarianceGame final : public Game {
 public:
  explicit CovarianceGame(const GameContext& context)
      : options_(context.deck.game.as<CovarianceOptions>()),
        agents_(context.agents),
        n_(options_.dim),
        layout_(covariance_layout(n_)),
        mean_(symmetric_matrix(n_, {options_.mu, options_.smoothness}, options_.seed, 0)),
        moments_(squares("parley::constant::moments")),
        factors_(squares("parley::constant::moment_factors")),
        seen_(squares("parley::covariance::seen")),
        latent_(squares("parley::covariance::latent")),
        work_(squares("parley::covariance::work")),
        values_("parley::covariance::values", static_cast<std::size_t>(context.agents.count())) {
    for (std::int64_t i = 0; i < agents_.count(); ++i) fill_moments(context.deck, i);
    const std::int64_t batch = options_.samples;
    normals_ = make_matrix("parley::covariance::normals", batch, n_);
    samples_ = make_matrix("parley::covariance::samples", batch, n_);
    const std::vector<double> identity = coupling_matrix(n_, n_, {1, 1}, 0);
    identity_ = make_matrix("parley::constant::identity", 1, n_ * n_);
    store(identity, row(identity_, 0));
  }

  const Layout& layout() const override { return layout_; }

  /// W's antisymmetric part does not act and never moves: it is left out.
  void initial(std::uint64_t seed, std::string_view agents, const Matrix& z) override {
    normal_start(agents_, layout_, options_.start, seed, agents, z);
    std::vector<Real> rows = pack_rows(z, layout_);
    const auto n = static_cast<std::size_t>(n_);
    for (std::size_t first = n * n; first < rows.size(); first += 2 * n * n) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          Real &a = rows[first + i * n + j], &b = rows[first + j * n + i];
          a = b = (a + b) / 2;
        }
      }
    }
    unpack_rows(rows, layout_, z);
  }

  void field(const Exec& exec, const Matrix& z, const Sample& sample, const Matrix& f,
             const Ready& ready) override {
    const bool train = sample.stream == Stream::train;
    const std::int64_t w = layout_.y_begin();
    for (std::int64_t i = 0; i < agents_.count(); ++i) {
      Real* const at = row(z, i).data();
      Real* const to = row(f, i).data();
      MomentPlayers players{n_, at, at + w, row(moments_, i).data()};
      if (train && options_.samples > 0) draw_moments(exec, sample, i, players);
      moment_field(exec, players, row(work_, i).data(), to, to + w);
      if (train) moment_value(exec, n_, at + w, to + w, values_.data() + i);
    }
    fence(exec, "parley::covariance::field");
    all_ready(ready, agents_, layout_);
  }

  void losses(std::span<double> x, std::span<double> y) override { zero_sum_losses(values_, x, y); }

  std::vector<Measure> measures() override {
    const auto error = [this](std::span<const double> z) {
      const Square v(z.data(), n_, n_);
      return (v * v.transpose() - Square(mean_.data(), n_, n_)).norm();
    };
    const auto critic = [this](std::span<const double> z) {
      return Square(z.data() + n_ * n_, n_, n_).norm();
    };
    return {measure_of_mean("covariance_error", "||V V' - S||_F at the mean, S the mean covariance",
                            layout_, error),
            measure_of_mean("critic_norm", "||W||_F at the mean, whose solution is 0", layout_,
                            critic)};
  }

 private:
  Matrix squares(const char* name) const { return make_matrix(name, agents_.count(), n_ * n_); }

  void store(const std::vector<double>& values, const Vector& to) const {
    HostVector host("parley::covariance::host", values.size());
    std::transform(values.begin(), values.end(), host.data(),
                   [](double v) { return static_cast<Real>(v); });
    Kokkos::deep_copy(to, host);
  }

  void fill_moments(const Deck& deck, std::int64_t local) {
    const std::int64_t m = agents_.first() + local;
    std::vector<double> own = mean_;
    if (options_.heterogeneity > 0) {
      const auto part = symmetric_noise(n_, options_.seed, {m, agents_.total()}, 1);
      for (std::size_t i = 0; i < own.size(); ++i) own[i] += options_.heterogeneity * part[i];
    }
    const Eigen::LLT<RowMajor> factor{RowMajor(Square(own.data(), n_, n_))};
    if (factor.info() != Eigen::Success) {
      fail_user("{} = {}: the covariance of agent {} is not positive definite; lower it",
                deck.where("game.heterogeneity"), options_.heterogeneity, m);
    }
    const RowMajor lower = factor.matrixL();
    store(own, row(moments_, local));
    store({lower.data(), lower.data() + lower.size()}, row(factors_, local));
  }

  /// The moments of the draw's data and latent vectors.
  void draw_moments(const Exec& exec, const Sample& sample, std::int64_t i,
                    MomentPlayers& players) const {
    const std::int64_t m = agents_.first() + i;
    fill_normal(exec, {sample.seed, Purpose::oracle_noise, m, sample.draw}, normals_);
    sample_moments(exec, normals_, row(factors_, i).data(), samples_, row(seen_, i).data());
    fill_normal(exec, {sample.seed, Purpose::noise, m, sample.draw}, normals_);
    sample_moments(exec, normals_, identity_.data(), samples_, row(latent_, i).data());
    players.data = row(seen_, i).data();
    players.latent = row(latent_, i).data();
  }

  CovarianceOptions options_;
  const Agents& agents_;
  std::int64_t n_;
  Layout layout_;
  std::vector<double> mean_;
  // Per local agent, n x n: S, its Cholesky factor, and those of the latest draw.
  Matrix moments_, factors_, seen_, latent_, work_;
  Matrix normals_, samples_, identity_;
  Doubles values_;
};

GamePlan plan_covariance(const CovarianceOptions& o) {
  GamePlan plan;
  plan.layout = covariance_layout(o.dim);
  const auto n = static_cast<double>(o.dim), b = static_cast<double>(o.samples);
  plan.flops_per_call = 6 * n * n * n + 6 * b * n * n;
  plan.bytes = 5 * o.dim * o.dim * static_cast<std::int64_t>(sizeof(Real));
  plan.shared_bytes = 2 * o.samples * o.dim * static_cast<std::int64_t>(sizeof(Real));
  return plan;
}

}  // namespace

GameRow covariance_row() {
  return {make_kind<CovarianceOptions>("covariance",
                                       "<W, S - VV'>: a linear generator learns a covariance",
                                       "Daskalakis et al., ICLR 2018; VV' = S, W = 0"),
          false,
          [](const Deck& deck, const DataShape*, std::int64_t) {
            return plan_covariance(deck.game.as<CovarianceOptions>());
          },
          [](const GameContext& context) -> std::unique_ptr<Game> {
            return std::make_unique<CovarianceGame>(context);
          }};
}

}  // namespace parley
