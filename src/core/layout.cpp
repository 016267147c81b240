// SPDX-License-Identifier: BSD-3-Clause
// Layout: placement of blocks on 64-byte boundaries.
#include "core/layout.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/check.hpp"

namespace parley {

Layout::Layout(std::int64_t alignment) : alignment_(alignment) {
  ensure(alignment > 0, "Layout: the alignment must be positive");
}

void Layout::add(std::string name, Player player, std::vector<std::int64_t> shape) {
  ensure(player == Player::y || dim_y_ == 0, "Layout: blocks of x come before blocks of y");
  ensure(std::none_of(blocks_.begin(), blocks_.end(),
                      [&](const Block& other) { return other.name == name; }),
         "Layout: block names are unique");
  const auto size =
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  ensure(size > 0, "Layout: a block has at least one parameter");
  blocks_.push_back({std::move(name), player, std::move(shape), size, width_, dim()});
  (player == Player::x ? dim_x_ : dim_y_) += size;
  width_ += (size + alignment_ - 1) / alignment_ * alignment_;
  if (player == Player::x) y_begin_ = width_;
}

const Block& Layout::block(std::string_view name) const {
  const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                  [&](const Block& block) { return block.name == name; });
  ensure(found != blocks_.end(), "Layout: no block of that name");
  return *found;
}

}  // namespace parley
