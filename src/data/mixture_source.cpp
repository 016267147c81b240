// SPDX-License-Identifier: BSD-3-Clause
// Gaussian mixtures in the plane. A row is a function of the seed and its number, so that a rank
// generates its own rows only; held-out rows do not depend on the number of training rows.
#include <cmath>
#include <cstring>
#include <numbers>

#include "core/check.hpp"
#include "data/source.hpp"
#include "kernels/philox.hpp"

namespace parley {

namespace {

constexpr std::int64_t dimensions = 2;

class MixtureSource final : public Source {
 public:
  MixtureSource(Mixture mixture, std::int64_t train_rows, std::int64_t test_rows,
                std::uint64_t seed)
      : mixture_(std::move(mixture)),
        shape_{{dimensions}, dimensions, train_rows, test_rows, ElementType::f64, mixture_.modes},
        seed_(seed) {}

  const DataShape& shape() const override { return shape_; }
  std::optional<Mixture> mixture() const override { return mixture_; }

  std::vector<std::int64_t> labels() override { return draw_modes(Set::train, shape_.train_rows); }
  std::vector<std::int64_t> test_labels() override {
    return draw_modes(Set::test, shape_.test_rows);
  }

  void read(std::span<const std::int64_t> rows, std::span<std::byte> out) override {
    std::int64_t slot = 0;
    for (const std::int64_t row : rows) write_row(Set::train, row, slot++, out);
  }
  void read_test(std::span<std::byte> out) override {
    for (std::int64_t row = 0; row < shape_.test_rows; ++row) write_row(Set::test, row, row, out);
  }

 private:
  /// Takes the place of the agent in the key.
  enum class Set : std::int64_t { train = 0, test = 1 };

  Philox random(Set set, std::int64_t row) const {
    return {seed_, Purpose::generate, static_cast<std::int64_t>(set),
            static_cast<std::uint64_t>(row)};
  }

  std::int64_t mode_of(Set set, std::int64_t row) const {
    return random(set, row).below(0, mixture_.modes);
  }

  std::vector<std::int64_t> draw_modes(Set set, std::int64_t rows) const {
    std::vector<std::int64_t> modes(static_cast<std::size_t>(rows));
    for (std::int64_t row = 0; row < rows; ++row) {
      modes[static_cast<std::size_t>(row)] = mode_of(set, row);
    }
    return modes;
  }

  void write_row(Set set, std::int64_t row, std::int64_t slot, std::span<std::byte> out) const {
    const Philox numbers = random(set, row);
    const double* center =
        &mixture_.centers[static_cast<std::size_t>(mode_of(set, row) * dimensions)];
    double values[dimensions];
    for (std::int64_t j = 0; j < dimensions; ++j) {
      // Numbers 0 and 1 share their words with the mode.
      const double noise = numbers.normal(static_cast<std::uint64_t>(2 + j));
      values[j] = center[j] + mixture_.deviation * noise;
    }
    const auto place = static_cast<std::size_t>(slot) * sizeof values;
    ensure(place + sizeof values <= out.size(), "MixtureSource: row outside of the output");
    std::memcpy(out.data() + place, values, sizeof values);
  }

  Mixture mixture_;
  DataShape shape_;
  std::uint64_t seed_;
};

template <class Options>
std::unique_ptr<Source> make_source(const Deck& deck, const Options& options, Mixture mixture) {
  mixture.deviation = options.deviation;
  mixture.modes = static_cast<std::int64_t>(mixture.centers.size()) / dimensions;
  return std::make_unique<MixtureSource>(std::move(mixture), options.samples, options.test,
                                         static_cast<std::uint64_t>(deck.run.seed));
}

/// Keys that both mixtures have.
template <class Options>
void describe_common(Fields& fields, Options& options) {
  fields.key("deviation", options.deviation,
             {.sentence = "Standard deviation of every mode in each coordinate.",
              .min = 0,
              .min_excluded = true});
  fields.key("samples", options.samples,
             {.sentence = "Training rows, generated once from run.seed.", .min = 1, .max = 2e9});
  fields.key("test", options.test,
             {.sentence = "Held-out rows, generated apart; 0: none.", .min = 0, .max = 2e9});
}

}  // namespace

std::unique_ptr<Source> make_ring_source(const Deck& deck) {
  const auto& options = deck.data->source.as<RingMixtureOptions>();
  Mixture mixture;
  for (std::int64_t k = 0; k < options.modes; ++k) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(options.modes);
    mixture.centers.push_back(options.radius * std::cos(angle));
    mixture.centers.push_back(options.radius * std::sin(angle));
  }
  return make_source(deck, options, std::move(mixture));
}

std::unique_ptr<Source> make_grid_source(const Deck& deck) {
  const auto& options = deck.data->source.as<GridMixtureOptions>();
  Mixture mixture;
  const double middle = 0.5 * static_cast<double>(options.side - 1);
  for (std::int64_t i = 0; i < options.side; ++i) {
    for (std::int64_t j = 0; j < options.side; ++j) {
      mixture.centers.push_back(options.spacing * (static_cast<double>(i) - middle));
      mixture.centers.push_back(options.spacing * (static_cast<double>(j) - middle));
    }
  }
  return make_source(deck, options, std::move(mixture));
}

void describe(Fields& fields, RingMixtureOptions& options) {
  fields.key("modes", options.modes,
             {.sentence = "Number of Gaussians on the circle; a row's label is its mode.",
              .min = 1,
              .max = 1e6});
  fields.key("radius", options.radius, {.sentence = "Radius of the circle of centers.", .min = 0});
  describe_common(fields, options);
}

void describe(Fields& fields, GridMixtureOptions& options) {
  fields.key("side", options.side,
             {.sentence = "Gaussians along each side of the grid; a row's label is its mode.",
              .min = 1,
              .max = 1000});
  fields.key(
      "spacing", options.spacing,
      {.sentence = "Distance between neighbouring centers.", .min = 0, .min_excluded = true});
  describe_common(fields, options);
}

}  // namespace parley
