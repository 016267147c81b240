// SPDX-License-Identifier: BSD-3-Clause
// One pass forward and one back; the adjoints at the input are the perturbation's gradient.
#include "games/network_classifier.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "kernels/perturb.hpp"
#include "kernels/softmax.hpp"

namespace parley {

namespace {

constexpr std::int64_t scorer_rows = 256;

}  // namespace

NetworkClassifier::NetworkClassifier(const ClassifierParts& parts, const std::string& where)
    : parts_(parts),
      layout_(row_alignment),
      network_("network", parts.layers, parts.sample, where),
      scorer_("network", parts.layers, parts.sample, where) {
  if (features_of(network_.output_shape()) != parts_.classes) {
    fail_user(
        "{}: {} has output shape {} ({} values), but the data have {} classes; give the last "
        "dense layer width = {}",
        where, network_.last_layer(), to_text(network_.output_shape()),
        features_of(network_.output_shape()), parts_.classes, parts_.classes);
  }
  network_.add_blocks(layout_, Player::x);
  layout_.add("d", Player::y, parts_.sample);
  shift_block_ = layout_.blocks().size() - 1;
  Layout same_columns(row_alignment);
  scorer_.add_blocks(same_columns, Player::x);
}

double NetworkClassifier::flops(std::int64_t batch) const {
  return 3 * static_cast<double>(batch) * network_.flops();
}

std::int64_t NetworkClassifier::workspace_bytes(std::int64_t batch) const {
  const std::int64_t elements =
      network_.plan_size({batch, batch, 0, true}) + scorer_.plan_size({scorer_rows, 0, 0, true});
  return elements * static_cast<std::int64_t>(sizeof(Real)) +
         2 * batch * static_cast<std::int64_t>(sizeof(double));
}

void NetworkClassifier::initialize(const std::string& init, const InitialSeed& from,
                                   const HostVector& z) const {
  Kokkos::deep_copy(z, Real(0));
  network_.initialize(init, layout_, from, z);
}

void NetworkClassifier::reserve(std::int64_t batch) {
  if (batch <= reserved_) return;
  network_.plan({batch, batch, 0, true});
  classes_ = Indices("parley::classifier::classes", static_cast<std::size_t>(batch));
  terms_ =
      Doubles("parley::classifier::terms", static_cast<std::size_t>(std::max(batch, scorer_rows)));
  reserved_ = batch;
}

Vector NetworkClassifier::shift(const Vector& row) const {
  const Block& block = layout_.blocks()[shift_block_];
  return Kokkos::subview(row, std::make_pair(block.column, block.column + block.size));
}

void NetworkClassifier::evaluate(const Exec& exec, const Vector& z, std::int64_t batch,
                                 const Vector& f, const Doubles& loss, const BlockReady& ready) {
  ensure(batch > 0 && batch <= reserved_, "NetworkClassifier: reserve() comes before evaluate()");
  const Pass pass{exec, blas_, z};
  const Vector d = shift(z);
  add_to_rows(exec, d, samples(batch));
  network_.forward(pass, batch);
  cross_entropy(exec, {network_.output(), classes_, batch, parts_.classes},
                network_.output_adjoint(), terms_, loss);
  subtract_square(exec, parts_.weight, d, features_of(parts_.sample), loss);
  network_.backward(pass, batch, 0);
  network_.gradient(pass, batch, {Vector(), batch}, f, ready);
  perturbation_field(exec, rows(network_.input_adjoint(), 0, batch), parts_.weight, d, shift(f));
  ready(static_cast<std::int64_t>(shift_block_));
}

double NetworkClassifier::hits(const Exec& exec, const Vector& z, const Matrix& samples,
                               const Indices& classes, Samples which) {
  if (scorer_.input().size() == 0) {
    scorer_.plan({scorer_rows, 0, 0, true});
    scorer_terms_ =
        Doubles("parley::classifier::scorer_terms", static_cast<std::size_t>(scorer_rows));
    hits_ = Doubles("parley::classifier::hits", 1);
  }
  const Pass pass{exec, blas_, z};
  const std::int64_t total = rows_of(samples);
  double sum = 0;
  for (std::int64_t begin = 0; begin < total; begin += scorer_rows) {
    const std::int64_t end = std::min(begin + scorer_rows, total), count = end - begin;
    const Matrix input = rows(scorer_.input(), 0, count);
    copy_rows(exec, rows(samples, begin, end), Vector(), input);
    if (which == Samples::perturbed) add_to_rows(exec, shift(z), input);
    // Always all rows: a sample's bits then do not depend on how many are asked for.
    scorer_.forward(pass, scorer_rows);
    const Indices right = Kokkos::subview(classes, std::make_pair(begin, end));
    count_hits(exec, {scorer_.output(), right, count, parts_.classes}, scorer_terms_, hits_);
    fence(exec, "parley::classifier::hits");
    sum += Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), hits_)(0);
  }
  return sum;
}

}  // namespace parley
