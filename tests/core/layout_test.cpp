// SPDX-License-Identifier: BSD-3-Clause
// Blocks start on the alignment, files are packed, mistakes in the order of blocks are refused.
#include "core/layout.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace parley {
namespace {

Layout two_players() {
  Layout layout(8);
  layout.add("g/weight", Player::x, {3, 5});
  layout.add("g/bias", Player::x, {3});
  layout.add("d/weight", Player::y, {2, 8});
  layout.add("d/bias", Player::y, {1});
  return layout;
}

TEST(Layout, BlocksAreAlignedInMemoryAndPackedInFiles) {
  const Layout layout = two_players();
  std::int64_t packed = 0;
  for (const Block& block : layout.blocks()) {
    EXPECT_EQ(block.column % 8, 0) << block.name;
    EXPECT_EQ(block.packed, packed) << block.name;
    packed += block.size;
  }
  EXPECT_EQ(layout.block("g/bias").column, 16);
  EXPECT_EQ(layout.block("d/weight").column, 24);
  EXPECT_EQ(layout.block("d/bias").column, 40);
  EXPECT_EQ(layout.width(), 48);
}

TEST(Layout, CountsLeaveThePaddingOut) {
  const Layout layout = two_players();
  EXPECT_EQ(layout.dim_x(), 18);
  EXPECT_EQ(layout.dim_y(), 17);
  EXPECT_EQ(layout.dim(), 35);
  EXPECT_EQ(layout.y_begin(), 24);
}

TEST(Layout, AGameWithOnePlayerHasItsYAtTheEnd) {
  Layout layout(16);
  layout.add("x", Player::x, {20});
  EXPECT_EQ(layout.y_begin(), 32);
  EXPECT_EQ(layout.dim_y(), 0);
}

TEST(Layout, RefusesWhatWouldBreakTheOrder) {
  Layout layout = two_players();
  EXPECT_THROW(layout.add("late", Player::x, {1}), std::logic_error);
  EXPECT_THROW(layout.add("d/bias", Player::y, {1}), std::logic_error);
  EXPECT_THROW(layout.add("empty", Player::y, {0, 4}), std::logic_error);
  EXPECT_THROW(layout.block("missing"), std::logic_error);
  EXPECT_THROW(Layout(0), std::logic_error);
}

}  // namespace
}  // namespace parley
