// SPDX-License-Identifier: BSD-3-Clause
// One data set file: /x, /y and their attributes, checked against the schema. Knows neither splits
// nor agents. Every fault is a UserError, since the file is the user's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/state.hpp"
#include "io/h5.hpp"

namespace parley {

class DataFile {
 public:
  /// Opens `path` and checks what can be checked without reading rows: /x of N x features or
  /// N x C x H x W in u8, f32 or f64; value_min < value_max; classes; /y of N, integers where
  /// classes > 0 and floating-point targets where classes = 0. Messages begin with `where`.
  DataFile(std::filesystem::path path, std::string where);

  std::int64_t rows() const { return rows_; }
  std::int64_t features() const { return features_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }  ///< of one row
  ElementType type() const { return type_; }
  double value_min() const { return value_min_; }
  double value_max() const { return value_max_; }
  std::int64_t classes() const { return classes_; }  ///< 0 without labels
  bool has_targets() const { return has_targets_; }
  const std::filesystem::path& path() const { return path_; }

  /// The label of every row, in [0, classes); empty without labels.
  std::vector<std::int64_t> labels() const;
  /// The real-valued target of every row, checked to be finite; empty without targets.
  std::vector<double> targets() const;
  /// The listed rows in the order of the list, in the stored type; every value is checked to lie in
  /// [value_min, value_max], which refuses those that are not finite.
  void read(std::span<const std::int64_t> rows, std::span<std::byte> out) const;

 private:
  void check_header();
  void check_labels();

  std::filesystem::path path_;
  std::string where_;
  h5::File file_;
  std::vector<std::int64_t> shape_;
  std::int64_t rows_ = 0, features_ = 0, classes_ = 0;
  ElementType type_ = ElementType::f32;
  bool has_targets_ = false;
  double value_min_ = 0, value_max_ = 1;
};

}  // namespace parley
