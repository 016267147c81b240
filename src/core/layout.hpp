// SPDX-License-Identifier: BSD-3-Clause
// The named blocks of one agent's flat parameter row z = [x ; y]: every user of a row (networks,
// files, messages, plots) finds its part here by name. Knows neither Real nor memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parley {

enum class Player { x = 0, y = 1 };

/// One named block of the row.
struct Block {
  std::string name;
  Player player = Player::x;
  std::vector<std::int64_t> shape;
  std::int64_t size = 0;    ///< number of parameters, the product of shape
  std::int64_t column = 0;  ///< first column in memory (padded rows)
  std::int64_t packed = 0;  ///< first column in files and messages (no padding)
};

/// Blocks in order, all of x before all of y. In memory each block starts on a 64-byte boundary and
/// the padding between blocks is zero; it is never counted, sent or written.
class Layout {
 public:
  /// `alignment`: elements in 64 bytes (16 in single precision, 8 in double).
  explicit Layout(std::int64_t alignment);

  /// Appends a block; all blocks of x come before the first of y, names are unique.
  void add(std::string name, Player player, std::vector<std::int64_t> shape);

  const std::vector<Block>& blocks() const { return blocks_; }
  const Block& block(std::string_view name) const;

  std::int64_t alignment() const { return alignment_; }
  std::int64_t dim() const { return dim_x_ + dim_y_; }  ///< parameters of one agent
  std::int64_t dim_x() const { return dim_x_; }
  std::int64_t dim_y() const { return dim_y_; }
  std::int64_t width() const { return width_; }      ///< columns in memory, padding included
  std::int64_t y_begin() const { return y_begin_; }  ///< first column of y in memory

 private:
  std::int64_t alignment_;
  std::vector<Block> blocks_;
  std::int64_t dim_x_ = 0, dim_y_ = 0, width_ = 0, y_begin_ = 0;
};

}  // namespace parley
