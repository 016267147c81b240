// SPDX-License-Identifier: BSD-3-Clause
// Entries of a StateList give back what they saved.
#include "core/state.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace parley {
namespace {

std::vector<std::byte> saved(const StateEntry& entry) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(entry.width) * size_of(entry.type));
  entry.save(bytes);
  return bytes;
}

TEST(StateList, ScalarsRoundTrip) {
  std::int64_t draws = 42;
  double rate = 0.1;
  StateList list;
  list.scalar("draws", draws);
  list.scalar("rate", rate);
  ASSERT_EQ(list.entries().size(), 2U);
  EXPECT_FALSE(list.entries()[0].per_agent);
  EXPECT_EQ(list.entries()[0].type, ElementType::i64);
  EXPECT_EQ(list.entries()[1].type, ElementType::f64);
  const auto first = saved(list.entries()[0]), second = saved(list.entries()[1]);
  draws = 0;
  rate = 0;
  list.entries()[0].load(first);
  list.entries()[1].load(second);
  EXPECT_EQ(draws, 42);
  EXPECT_EQ(rate, 0.1);
}

TEST(StateList, AppendPutsThePrefixInFrontAndKeepsTheOwner) {
  std::int64_t counter = 7;
  StateList inner, outer;
  inner.scalar("counter", counter);
  outer.append("channel", inner);
  ASSERT_EQ(outer.entries().size(), 1U);
  EXPECT_EQ(outer.entries()[0].name, "channel/counter");
  counter = 8;
  const auto bytes = saved(outer.entries()[0]);
  counter = 0;
  outer.entries()[0].load(bytes);
  EXPECT_EQ(counter, 8);
}

TEST(StateList, SizesOfElements) {
  EXPECT_EQ(size_of(ElementType::f32), 4U);
  EXPECT_EQ(size_of(ElementType::f64), 8U);
  EXPECT_EQ(size_of(ElementType::i64), 8U);
  EXPECT_EQ(size_of(ElementType::u8), 1U);
}

}  // namespace
}  // namespace parley
