// SPDX-License-Identifier: BSD-3-Clause
// StateList: replicated scalars and prefixes.
#include "core/state.hpp"

#include <cstring>

#include "core/check.hpp"

namespace parley {

std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::f32:
      return 4;
    case ElementType::f64:
      return 8;
    case ElementType::i64:
      return 8;
    case ElementType::u8:
      return 1;
  }
  ensure(false, "size_of: unknown element type");
  return 0;
}

std::string_view name_of(ElementType type) {
  switch (type) {
    case ElementType::f32:
      return "float32";
    case ElementType::f64:
      return "float64";
    case ElementType::i64:
      return "int64";
    case ElementType::u8:
      return "uint8";
  }
  ensure(false, "name_of: unknown element type");
  return "";
}

namespace {

template <class T>
StateEntry scalar_entry(std::string name, ElementType type, T& value) {
  return {std::move(name),
          type,
          false,
          1,
          [&value](std::span<std::byte> out) { std::memcpy(out.data(), &value, sizeof(T)); },
          [&value](std::span<const std::byte> in) { std::memcpy(&value, in.data(), sizeof(T)); }};
}

}  // namespace

void StateList::scalar(std::string name, std::int64_t& value) {
  add(scalar_entry(std::move(name), ElementType::i64, value));
}

void StateList::scalar(std::string name, double& value) {
  add(scalar_entry(std::move(name), ElementType::f64, value));
}

void StateList::append(const std::string& prefix, const StateList& other) {
  for (StateEntry entry : other.entries_) {
    entry.name = prefix + "/" + entry.name;
    add(std::move(entry));
  }
}

}  // namespace parley
