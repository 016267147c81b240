// SPDX-License-Identifier: BSD-3-Clause
// One batch of rows [real; fake; interpolates] goes through the critic once; a unit adjoint goes
// back once and is weighted per sample for the critic's loss, the generator's loss and the penalty.
// The penalty's gradient is that of the tangent D'(x; v) with v = grad D held fixed: its adjoints
// are the weighted ones of the unit pass, plus second-derivative terms where the critic is smooth.
#include "games/gan_oracle.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace parley {

namespace {

constexpr std::int64_t sampler_rows = 256;

void check_output(const Network& network, const Shape& wanted, const std::string& where,
                  const std::string& what) {
  const Shape& got = network.output_shape();
  if (features_of(got) == features_of(wanted)) return;
  fail_user(
      "{}: {} has output shape {} ({} values), but {} has shape {} ({} values); give the last "
      "dense layer width = {}",
      where, network.last_layer(), to_text(got), features_of(got), what, to_text(wanted),
      features_of(wanted), features_of(wanted));
}

}  // namespace

GanOracle::GanOracle(const GanOptions& options, const Shape& sample, const GanPlaces& places)
    : loss_(loss_of(options)),
      penalized_(has_penalty(options)),
      penalty_(options.penalty),
      init_(options.init),
      layout_(row_alignment),
      generator_("generator", options.generator, {options.noise}, places.generator),
      critic_("discriminator", options.discriminator, sample, places.discriminator),
      sampler_("generator", options.generator, {options.noise}, places.generator) {
  check_output(generator_, sample, places.generator, "a sample of the data");
  check_output(critic_, {1}, places.discriminator, "a score");
  generator_.add_blocks(layout_, Player::x);
  critic_.add_blocks(layout_, Player::y);
  Layout same_columns(row_alignment);
  sampler_.add_blocks(same_columns, Player::x);
}

double GanOracle::flops(std::int64_t batch) const {
  const double g = generator_.flops(), d = critic_.flops();
  const double players = 3 * g - generator_.first_flops() + 6 * d - critic_.first_flops();
  return static_cast<double>(batch) * (players + (penalized_ ? 4 * d : 0));
}

RowPlan GanOracle::critic_plan(std::int64_t batch) const {
  RowPlan plan;
  plan.rows = (penalized_ ? (critic_.piecewise_linear() ? 3 : 4) : 2) * batch;
  plan.input_adjoint = (penalized_ ? 2 : 1) * batch;
  plan.tangents = penalized_ ? batch : 0;
  return plan;
}

std::int64_t GanOracle::workspace_bytes(std::int64_t batch) const {
  const std::int64_t elements = critic_.plan_size(critic_plan(batch)) +
                                generator_.plan_size({batch, 0, 0, false}) + 5 * batch;
  return elements * static_cast<std::int64_t>(sizeof(Real)) +
         2 * batch * static_cast<std::int64_t>(sizeof(double));
}

void GanOracle::initialize(const InitialSeed& from, const HostVector& z) const {
  generator_.initialize(init_, layout_, from, z);
  critic_.initialize(init_, layout_, from, z);
}

void GanOracle::reserve(std::int64_t batch) {
  if (batch <= reserved_) return;
  critic_.plan(critic_plan(batch));
  generator_.plan({batch, 0, 0, false});
  weights_ = make_vector("parley::gan::weights", 3 * batch);
  fake_weights_ = make_vector("parley::gan::fake_weights", batch);
  mix_ = make_vector("parley::gan::mix", batch);
  terms_ = Doubles("parley::gan::terms", static_cast<std::size_t>(2 * batch));
  reserved_ = batch;
}

void GanOracle::evaluate(const Exec& exec, const Vector& z, std::int64_t batch, const Vector& f,
                         const Doubles& losses, const BlockReady& ready) {
  ensure(batch > 0 && batch <= reserved_, "GanOracle: reserve() comes before evaluate()");
  const Pass pass{exec, blas_, z};
  const std::int64_t critic_rows = (penalized_ ? 3 : 2) * batch;
  const Matrix& input = critic_.input();
  const Matrix fake = rows(input, batch, 2 * batch);
  const Matrix fake_adjoint = rows(critic_.input_adjoint(), 0, batch);

  generator_.bind_output(fake, fake_adjoint);
  generator_.forward(pass, batch);
  if (penalized_) {
    interpolate(exec, mix(batch), real(batch), fake, rows(input, 2 * batch, 3 * batch));
  }
  critic_.forward(pass, critic_rows);
  evaluate_loss(exec, loss_, batch, {critic_.output(), weights_, fake_weights_, terms_}, losses);
  Kokkos::deep_copy(exec, rows(critic_.output_adjoint(), 0, critic_rows), Real(1));
  critic_.backward(pass, critic_rows, batch);
  differentiate_critic(pass, batch, f, losses, ready);

  copy_rows(exec, fake_adjoint, fake_weights_, fake_adjoint);
  generator_.backward(pass, batch, batch);
  generator_.gradient(pass, batch, {Vector(), batch}, f, ready);
}

void GanOracle::differentiate_critic(const Pass& pass, std::int64_t batch, const Vector& f,
                                     const Doubles& losses, const BlockReady& ready) {
  if (!penalized_) {
    critic_.gradient(pass, 2 * batch, {weights_, 2 * batch}, f, ready);
    return;
  }
  const Matrix slope = rows(critic_.input_adjoint(), batch, 2 * batch);
  const Vector slope_weights = Kokkos::subview(weights_, std::make_pair(2 * batch, 3 * batch));
  evaluate_penalty(pass.exec, penalty_, slope, slope_weights, terms_, losses);
  const bool linear = critic_.piecewise_linear();
  const TangentRows tangents{2 * batch, (linear ? 2 : 3) * batch, batch};
  copy_rows(pass.exec, slope, Vector(), rows(critic_.input(), tangents.to, tangents.to + batch));
  critic_.tangent(pass, tangents);
  if (linear) {
    critic_.gradient(pass, 3 * batch, {weights_, 2 * batch}, f, ready);
  } else {
    critic_.curvature(pass, tangents, weights_);
    critic_.gradient(pass, 4 * batch, {Vector(), 3 * batch}, f, ready);
  }
}

void GanOracle::generate(const Exec& exec, const Vector& z, const Matrix& noise,
                         const Matrix& samples) {
  if (sampler_.input().size() == 0) sampler_.plan({sampler_rows, 0, 0, true});
  const Pass pass{exec, blas_, z};
  const std::int64_t total = rows_of(noise);
  for (std::int64_t begin = 0; begin < total; begin += sampler_rows) {
    const std::int64_t count = std::min(sampler_rows, total - begin);
    copy_rows(exec, rows(noise, begin, begin + count), Vector(), rows(sampler_.input(), 0, count));
    // Always all rows: a sample's bits then do not depend on how many are asked for.
    sampler_.forward(pass, sampler_rows);
    copy_rows(exec, rows(sampler_.output(), 0, count), Vector(),
              rows(samples, begin, begin + count));
  }
}

}  // namespace parley
