// SPDX-License-Identifier: BSD-3-Clause
// Reading and checking of a data set file.
#include "data/data_file.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "core/check.hpp"

namespace parley {

namespace {

constexpr const char* remedy = "make the file with inputs/import_dataset.py";

/// Runs `work`; what HDF5 refuses is a fault of the user's file.
template <class Work>
auto blame_file(const std::string& where, const Work& work) {
  try {
    return work();
  } catch (const RunError& error) {
    fail_user("{}: {}; {}", where, error.what(), remedy);
  }
}

/// Number of the first value outside of [min, max] or not finite, or the number of values.
template <class T>
std::size_t first_bad(std::span<const std::byte> bytes, double min, double max) {
  const T* values = reinterpret_cast<const T*>(bytes.data());
  const std::size_t count = bytes.size() / sizeof(T);
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<double>(values[i]);
    if (!(value >= min && value <= max)) return i;
  }
  return count;
}

std::size_t first_bad(ElementType type, std::span<const std::byte> bytes, double min, double max) {
  switch (type) {
    case ElementType::u8:
      return first_bad<std::uint8_t>(bytes, min, max);
    case ElementType::f32:
      return first_bad<float>(bytes, min, max);
    default:
      return first_bad<double>(bytes, min, max);
  }
}

double value_at(ElementType type, std::span<const std::byte> bytes, std::size_t i) {
  switch (type) {
    case ElementType::u8:
      return static_cast<double>(std::to_integer<std::uint8_t>(bytes[i]));
    case ElementType::f32:
      return reinterpret_cast<const float*>(bytes.data())[i];
    default:
      return reinterpret_cast<const double*>(bytes.data())[i];
  }
}

}  // namespace

DataFile::DataFile(std::filesystem::path path, std::string where)
    : path_(std::move(path)),
      where_(std::move(where)),
      file_(blame_file(where_, [this] { return h5::File::open(path_); })) {
  blame_file(where_, [this] { check_header(); });
  blame_file(where_, [this] { check_labels(); });
}

void DataFile::check_header() {
  if (!file_.exists("/x")) {
    fail_user("{}: {}: there is no data set /x; {}", where_, path_.string(), remedy);
  }
  const h5::DatasetInfo info = file_.info("/x");
  const std::size_t rank = info.shape.size();
  if (info.text || info.type == ElementType::i64 || (rank != 2 && rank != 4) ||
      h5::count_of(info.shape) == 0 || info.shape[0] > std::numeric_limits<std::int32_t>::max()) {
    fail_user(
        "{}: {}: /x has shape [{}]{}; expected N x features or N x C x H x W values of type "
        "uint8, float32 or float64, 1 <= N < 2^31; {}",
        where_, path_.string(), fmt::join(info.shape, ", "),
        info.text                       ? " of text"
        : info.type == ElementType::i64 ? " of integers"
                                        : "",
        remedy);
  }
  rows_ = info.shape[0];
  shape_.assign(info.shape.begin() + 1, info.shape.end());
  features_ = h5::count_of(shape_);
  type_ = info.type;
  for (const char* name : {"value_min", "value_max", "classes"}) {
    if (file_.has_attribute("/", name)) continue;
    fail_user("{}: {}: there is no attribute {}; {}", where_, path_.string(), name, remedy);
  }
  value_min_ = file_.read_double("/", "value_min");
  value_max_ = file_.read_double("/", "value_max");
  if (!std::isfinite(value_min_) || !std::isfinite(value_max_) || value_min_ >= value_max_) {
    fail_user(
        "{}: {}: value_min = {} and value_max = {}; they must be finite and value_min the "
        "smaller; {}",
        where_, path_.string(), value_min_, value_max_, remedy);
  }
}

void DataFile::check_labels() {
  classes_ = file_.read_int("/", "classes");
  const bool any = file_.exists("/y");
  const h5::DatasetInfo info = any ? file_.info("/y") : h5::DatasetInfo{};
  has_targets_ = any && classes_ == 0 && !info.text &&
                 (info.type == ElementType::f32 || info.type == ElementType::f64);
  const bool labelled = any && !has_targets_;
  if (classes_ < 0 || labelled != (classes_ > 0)) {
    fail_user("{}: {}: classes = {}, but the file has {} labels /y; {}", where_, path_.string(),
              classes_, labelled ? "a data set of" : "no", remedy);
  }
  if (any && (info.text || info.shape != h5::Shape{rows_})) {
    fail_user("{}: {}: /y has shape [{}]; expected one {} for each of the {} rows of /x; {}",
              where_, path_.string(), fmt::join(info.shape, ", "),
              has_targets_ ? "number" : "integer", rows_, remedy);
  }
}

std::vector<double> DataFile::targets() const {
  if (!has_targets_) return {};
  const auto targets = blame_file(where_, [this] { return file_.read<double>("/y"); });
  for (std::size_t row = 0; row < targets.size(); ++row) {
    if (std::isfinite(targets[row])) continue;
    fail_user("{}: {}: target {} of row {} (from 0) is not finite; mend the row or {}", where_,
              path_.string(), targets[row], row, remedy);
  }
  return targets;
}

std::vector<std::int64_t> DataFile::labels() const {
  if (classes_ == 0) return {};
  const auto labels = blame_file(where_, [this] { return file_.read<std::int64_t>("/y"); });
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (labels[row] >= 0 && labels[row] < classes_) continue;
    fail_user("{}: {}: label {} of row {} (from 0) lies outside of 0..{} (classes = {}); {}",
              where_, path_.string(), labels[row], row, classes_ - 1, classes_, remedy);
  }
  return labels;
}

void DataFile::read(std::span<const std::int64_t> rows, std::span<std::byte> out) const {
  blame_file(where_, [&] { file_.read_rows("/x", rows, type_, out); });
  const std::size_t bad = first_bad(type_, out, value_min_, value_max_);
  if (bad == out.size() / size_of(type_)) return;
  const auto features = static_cast<std::size_t>(features_);
  fail_user(
      "{}: {}: row {}, column {} of /x (from 0) is {}; values must be finite and lie in "
      "value_min..value_max = {}..{}; mend the row or import the data anew",
      where_, path_.string(), rows[bad / features], bad % features, value_at(type_, out, bad),
      value_min_, value_max_);
}

}  // namespace parley
