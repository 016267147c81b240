// SPDX-License-Identifier: BSD-3-Clause
// Rows of a data file, with held-out rows from a second file or split off.
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/check.hpp"
#include "core/shuffle.hpp"
#include "data/data_file.hpp"
#include "data/source.hpp"
#include "deck/paths.hpp"
#include "kernels/philox.hpp"

namespace parley {

namespace {

constexpr std::array<std::string_view, 3> scales{"none", "unit", "symmetric"};

DataFile open_named(const Deck& deck, const std::string& key, const std::string& name) {
  const std::string path = "data." + key;
  return {find_input(deck, name, path), deck.where(path)};
}

/// Stored range to [0, 1] or [-1, 1].
Affine affine_of(const std::string& scale, const DataFile& file) {
  const double range = file.value_max() - file.value_min();
  if (scale == "unit") return {1 / range, -file.value_min() / range};
  if (scale == "symmetric") return {2 / range, -1 - 2 * file.value_min() / range};
  return {};
}

class FileSource final : public Source {
 public:
  explicit FileSource(const Deck& deck)
      : FileSource(deck, deck.data->source.as<FileSourceOptions>()) {}

  const DataShape& shape() const override { return shape_; }
  Affine affine() const override { return affine_; }

  std::vector<std::int64_t> labels() override { return pick(train_.labels(), split().train); }
  std::vector<std::int64_t> test_labels() override {
    return test_ ? test_->labels() : pick(train_.labels(), split().test);
  }
  std::vector<double> targets() override { return pick(train_.targets(), split().train); }
  std::vector<double> test_targets() override {
    return test_ ? test_->targets() : pick(train_.targets(), split().test);
  }
  void read(std::span<const std::int64_t> rows, std::span<std::byte> out) override {
    train_.read(pick<std::int64_t>(split().train, rows), out);
  }
  void read_test(std::span<std::byte> out) override {
    if (!test_) return train_.read(split().test, out);
    std::vector<std::int64_t> rows(static_cast<std::size_t>(test_->rows()));
    std::iota(rows.begin(), rows.end(), 0);
    test_->read(rows, out);
  }

 private:
  /// Rows of the file that train and that are held out, both ascending.
  struct Split {
    std::vector<std::int64_t> train, test;
  };

  FileSource(const Deck& deck, const FileSourceOptions& options)
      : train_(open_named(deck, "file", options.file)),
        seed_(static_cast<std::uint64_t>(deck.run.seed)),
        affine_(affine_of(options.scale, train_)) {
    shape_ = {train_.shape(), train_.features(), train_.rows(),       0,
              train_.type(),  train_.classes(),  train_.has_targets()};
    if (options.test_file) {
      test_.emplace(open_named(deck, "test_file", *options.test_file));
      expect_same_rows(deck);
      shape_.test_rows = test_->rows();
    } else if (options.test_fraction > 0) {
      shape_.test_rows = std::llround(options.test_fraction * static_cast<double>(train_.rows()));
      shape_.train_rows -= shape_.test_rows;
      if (shape_.test_rows == 0 || shape_.train_rows == 0) {
        fail_user("{}: {} of {} rows leaves {} for training and {} for the test; both need a row",
                  deck.where("data.test_fraction"), options.test_fraction, train_.rows(),
                  shape_.train_rows, shape_.test_rows);
      }
    }
  }

  void expect_same_rows(const Deck& deck) const {
    if (test_->shape() != train_.shape()) {
      fail_user("{}: rows of {} are of shape [{}], those of {} of shape [{}]; import both alike",
                deck.where("data.test_file"), test_->path().string(),
                fmt::join(test_->shape(), ", "), train_.path().string(),
                fmt::join(train_.shape(), ", "));
    }
    if (test_->type() != train_.type()) {
      fail_user("{}: {} stores {}, {} stores {}; import both with the same --precision",
                deck.where("data.test_file"), test_->path().string(), name_of(test_->type()),
                train_.path().string(), name_of(train_.type()));
    }
    if (test_->has_targets() != train_.has_targets()) {
      fail_user("{}: of {} and {} one has real-valued targets, the other not; import both alike",
                deck.where("data.test_file"), test_->path().string(), train_.path().string());
    }
    if (test_->classes() > train_.classes() && train_.classes() > 0) {
      fail_user("{}: {} has {} classes, {} has {}; held-out rows may not have more",
                deck.where("data.test_file"), test_->path().string(), test_->classes(),
                train_.path().string(), train_.classes());
    }
  }

  /// Made at the first use: a plan does not need it.
  const Split& split() {
    if (!split_.train.empty()) return split_;
    std::vector<std::int64_t> order(static_cast<std::size_t>(train_.rows()));
    std::iota(order.begin(), order.end(), 0);
    if (shape_.train_rows < train_.rows()) {
      shuffle(order, Philox{seed_, Purpose::partition, test_split, 0});
    }
    const auto middle = order.begin() + shape_.train_rows;
    split_ = {{order.begin(), middle}, {middle, order.end()}};
    std::sort(split_.train.begin(), split_.train.end());
    std::sort(split_.test.begin(), split_.test.end());
    return split_;
  }

  /// In the key where partitions have a label: above every label.
  static constexpr std::int64_t test_split = (std::int64_t{1} << 24) - 1;

  DataFile train_;
  std::optional<DataFile> test_;
  std::uint64_t seed_;
  Affine affine_;
  DataShape shape_;
  Split split_;
};

}  // namespace

std::unique_ptr<Source> open_file_source(const Deck& deck) {
  return std::make_unique<FileSource>(deck);
}

void describe(Fields& fields, FileSourceOptions& options) {
  fields.key("file", options.file,
             {.sentence = "Data file; a relative path is looked up in the deck's folder, then in "
                          "the working folder.",
              .required = true});
  fields.key("test_file", options.test_file,
             {.sentence = "File of held-out rows; absent: none, or those of test_fraction."});
  fields.key("test_fraction", options.test_fraction,
             {.sentence = "Share of the rows that is held out, drawn from run.seed; 0: none.",
              .min = 0,
              .max = 1,
              .max_excluded = true});
  if (options.test_file && options.test_fraction > 0) {
    fields.mistake("test_fraction", "not together with test_file: remove one of the two");
  }
  fields.one_of("scale", options.scale, scales,
                {.sentence = "Values that the game sees: as stored, or the file's value range "
                             "mapped to [0, 1] (unit) or [-1, 1] (symmetric)."});
}

}  // namespace parley
