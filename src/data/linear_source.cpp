// SPDX-License-Identifier: BSD-3-Clause
// Regression and classification with a known linear model: features x ~ N(0, I), answers
// t = x'u + offset + noise e with e ~ N(0, 1) and u ~ N(0, I / features). The target is t, the
// label 1 where t > 0. A row is a function of the seed and its number.
#include <array>
#include <cmath>
#include <cstring>

#include "core/check.hpp"
#include "data/source.hpp"
#include "kernels/philox.hpp"

namespace parley {

namespace {

constexpr std::array<std::string_view, 2> tasks{"regression", "classification"};

class LinearSource final : public Source {
 public:
  LinearSource(const LinearModelOptions& options, std::uint64_t seed)
      : options_(options), seed_(seed) {
    const bool classes = options.task == "classification";
    shape_ = {{options.features}, options.features, options.samples, options.test,
              ElementType::f64,   classes ? 2 : 0,  !classes};
    const Philox normal{seed_, Purpose::generate, model, 0};
    for (std::int64_t j = 0; j < options.features; ++j) {
      model_.push_back(normal.normal(static_cast<std::uint64_t>(j)) /
                       std::sqrt(static_cast<double>(options.features)));
    }
  }

  const DataShape& shape() const override { return shape_; }
  std::vector<std::int64_t> labels() override { return labels_of(train, shape_.train_rows); }
  std::vector<std::int64_t> test_labels() override { return labels_of(test, shape_.test_rows); }
  std::vector<double> targets() override {
    return shape_.targets ? answers(train, shape_.train_rows) : std::vector<double>{};
  }
  std::vector<double> test_targets() override {
    return shape_.targets ? answers(test, shape_.test_rows) : std::vector<double>{};
  }

  void read(std::span<const std::int64_t> rows, std::span<std::byte> out) override {
    std::size_t slot = 0;
    for (const std::int64_t row : rows) write_row(train, row, slot++, out);
  }
  void read_test(std::span<std::byte> out) override {
    std::size_t slot = 0;
    for (std::int64_t row = 0; row < shape_.test_rows; ++row) write_row(test, row, slot++, out);
  }

 private:
  /// Takes the place of the agent in the key.
  enum Set : std::int64_t { train, test, model };

  /// Numbers 0 ... features - 1: the features; number `features`: the noise of the answer.
  Philox normals(Set set, std::int64_t row) const {
    return {seed_, Purpose::generate, set, static_cast<std::uint64_t>(row)};
  }

  std::vector<double> answers(Set set, std::int64_t rows) const {
    std::vector<double> all;
    for (std::int64_t row = 0; row < rows; ++row) {
      const Philox normal = normals(set, row);
      double answer = options_.offset +
                      options_.noise * normal.normal(static_cast<std::uint64_t>(model_.size()));
      for (std::size_t j = 0; j < model_.size(); ++j) answer += model_[j] * normal.normal(j);
      all.push_back(answer);
    }
    return all;
  }

  std::vector<std::int64_t> labels_of(Set set, std::int64_t rows) const {
    std::vector<std::int64_t> labels;
    if (shape_.targets) return labels;
    for (const double answer : answers(set, rows)) labels.push_back(answer > 0 ? 1 : 0);
    return labels;
  }

  void write_row(Set set, std::int64_t row, std::size_t slot, std::span<std::byte> out) const {
    const Philox normal = normals(set, row);
    const std::size_t bytes = model_.size() * sizeof(double);
    ensure((slot + 1) * bytes <= out.size(), "LinearSource: row outside of the output");
    for (std::size_t j = 0; j < model_.size(); ++j) {
      const double value = normal.normal(j);
      std::memcpy(out.data() + slot * bytes + j * sizeof value, &value, sizeof value);
    }
  }

  LinearModelOptions options_;
  std::uint64_t seed_;
  DataShape shape_;
  std::vector<double> model_;
};

}  // namespace

std::unique_ptr<Source> make_linear_source(const Deck& deck) {
  return std::make_unique<LinearSource>(deck.data->source.as<LinearModelOptions>(),
                                        static_cast<std::uint64_t>(deck.run.seed));
}

void describe(Fields& fields, LinearModelOptions& options) {
  fields.one_of("task", options.task, tasks,
                {.sentence = "Real-valued targets t, or the labels t > 0."});
  fields.key("features", options.features,
             {.sentence = "Features of a row, standard normal numbers.", .min = 1, .max = 1e6});
  fields.key(
      "noise", options.noise,
      {.sentence = "Standard deviation of the noise in t = x'u + offset + noise.", .min = 0});
  fields.key("offset", options.offset, {.sentence = "Offset of t; moves the share of the labels."});
  fields.key("samples", options.samples,
             {.sentence = "Training rows, generated once from run.seed.", .min = 1, .max = 2e9});
  fields.key("test", options.test,
             {.sentence = "Held-out rows, generated apart; 0: none.", .min = 0, .max = 2e9});
}

}  // namespace parley
