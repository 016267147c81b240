// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files, serial or shared by the ranks of a communicator, with every return code checked.
// h5.cpp and h5_text.cpp alone see hdf5.h. Knows neither the schemas of Parley's files nor Kokkos.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/check.hpp"
#include "core/state.hpp"

namespace parley::h5 {

using Shape = std::vector<std::int64_t>;

/// What a data set holds.
struct DatasetInfo {
  Shape shape;
  bool text = false;  ///< strings; then `type` says nothing
  ElementType type = ElementType::f64;
};

template <class T>
constexpr ElementType element_type_of() {
  if constexpr (std::is_same_v<T, float>)
    return ElementType::f32;
  else if constexpr (std::is_same_v<T, double>)
    return ElementType::f64;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return ElementType::i64;
  else {
    static_assert(std::is_same_v<T, std::uint8_t>, "float, double, int64_t or uint8_t");
    return ElementType::u8;
  }
}

/// Elements in a shape: 1 for a scalar.
std::int64_t count_of(const Shape& shape);

/// "1.10.8": the HDF5 library in use.
std::string library_version();

/// One open file. Names are absolute or relative to the root; missing groups are created. Every
/// function throws RunError with file, object and HDF5's own text. On a shared file every function
/// is collective, and all ranks pass the same names, shapes and attributes.
class File {
 public:
  /// Creates or truncates.
  static File create(const std::filesystem::path& path);
  static File create(const std::filesystem::path& path, MPI_Comm comm);
  /// Opens for reading.
  static File open(const std::filesystem::path& path);
  static File open(const std::filesystem::path& path, MPI_Comm comm);

  File(File&& other) noexcept;
  File& operator=(File&&) = delete;
  /// Closes without a word; call close() first where an error must be seen.
  ~File();
  /// Writes what is buffered and closes.
  void close();

  bool exists(const std::string& name) const;
  /// Paths of all data sets below `group`, relative to it, in alphabetical order.
  std::vector<std::string> list(const std::string& group) const;
  /// RunError when `name` is no data set or holds a type other than u8, f32, f64, i64 or text.
  DatasetInfo info(const std::string& name) const;

  /// Creates a data set without writing to it.
  void create_dataset(const std::string& name, ElementType type, const Shape& shape);
  /// Creates and writes a whole data set. On a shared file rank 0's `data` is written and that of
  /// the others may be empty.
  void write(const std::string& name, ElementType type, const Shape& shape,
             std::span<const std::byte> data);
  template <class T>
  void write(const std::string& name, const Shape& shape, std::span<const T> data) {
    write(name, element_type_of<T>(), shape, std::as_bytes(data));
  }
  template <class T>
  void write(const std::string& name, const std::vector<T>& data) {
    write(name, {static_cast<std::int64_t>(data.size())}, std::span<const T>(data));
  }
  /// A scalar text, and a list of texts.
  void write_text(const std::string& name, const std::string& text);
  void write_texts(const std::string& name, const std::vector<std::string>& texts);
  /// Writes `count` rows from `first` on; a rank of a shared file may bring none.
  void write_rows(const std::string& name, std::int64_t first, std::int64_t count, ElementType type,
                  std::span<const std::byte> data);

  /// Reads a whole data set, converted to `type`. Numbers with a fraction are never read as
  /// integers: RunError.
  void read(const std::string& name, ElementType type, std::span<std::byte> out) const;
  template <class T>
  std::vector<T> read(const std::string& name) const {
    std::vector<T> out(static_cast<std::size_t>(count_of(info(name).shape)));
    read(name, element_type_of<T>(), std::as_writable_bytes(std::span<T>(out)));
    return out;
  }
  std::string read_text(const std::string& name) const;
  std::vector<std::string> read_texts(const std::string& name) const;
  /// Reads `count` rows from `first` on.
  void read_rows(const std::string& name, std::int64_t first, std::int64_t count, ElementType type,
                 std::span<std::byte> out) const;
  /// Reads the listed rows in the order of the list, which may repeat rows; in bands, so that a
  /// random list costs about as much as reading what it spans. For serial files.
  void read_rows(const std::string& name, std::span<const std::int64_t> rows, ElementType type,
                 std::span<std::byte> out) const;

  /// Attributes of "/" , of a group (created when missing) or of a data set.
  void write_attribute(const std::string& object, const std::string& key, std::int64_t value);
  void write_attribute(const std::string& object, const std::string& key, double value);
  void write_attribute(const std::string& object, const std::string& key, std::string_view value);
  void write_attribute(const std::string& object, const std::string& key,
                       std::span<const std::int64_t> values);
  bool has_attribute(const std::string& object, const std::string& key) const;
  std::int64_t read_int(const std::string& object, const std::string& key) const;
  double read_double(const std::string& object, const std::string& key) const;
  std::string read_string(const std::string& object, const std::string& key) const;
  std::vector<std::int64_t> read_ints(const std::string& object, const std::string& key) const;

 private:
  File(std::int64_t id, std::string path, bool shared, bool first);

  std::int64_t id_;  ///< hid_t
  std::string path_;
  bool shared_;  ///< several ranks hold the file
  bool first_;   ///< this rank brings the data that all ranks hold alike
};

}  // namespace parley::h5
