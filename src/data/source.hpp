// SPDX-License-Identifier: BSD-3-Clause
// Where rows come from: a file, a generated mixture or linear model. Knows neither agents nor
// partitions. A new source is one file beside these and one row of source.cpp's table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "deck/deck.hpp"

namespace parley {

/// A data file, made by inputs/import_dataset.py.
struct FileSourceOptions {
  std::string file;
  std::optional<std::string> test_file;
  double test_fraction = 0;
  std::string scale = "none";  ///< none | unit | symmetric
};
void describe(Fields& fields, FileSourceOptions& options);

/// Gaussians on a circle: center k at radius (cos, sin)(2 pi k / modes).
struct RingMixtureOptions {
  std::int64_t modes = 8;
  double radius = 2, deviation = 0.02;
  std::int64_t samples = 65536, test = 4096;
};
void describe(Fields& fields, RingMixtureOptions& options);

/// Gaussians on a square grid around the origin.
struct GridMixtureOptions {
  std::int64_t side = 5;
  double spacing = 2, deviation = 0.05;
  std::int64_t samples = 65536, test = 4096;
};
void describe(Fields& fields, GridMixtureOptions& options);

/// Standard normal features and a linear model's answers to them.
struct LinearModelOptions {
  std::string task = "regression";  ///< regression | classification
  std::int64_t features = 10;
  double noise = 0.1, offset = 0;
  std::int64_t samples = 1000, test = 1000;
};
void describe(Fields& fields, LinearModelOptions& options);

/// Value that the game sees = stored * scale + shift.
struct Affine {
  double scale = 1, shift = 0;
};

class Source {
 public:
  virtual ~Source() = default;

  virtual const DataShape& shape() const = 0;
  virtual Affine affine() const { return {}; }
  virtual std::optional<Mixture> mixture() const { return std::nullopt; }

  /// Label of every training row, of every held-out row; empty without labels.
  virtual std::vector<std::int64_t> labels() = 0;
  virtual std::vector<std::int64_t> test_labels() = 0;
  /// The same of real-valued targets; a source has labels or targets, or neither.
  virtual std::vector<double> targets() { return {}; }
  virtual std::vector<double> test_targets() { return {}; }
  /// The listed training rows in the order of the list, in the stored type. UserError names a row
  /// whose values are not finite or outside of the range that the file promises.
  virtual void read(std::span<const std::int64_t> rows, std::span<std::byte> out) = 0;
  /// All held-out rows in order.
  virtual void read_test(std::span<std::byte> out) = 0;
};

/// The listed elements in the order of the list; nothing of an empty vector.
template <class T>
std::vector<T> pick(const std::vector<T>& from, std::span<const std::int64_t> places) {
  std::vector<T> picked;
  if (from.empty()) return picked;
  picked.reserve(places.size());
  for (const std::int64_t place : places) picked.push_back(from[static_cast<std::size_t>(place)]);
  return picked;
}

/// The source that the deck's [data] names; reads headers only.
std::unique_ptr<Source> open_source(const Deck& deck);

/// One per source kind.
std::unique_ptr<Source> open_file_source(const Deck& deck);
std::unique_ptr<Source> make_ring_source(const Deck& deck);
std::unique_ptr<Source> make_grid_source(const Deck& deck);
std::unique_ptr<Source> make_linear_source(const Deck& deck);

}  // namespace parley
