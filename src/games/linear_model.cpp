// SPDX-License-Identifier: BSD-3-Clause
// Upload, batches, and the parts of a game that all linear models have.
#include "games/linear_model.hpp"

#include <algorithm>
#include <array>

#include "core/check.hpp"
#include "games/game_parts.hpp"
#include "kernels/philox.hpp"
#include "solver/rows.hpp"

namespace parley {

namespace {

constexpr std::array<std::string_view, 2> weightings{"agents", "rows"};

Doubles to_device(const std::vector<double>& values, const std::string& label) {
  const Doubles view(label, values.size());
  const auto host = Kokkos::create_mirror_view(view);
  std::copy(values.begin(), values.end(), host.data());
  Kokkos::deep_copy(view, host);
  return view;
}

Indices to_device(const std::vector<std::int64_t>& values, const std::string& label) {
  const Indices view(label, values.size());
  const auto host = Kokkos::create_mirror_view(view);
  std::copy(values.begin(), values.end(), host.data());
  Kokkos::deep_copy(view, host);
  return view;
}

/// The answers of rows: targets where there are some, else the two labels as -1 and 1.
std::vector<double> answers_of(const std::vector<std::int64_t>& labels,
                               const std::vector<double>& targets) {
  if (!targets.empty()) return targets;
  std::vector<double> signs;
  for (const std::int64_t label : labels) signs.push_back(label == 1 ? 1 : -1);
  return signs;
}

}  // namespace

void describe_weighting(Fields& fields, std::string& weighting) {
  fields.one_of("weighting", weighting, weightings,
                {.sentence = "f is the mean of the agents' means over their own rows (agents), or "
                             "the mean over all rows (rows); they differ for unequal parts only."});
}

Weighting weighting_of(const std::string& weighting) {
  return weighting == "rows" ? Weighting::rows : Weighting::agents;
}

void expect_answers(const Deck& deck, const DataShape& data, Answer answer) {
  if (data.classes == 2 || (data.targets && answer == Answer::number)) return;
  fail_user("{}: game {} needs rows of two classes{}; these have {}", deck.where("data.kind"),
            deck.game.kind, answer == Answer::number ? " or with real-valued targets" : "",
            data.targets        ? "real-valued targets"
            : data.classes == 0 ? "neither labels nor targets"
                                : fmt::format("{} classes", data.classes));
}

LinearModel::LinearModel(const GameContext& context, Answer answer, Weighting weighting)
    : agents_(context.agents), weighting_(weighting) {
  const DataSet& data = *context.data;
  expect_answers(context.deck, data.shape, answer);
  rows_ = data.shape.train_rows;
  for (const std::int64_t rows : data.agent_rows) {
    held_ += rows;
    largest_part_ = std::max(largest_part_, rows);
  }
  for (std::int64_t m = 0; m < agents_.count(); ++m) {
    counts_.push_back(data.agent_rows[static_cast<std::size_t>(agents_.first() + m)]);
    train_.largest = std::max(train_.largest, counts_.back());
  }
  const auto table = [&](const std::vector<std::byte>& bytes) {
    return make_row_table(bytes, data.shape.type, data.shape.features, data.scale, data.shift,
                          "parley::constant::linear_rows");
  };
  train_.table = table(data.rows);
  train_.answers =
      to_device(answers_of(data.labels, data.targets), "parley::constant::linear_answers");
  train_.begin = to_device(data.begin, "parley::constant::linear_begin");
  train_.count = to_device(counts_, "parley::constant::linear_count");
  numbers_ = to_device(data.numbers, "parley::constant::linear_numbers");
  test_rows_ = data.shape.test_rows;
  test_.table = table(data.test);
  test_.answers = to_device(answers_of(data.test_labels, data.test_targets),
                            "parley::constant::linear_test_answers");
  std::vector<std::int64_t> begin, count;
  for (std::int64_t m = 0; m < agents_.count(); ++m) {
    begin.push_back(test_rows_ * (agents_.first() + m) / agents_.total());
    count.push_back(held_out_rows(m));
    test_.largest = std::max(test_.largest, count.back());
  }
  test_.begin = to_device(begin, "parley::constant::linear_test_begin");
  test_.count = to_device(count, "parley::constant::linear_test_count");
}

RowPass LinearModel::make_pass(const Table& from, std::int64_t batch) const {
  const auto agents = static_cast<std::size_t>(agents_.count());
  const std::int64_t width = batch > 0 ? batch : from.largest;
  const auto numbers = agents * static_cast<std::size_t>(width);
  std::vector<double> weights;
  for (const std::int64_t n : counts_) {
    const double own = static_cast<double>(batch > 0 ? batch : n);
    const double share = static_cast<double>(agents_.total() * n) / static_cast<double>(held_);
    const double factor = weighting_ == Weighting::agents ? 1.0
                          : weighting_ == Weighting::rows ? share
                                                          : share * static_cast<double>(rows_);
    weights.push_back(factor / own);
  }
  RowPass pass;
  pass.margins.batch = {.table = from.table,
                        .begin = from.begin,
                        .count = from.count,
                        .picks = {},
                        .agents = agents_.count(),
                        .width = width,
                        .random = batch > 0};
  if (batch > 0) {
    const std::int64_t picks = agents_.count() * pass.batch().pick_slots();
    pass.margins.batch.picks = Indices("parley::linear::picks", static_cast<std::size_t>(picks));
  }
  pass.margins.products = Doubles("parley::linear::products", numbers);
  pass.margins.answers = from.answers;
  pass.slopes = Doubles("parley::linear::slopes", numbers);
  pass.weights = to_device(weights, "parley::constant::linear_weights");
  pass.sums = Doubles("parley::linear::sums", agents);
  return pass;
}

RowPass& LinearModel::draw(const Exec& exec, const Sample& sample) {
  auto found = passes_.find(sample.batch);
  if (found == passes_.end()) {
    found = passes_.emplace(sample.batch, make_pass(train_, sample.batch)).first;
  }
  RowPass& pass = found->second;
  if (sample.batch > 0) {
    const Purpose purpose = sample.stream == Stream::train ? Purpose::batch : Purpose::record_batch;
    pick_rows(exec, {sample.seed, purpose, 0, sample.draw}, agents_.first(), pass.batch());
  }
  return pass;
}

RowPass& LinearModel::all() {
  if (!all_) all_ = make_pass(train_, 0);
  return *all_;
}

RowPass& LinearModel::held_out() {
  if (!held_out_) held_out_ = make_pass(test_, 0);
  return *held_out_;
}

LinearGame::LinearGame(const GameContext& context, Layout layout, LinearModel model, Start start)
    : agents_(context.agents),
      layout_(std::move(layout)),
      model_(std::move(model)),
      start_(std::move(start)) {}

void LinearGame::initial(std::uint64_t seed, std::string_view agents, const Matrix& z) {
  std::vector<Real> rows;
  for (std::int64_t i = 0; i < agents_.count(); ++i) {
    const Philox normal{seed, Purpose::init, agents == "same" ? 0 : agents_.first() + i, 0};
    for (const Block& block : layout_.blocks()) {
      const auto constant = start_.blocks.find(block.name);
      for (std::int64_t j = 0; j < block.size; ++j) {
        const double value = block.name == "w"
                                 ? start_.deviation * normal.normal(static_cast<std::uint64_t>(j))
                             : constant == start_.blocks.end() ? 0.0
                                                               : constant->second;
        rows.push_back(static_cast<Real>(value));
      }
    }
  }
  unpack_rows(rows, layout_, z);
}

void LinearGame::field(const Exec& exec, const Matrix& z, const Sample& sample, const Matrix& f,
                       const Ready& ready) {
  const bool train = sample.stream == Stream::train;
  RowPass& pass = train || sample.batch > 0 ? model_.draw(exec, sample) : model_.all();
  evaluate(exec, pass, z, f);
  fence(exec, "parley::linear::field");
  if (train) {
    seen_ = z;
    latest_ = &pass;
  }
  all_ready(ready, agents_, layout_);
}

void LinearGame::losses(std::span<double> x, std::span<double> y) {
  if (latest_ == nullptr) return;
  const Exec exec;
  const auto all = values(exec, *latest_, seen_);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = all[i];
    y[i] = -all[i];
  }
}

std::vector<double> LinearGame::weighted_sums(const Exec& exec, RowPass& pass) const {
  sum_over_rows(exec, pass.batch(), pass.slopes, pass.sums);
  auto sums = to_host(exec, pass.sums);
  const auto weights = to_host(exec, pass.weights);
  for (std::size_t m = 0; m < sums.size(); ++m) sums[m] *= weights[m];
  return sums;
}

std::vector<double> LinearGame::weighted_losses(const Exec& exec, RowLoss loss,
                                                RowPass& pass) const {
  row_losses(exec, loss, pass.margins, pass.slopes);
  return weighted_sums(exec, pass);
}

std::vector<double> LinearGame::dots(const Exec& exec, const Matrix& z, std::string_view u,
                                     std::string_view v) const {
  const Doubles out("parley::linear::dots", z.extent(0));
  row_dots(exec, z, column(u), column(v), layout_.block(u).size, out);
  return to_host(exec, out);
}

Measure LinearGame::value_measure() {
  return {"value",
          "",
          "f(zbar) on all rows",
          Measure::At::mean,
          Measure::Reduce::mean,
          false,
          [this](const Exec& exec, const Matrix& z, std::span<double> out) {
            const auto all = values(exec, model_.all(), z);
            std::copy(all.begin(), all.end(), out.begin());
          }};
}

Measure LinearGame::held_out_measure(const char* name, const char* unit, const char* meaning,
                                     double factor, RowSums fill) {
  return {name,
          unit,
          meaning,
          Measure::At::mean,
          Measure::Reduce::sum,
          false,
          [this, factor, fill](const Exec& exec, const Matrix& z, std::span<double> out) {
            RowPass& pass = model_.held_out();
            products(exec, pass, z);
            fill(exec, pass);
            const auto sums = to_host(exec, pass.sums);
            const auto all = static_cast<double>(pass.margins.answers.extent(0));
            for (std::size_t i = 0; i < out.size(); ++i) out[i] = factor * sums[i] / all;
          }};
}

Measure LinearGame::accuracy_measure() {
  return held_out_measure(
      "accuracy", "1", "share of held-out rows x whose class is the sign of x'w at the mean", 1,
      [](const Exec& exec, RowPass& pass) { count_matches(exec, pass.margins, pass.sums); });
}

Measure LinearGame::test_error_measure() {
  return held_out_measure("test_error", "", "mean squared x'w - y over held-out rows at the mean",
                          2, [](const Exec& exec, RowPass& pass) {
                            row_losses(exec, RowLoss::squared, pass.margins, pass.slopes);
                            sum_over_rows(exec, pass.batch(), pass.slopes, pass.sums);
                          });
}

void LinearGame::add_held_out(std::vector<Measure>& list, bool targets) {
  if (!model_.has_held_out()) return;
  list.push_back(targets ? test_error_measure() : accuracy_measure());
}

GamePlan linear_plan(const Deck& deck, const DataShape& data, std::int64_t batch, Layout layout) {
  const std::int64_t agents = deck.run.agents;
  const std::int64_t own = (data.train_rows + agents - 1) / agents;
  const auto element = static_cast<std::int64_t>(size_of(data.type));
  const std::int64_t stride = (data.features + row_alignment - 1) / row_alignment * row_alignment;
  constexpr auto number = static_cast<std::int64_t>(sizeof(double));
  GamePlan plan;
  plan.flops_per_call = 4.0 * static_cast<double>((batch > 0 ? batch : own) * data.features);
  plan.layout = std::move(layout);
  // Rows, their answers and numbers, and one product and slope for each.
  plan.bytes = own * (stride * element + 4 * number) + 3 * batch * number;
  plan.shared_bytes = data.test_rows * (stride * element + 3 * number);
  return plan;
}

std::vector<double> to_host(const Exec& exec, const Doubles& values) {
  fence(exec, "parley::linear::to_host");
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
  return {host.data(), host.data() + host.size()};
}

}  // namespace parley
