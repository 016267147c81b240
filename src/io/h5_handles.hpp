// SPDX-License-Identifier: BSD-3-Clause
// What the two sources of the HDF5 wrapper share: handles that close themselves and the check of
// return codes. Private to h5.cpp and h5_text.cpp, the only sources that see hdf5.h.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

#include "io/h5.hpp"

namespace parley::h5 {

/// Closes an HDF5 object at the end of its scope.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// Throws RunError with the outermost and innermost entries of HDF5's error stack.
[[noreturn]] void fail(const std::string& path, const std::string& what);

/// Passes a result through, or throws when it is negative. `what` is only formatted on failure.
template <class Result, class... Args>
Result check(Result result, const std::string& path, fmt::format_string<Args...> what,
             Args&&... args) {
  if (result < 0) fail(path, fmt::format(what, std::forward<Args>(args)...));
  return result;
}

Handle make_space(const std::string& path, const Shape& shape);
/// Transfer properties: collective on shared files.
Handle make_transfer(const std::string& path, bool shared);
/// Creates a data set and the groups above it.
Handle create_any(hid_t file, const std::string& path, const std::string& name, hid_t type,
                  const Shape& shape);
Handle open_dataset(hid_t file, const std::string& path, const std::string& name);
Handle open_object(hid_t file, const std::string& path, const std::string& object);
DatasetInfo info_of(const std::string& path, const std::string& name, hid_t dataset);
/// Every part of the name exists.
bool link_exists(hid_t file, const std::string& path, const std::string& name);
/// Writes from this rank when `mine`; the other ranks of a shared file take part with nothing.
struct WholeWrite {
  hid_t dataset, type;
  const void* data;
  bool shared, mine;
};
void write_all(const std::string& path, const std::string& name, const WholeWrite& write);

}  // namespace parley::h5
