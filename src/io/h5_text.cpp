// SPDX-License-Identifier: BSD-3-Clause
// Texts and attributes of HDF5 files, of fixed and varying size.
#include <algorithm>
#include <cstring>

#include "io/h5_handles.hpp"

namespace parley::h5 {

namespace {

/// A text type of fixed size (HDF5 cannot write texts of varying size on shared files).
Handle text_type(const std::string& path, std::size_t size) {
  Handle type(check(H5Tcopy(H5T_C_S1), path, "cannot make a text type"), H5Tclose);
  check(H5Tset_size(type, size), path, "cannot make a text type of {} bytes", size);
  check(H5Tset_cset(type, H5T_CSET_UTF8), path, "cannot make a UTF-8 text type");
  if (size != H5T_VARIABLE) {
    check(H5Tset_strpad(type, H5T_STR_NULLPAD), path, "cannot make a padded text type");
  }
  return type;
}

/// Cuts the padding off `size` bytes.
std::string cut_text(const char* begin, std::size_t size) {
  return {begin, static_cast<std::size_t>(std::find(begin, begin + size, '\0') - begin)};
}

/// Texts of varying size as HDF5 hands them out; given back at the end of the scope.
class VaryingTexts {
 public:
  explicit VaryingTexts(std::size_t count) : pointers_(count, nullptr) {}
  VaryingTexts(const VaryingTexts&) = delete;
  VaryingTexts& operator=(const VaryingTexts&) = delete;
  ~VaryingTexts() {
    for (char* pointer : pointers_) H5free_memory(pointer);
  }
  void* data() { return pointers_.data(); }
  std::vector<std::string> copy() const {
    std::vector<std::string> out;
    for (const char* pointer : pointers_) out.emplace_back(pointer == nullptr ? "" : pointer);
    return out;
  }

 private:
  std::vector<char*> pointers_;
};

/// Reads `count` texts of fixed or varying size; `read_into(memory type, buffer)` does the reading.
template <class ReadInto>
std::vector<std::string> texts_of(const std::string& path, hid_t type, std::size_t count,
                                  ReadInto read_into) {
  if (H5Tis_variable_str(type) > 0) {
    Handle memory(check(H5Tcopy(type), path, "cannot copy a text type"), H5Tclose);
    VaryingTexts texts(count);
    read_into(static_cast<hid_t>(memory), texts.data());
    return texts.copy();
  }
  const std::size_t size = H5Tget_size(type);
  std::vector<char> bytes(std::max<std::size_t>(count * size, 1));
  read_into(type, static_cast<void*>(bytes.data()));
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(cut_text(bytes.data() + i * size, size));
  return out;
}

void ensure_object(hid_t file, const std::string& path, const std::string& object) {
  if (link_exists(file, path, object)) return;
  const Handle links(check(H5Pcreate(H5P_LINK_CREATE), path, "cannot make link properties"),
                     H5Pclose);
  check(H5Pset_create_intermediate_group(links, 1), path, "cannot ask for groups");
  const Handle group(check(H5Gcreate2(file, object.c_str(), links, H5P_DEFAULT, H5P_DEFAULT), path,
                           "cannot create group '{}'", object),
                     H5Gclose);
}

struct AttributeValue {
  hid_t file_type, memory_type;
  const void* data;
  Shape shape;
};

void write_any_attribute(hid_t file, const std::string& path, const std::string& object,
                         const std::string& key, const AttributeValue& value) {
  ensure_object(file, path, object);
  const Handle owner = open_object(file, path, object);
  const Handle space = make_space(path, value.shape);
  const Handle attribute(
      check(H5Acreate2(owner, key.c_str(), value.file_type, space, H5P_DEFAULT, H5P_DEFAULT), path,
            "cannot create attribute '{}' of '{}'", key, object),
      H5Aclose);
  check(H5Awrite(attribute, value.memory_type, value.data), path,
        "cannot write attribute '{}' of '{}'", key, object);
}

Handle open_attribute(hid_t file, const std::string& path, const std::string& object,
                      const std::string& key) {
  return {check(H5Aopen_by_name(file, object.c_str(), key.c_str(), H5P_DEFAULT, H5P_DEFAULT), path,
                "'{}' has no attribute '{}'", object, key),
          H5Aclose};
}

/// Number of elements of an attribute whose class must be one of the two given.
std::int64_t expect_attribute(const std::string& path, const std::string& key, hid_t attribute,
                              H5T_class_t one, H5T_class_t other) {
  const Handle type(check(H5Aget_type(attribute), path, "attribute '{}' has no type", key),
                    H5Tclose);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != one && kind != other) {
    fail_run("{}: attribute '{}' has a type of class {}, not the expected one", path, key,
             static_cast<int>(kind));
  }
  const Handle space(check(H5Aget_space(attribute), path, "attribute '{}' has no shape", key),
                     H5Sclose);
  return check(H5Sget_simple_extent_npoints(space), path, "attribute '{}' has no shape", key);
}

void expect_one(const std::string& path, const std::string& key, std::int64_t count) {
  if (count != 1) fail_run("{}: attribute '{}' holds {} values instead of one", path, key, count);
}

}  // namespace

void File::write_text(const std::string& name, const std::string& text) {
  const Handle type = text_type(path_, std::max<std::size_t>(text.size(), 1));
  const Handle dataset = create_any(id_, path_, name, type, {});
  write_all(path_, name, {dataset, type, text.c_str(), shared_, first_});
}

void File::write_texts(const std::string& name, const std::vector<std::string>& texts) {
  std::size_t size = 1;
  for (const auto& text : texts) size = std::max(size, text.size());
  std::vector<char> bytes(std::max<std::size_t>(size * texts.size(), 1), '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::memcpy(bytes.data() + i * size, texts[i].data(), texts[i].size());
  }
  const Handle type = text_type(path_, size);
  const Handle dataset =
      create_any(id_, path_, name, type, {static_cast<std::int64_t>(texts.size())});
  if (texts.empty()) return;
  write_all(path_, name, {dataset, type, bytes.data(), shared_, first_});
}

std::string File::read_text(const std::string& name) const {
  const auto texts = read_texts(name);
  if (texts.size() != 1) {
    fail_run("{}: '{}' holds {} texts instead of one", path_, name, texts.size());
  }
  return texts.front();
}

std::vector<std::string> File::read_texts(const std::string& name) const {
  const Handle dataset = open_dataset(id_, path_, name);
  const DatasetInfo info = info_of(path_, name, dataset);
  if (!info.text) fail_run("{}: '{}' holds numbers where text is expected", path_, name);
  const auto count = static_cast<std::size_t>(count_of(info.shape));
  if (count == 0) return {};
  const Handle type(check(H5Dget_type(dataset), path_, "'{}' has no type", name), H5Tclose);
  const Handle transfer = make_transfer(path_, shared_);
  return texts_of(path_, type, count, [&](hid_t memory, void* out) {
    check(H5Dread(dataset, memory, H5S_ALL, H5S_ALL, transfer, out), path_, "cannot read '{}'",
          name);
  });
}

void File::write_attribute(const std::string& object, const std::string& key, std::int64_t value) {
  write_any_attribute(id_, path_, object, key, {H5T_STD_I64LE, H5T_NATIVE_INT64, &value, {}});
}

void File::write_attribute(const std::string& object, const std::string& key, double value) {
  write_any_attribute(id_, path_, object, key, {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value, {}});
}

void File::write_attribute(const std::string& object, const std::string& key,
                           std::string_view value) {
  const std::string text(value);
  const char* pointer = text.c_str();
  const Handle type = text_type(path_, H5T_VARIABLE);
  write_any_attribute(id_, path_, object, key, {type, type, &pointer, {}});
}

void File::write_attribute(const std::string& object, const std::string& key,
                           std::span<const std::int64_t> values) {
  write_any_attribute(
      id_, path_, object, key,
      {H5T_STD_I64LE, H5T_NATIVE_INT64, values.data(), {static_cast<std::int64_t>(values.size())}});
}

bool File::has_attribute(const std::string& object, const std::string& key) const {
  return link_exists(id_, path_, object) &&
         check(H5Aexists_by_name(id_, object.c_str(), key.c_str(), H5P_DEFAULT), path_,
               "cannot look for attribute '{}'", key) > 0;
}

std::int64_t File::read_int(const std::string& object, const std::string& key) const {
  const auto values = read_ints(object, key);
  expect_one(path_, key, static_cast<std::int64_t>(values.size()));
  return values.front();
}

double File::read_double(const std::string& object, const std::string& key) const {
  const Handle attribute = open_attribute(id_, path_, object, key);
  expect_one(path_, key, expect_attribute(path_, key, attribute, H5T_FLOAT, H5T_INTEGER));
  double value = 0;
  check(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value), path_, "cannot read attribute '{}'", key);
  return value;
}

std::string File::read_string(const std::string& object, const std::string& key) const {
  const Handle attribute = open_attribute(id_, path_, object, key);
  expect_one(path_, key, expect_attribute(path_, key, attribute, H5T_STRING, H5T_STRING));
  const Handle type(check(H5Aget_type(attribute), path_, "'{}' has no type", key), H5Tclose);
  return texts_of(path_, type, 1,
                  [&](hid_t memory, void* out) {
                    check(H5Aread(attribute, memory, out), path_, "cannot read attribute '{}'",
                          key);
                  })
      .front();
}

std::vector<std::int64_t> File::read_ints(const std::string& object, const std::string& key) const {
  const Handle attribute = open_attribute(id_, path_, object, key);
  const auto count = expect_attribute(path_, key, attribute, H5T_INTEGER, H5T_INTEGER);
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  check(H5Aread(attribute, H5T_NATIVE_INT64, values.data()), path_, "cannot read attribute '{}'",
        key);
  return values;
}

}  // namespace parley::h5
