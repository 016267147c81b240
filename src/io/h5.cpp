// SPDX-License-Identifier: BSD-3-Clause
// Files and numerical data sets on the HDF5 C API, every return code checked.
#include "io/h5.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "io/h5_handles.hpp"

namespace parley::h5 {

namespace {

static_assert(sizeof(hid_t) == sizeof(std::int64_t), "File keeps a hid_t as int64_t");

/// Rows between two wanted ones that are cheaper to read along than to skip.
constexpr std::int64_t band_gap = 64;
/// Upper limit of what one band holds, in bytes.
constexpr std::int64_t band_bytes = std::int64_t{16} << 20;

/// Outermost and innermost entries of HDF5's error stack: what failed and why.
struct Trace {
  std::string outer, inner;
};

herr_t take_entry(unsigned n, const H5E_error2_t* entry, void* data) {
  auto& trace = *static_cast<Trace*>(data);
  const char* text = entry->desc == nullptr ? "" : entry->desc;
  const char* function = entry->func_name == nullptr ? "?" : entry->func_name;
  std::string line = fmt::format("{} in {}", text, function);
  if (n == 0) trace.inner = line;
  trace.outer = std::move(line);
  return 0;
}

hid_t memory_type(ElementType type) {
  switch (type) {
    case ElementType::f32:
      return H5T_NATIVE_FLOAT;
    case ElementType::f64:
      return H5T_NATIVE_DOUBLE;
    case ElementType::i64:
      return H5T_NATIVE_INT64;
    case ElementType::u8:
      return H5T_NATIVE_UINT8;
  }
  ensure(false, "h5: unknown element type");
  return -1;
}

hid_t file_type(ElementType type) {
  switch (type) {
    case ElementType::f32:
      return H5T_IEEE_F32LE;
    case ElementType::f64:
      return H5T_IEEE_F64LE;
    case ElementType::i64:
      return H5T_STD_I64LE;
    case ElementType::u8:
      return H5T_STD_U8LE;
  }
  ensure(false, "h5: unknown element type");
  return -1;
}

std::vector<hsize_t> extents(const Shape& shape) {
  std::vector<hsize_t> out(shape.size());
  std::transform(shape.begin(), shape.end(), out.begin(),
                 [](std::int64_t n) { return static_cast<hsize_t>(n); });
  return out;
}

Handle make_access(const std::string& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors arrive as exceptions
  Handle list(check(H5Pcreate(H5P_FILE_ACCESS), path, "cannot make access properties"), H5Pclose);
  // A file is renamed into place when complete: locks protect nothing and fail on some disks.
  check(H5Pset_file_locking(list, false, true), path, "cannot turn file locks off");
  return list;
}

Handle make_access(const std::string& path, MPI_Comm comm) {
  Handle list = make_access(path);
  check(H5Pset_fapl_mpio(list, comm, MPI_INFO_NULL), path, "cannot use MPI file access");
  return list;
}

bool is_first(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank == 0;
}

Shape shape_of(const std::string& path, const std::string& name, hid_t dataset) {
  const Handle space(check(H5Dget_space(dataset), path, "cannot see the shape of '{}'", name),
                     H5Sclose);
  const int rank = check(H5Sget_simple_extent_ndims(space), path, "'{}' has no shape", name);
  std::vector<hsize_t> dims(static_cast<std::size_t>(rank));
  check(H5Sget_simple_extent_dims(space, dims.data(), nullptr), path, "'{}' has no shape", name);
  return {dims.begin(), dims.end()};
}

bool is_integer(ElementType type) {
  return type == ElementType::i64 || type == ElementType::u8;
}

void expect_readable(const std::string& path, const std::string& name, const DatasetInfo& info,
                     ElementType type) {
  if (info.text) fail_run("{}: '{}' holds text where numbers are expected", path, name);
  if (is_integer(type) && !is_integer(info.type)) {
    fail_run("{}: '{}' holds floating-point numbers where integers are expected", path, name);
  }
}

void expect_bytes(const std::string& path, const std::string& name, std::int64_t elements,
                  ElementType type, std::size_t bytes) {
  if (static_cast<std::size_t>(elements) * size_of(type) != bytes) {
    fail_run("{}: '{}': {} elements of {} bytes do not fill a buffer of {} bytes", path, name,
             elements, size_of(type), bytes);
  }
}

/// File and memory selections of `count` rows from `first` on; empty ones for no rows.
struct RowSpaces {
  Handle file, memory;
};

RowSpaces select_rows(const std::string& path, const std::string& name, const Shape& shape,
                      std::int64_t first, std::int64_t count) {
  if (shape.empty() || first < 0 || count < 0 || first + count > shape[0]) {
    fail_run("{}: '{}' has no rows {} to {}", path, name, first, first + count);
  }
  Shape part = shape;
  part[0] = count;
  const std::int64_t elements = count_of(part);
  RowSpaces spaces{make_space(path, shape),
                   make_space(path, {std::max<std::int64_t>(elements, 1)})};
  if (elements == 0) {
    check(H5Sselect_none(spaces.file), path, "cannot select no rows of '{}'", name);
    check(H5Sselect_none(spaces.memory), path, "cannot select no rows of '{}'", name);
    return spaces;
  }
  std::vector<hsize_t> start(shape.size(), 0);
  start[0] = static_cast<hsize_t>(first);
  const auto dims = extents(part);
  check(
      H5Sselect_hyperslab(spaces.file, H5S_SELECT_SET, start.data(), nullptr, dims.data(), nullptr),
      path, "cannot select rows of '{}'", name);
  return spaces;
}

/// H5Ovisit's callback: names of data sets into the list behind `data`.
template <class Info>
herr_t collect_dataset(hid_t, const char* name, const Info* info, void* data) {
  auto& names = *static_cast<std::vector<std::string>*>(data);
  if (info->type == H5O_TYPE_DATASET) names.emplace_back(name);
  return 0;
}

/// The data sets below an object; the function of HDF5 1.12 replaces that of 1.10.
herr_t visit_datasets(hid_t object, std::vector<std::string>& names) {
#if H5_VERSION_GE(1, 12, 0)
  return H5Ovisit3(object, H5_INDEX_NAME, H5_ITER_INC, collect_dataset<H5O_info2_t>, &names,
                   H5O_INFO_BASIC);
#else
  return H5Ovisit2(object, H5_INDEX_NAME, H5_ITER_INC, collect_dataset<H5O_info_t>, &names,
                   H5O_INFO_BASIC);
#endif
}

}  // namespace

void fail(const std::string& path, const std::string& what) {
  Trace trace;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_entry, &trace);
  H5Eclear2(H5E_DEFAULT);
  if (trace.inner.empty()) fail_run("{}: {}", path, what);
  if (trace.inner == trace.outer) fail_run("{}: {} (HDF5: {})", path, what, trace.inner);
  fail_run("{}: {} (HDF5: {}; {})", path, what, trace.outer, trace.inner);
}

Handle make_space(const std::string& path, const Shape& shape) {
  if (shape.empty()) {
    return {check(H5Screate(H5S_SCALAR), path, "cannot make a scalar data space"), H5Sclose};
  }
  const auto dims = extents(shape);
  return {check(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr), path,
                "cannot make a data space of {} dimensions", dims.size()),
          H5Sclose};
}

Handle make_transfer(const std::string& path, bool shared) {
  Handle list(check(H5Pcreate(H5P_DATASET_XFER), path, "cannot make transfer properties"),
              H5Pclose);
  if (shared) {
    // Each rank moves its own contiguous rows: when one alone fails (its disk is full), HDF5 2.2 would
    // leave the others in a collective transfer for ever.
    check(H5Pset_dxpl_mpio(list, H5FD_MPIO_INDEPENDENT), path, "cannot ask for own transfers");
  }
  return list;
}

Handle open_dataset(hid_t file, const std::string& path, const std::string& name) {
  return {check(H5Dopen2(file, name.c_str(), H5P_DEFAULT), path, "no data set '{}'", name),
          H5Dclose};
}

Handle open_object(hid_t file, const std::string& path, const std::string& object) {
  return {check(H5Oopen(file, object.c_str(), H5P_DEFAULT), path, "no object '{}'", object),
          H5Oclose};
}

DatasetInfo info_of(const std::string& path, const std::string& name, hid_t dataset) {
  DatasetInfo info;
  info.shape = shape_of(path, name, dataset);
  const Handle type(check(H5Dget_type(dataset), path, "cannot see the type of '{}'", name),
                    H5Tclose);
  const H5T_class_t kind = H5Tget_class(type);
  const std::size_t size = H5Tget_size(type);
  if (kind == H5T_STRING) {
    info.text = true;
  } else if (kind == H5T_FLOAT && (size == 4 || size == 8)) {
    info.type = size == 4 ? ElementType::f32 : ElementType::f64;
  } else if (kind == H5T_INTEGER && size == 8 && H5Tget_sign(type) == H5T_SGN_2) {
    info.type = ElementType::i64;
  } else if (kind == H5T_INTEGER && size == 1 && H5Tget_sign(type) == H5T_SGN_NONE) {
    info.type = ElementType::u8;
  } else {
    fail_run(
        "{}: '{}' must hold uint8, int64, float32, float64 or text; it holds a type of class "
        "{} with {} bytes",
        path, name, static_cast<int>(kind), size);
  }
  return info;
}

bool link_exists(hid_t file, const std::string& path, const std::string& name) {
  for (std::size_t end = name.find('/', 1); true; end = name.find('/', end + 1)) {
    const std::string part = name.substr(0, end);
    if (part != "/" && !part.empty()) {
      const htri_t found = H5Lexists(file, part.c_str(), H5P_DEFAULT);
      if (check(found, path, "cannot look for '{}'", name) == 0) return false;
    }
    if (end == std::string::npos) return true;
  }
}

Handle create_any(hid_t file, const std::string& path, const std::string& name, hid_t type,
                  const Shape& shape) {
  const Handle links(check(H5Pcreate(H5P_LINK_CREATE), path, "cannot make link properties"),
                     H5Pclose);
  check(H5Pset_create_intermediate_group(links, 1), path, "cannot ask for groups");
  const Handle creation(check(H5Pcreate(H5P_DATASET_CREATE), path, "cannot make properties"),
                        H5Pclose);
  // Everything is written once: no fill values, and no times, so that equal runs give equal files.
  check(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), path, "cannot turn fill values off");
  check(H5Pset_obj_track_times(creation, false), path, "cannot turn times off");
  const Handle space = make_space(path, shape);
  return {check(H5Dcreate2(file, name.c_str(), type, space, links, creation, H5P_DEFAULT), path,
                "cannot create data set '{}'", name),
          H5Dclose};
}

void write_all(const std::string& path, const std::string& name, const WholeWrite& write) {
  const Handle space(check(H5Dget_space(write.dataset), path, "'{}' has no shape", name), H5Sclose);
  if (!write.mine) check(H5Sselect_none(space), path, "cannot select nothing of '{}'", name);
  const Handle transfer = make_transfer(path, write.shared);
  const std::byte nothing{};
  check(H5Dwrite(write.dataset, write.type, space, space, transfer,
                 write.mine ? write.data : &nothing),
        path, "cannot write '{}'", name);
}

std::int64_t count_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::string library_version() {
  unsigned major = 0, minor = 0, release = 0;
  check(H5get_libversion(&major, &minor, &release), "HDF5", "cannot tell its version");
  return fmt::format("{}.{}.{}", major, minor, release);
}

File::File(std::int64_t id, std::string path, bool shared, bool first)
    : id_(id), path_(std::move(path)), shared_(shared), first_(first) {}

File::File(File&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      path_(std::move(other.path_)),
      shared_(other.shared_),
      first_(other.first_) {}

File File::create(const std::filesystem::path& path) {
  const std::string name = path.string();
  const Handle access = make_access(name);
  return {check(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), name,
                "cannot create the file"),
          name, false, true};
}

File File::create(const std::filesystem::path& path, MPI_Comm comm) {
  const std::string name = path.string();
  const Handle access = make_access(name, comm);
  return {check(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), name,
                "cannot create the file"),
          name, true, is_first(comm)};
}

File File::open(const std::filesystem::path& path) {
  const std::string name = path.string();
  const Handle access = make_access(name);
  return {check(H5Fopen(name.c_str(), H5F_ACC_RDONLY, access), name, "cannot open the file"), name,
          false, true};
}

File File::open(const std::filesystem::path& path, MPI_Comm comm) {
  const std::string name = path.string();
  const Handle access = make_access(name, comm);
  return {check(H5Fopen(name.c_str(), H5F_ACC_RDONLY, access), name, "cannot open the file"), name,
          true, is_first(comm)};
}

File::~File() {
  if (id_ >= 0) H5Fclose(id_);
}

void File::close() {
  if (id_ < 0) return;
  check(H5Fclose(std::exchange(id_, -1)), path_, "cannot close the file");
}

bool File::exists(const std::string& name) const {
  return link_exists(id_, path_, name);
}

std::vector<std::string> File::list(const std::string& group) const {
  const Handle object = open_object(id_, path_, group);
  std::vector<std::string> names;
  check(visit_datasets(object, names), path_, "cannot list '{}'", group);
  return names;
}

DatasetInfo File::info(const std::string& name) const {
  const Handle dataset = open_dataset(id_, path_, name);
  return info_of(path_, name, dataset);
}

void File::create_dataset(const std::string& name, ElementType type, const Shape& shape) {
  create_any(id_, path_, name, file_type(type), shape);
}

void File::write(const std::string& name, ElementType type, const Shape& shape,
                 std::span<const std::byte> data) {
  if (first_) expect_bytes(path_, name, count_of(shape), type, data.size());
  const Handle dataset = create_any(id_, path_, name, file_type(type), shape);
  if (count_of(shape) == 0) return;
  write_all(path_, name, {dataset, memory_type(type), data.data(), shared_, first_});
}

void File::write_rows(const std::string& name, std::int64_t first, std::int64_t count,
                      ElementType type, std::span<const std::byte> data) {
  const Handle dataset = open_dataset(id_, path_, name);
  Shape shape = shape_of(path_, name, dataset);
  const RowSpaces spaces = select_rows(path_, name, shape, first, count);
  shape[0] = count;
  expect_bytes(path_, name, count_of(shape), type, data.size());
  const Handle transfer = make_transfer(path_, shared_);
  const std::byte nothing{};
  check(H5Dwrite(dataset, memory_type(type), spaces.memory, spaces.file, transfer,
                 data.empty() ? &nothing : data.data()),
        path_, "cannot write rows {} to {} of '{}'", first, first + count, name);
}

void File::read(const std::string& name, ElementType type, std::span<std::byte> out) const {
  const Handle dataset = open_dataset(id_, path_, name);
  const DatasetInfo info = info_of(path_, name, dataset);
  expect_readable(path_, name, info, type);
  expect_bytes(path_, name, count_of(info.shape), type, out.size());
  if (out.empty()) return;
  const Handle transfer = make_transfer(path_, shared_);
  check(H5Dread(dataset, memory_type(type), H5S_ALL, H5S_ALL, transfer, out.data()), path_,
        "cannot read '{}'", name);
}

void File::read_rows(const std::string& name, std::int64_t first, std::int64_t count,
                     ElementType type, std::span<std::byte> out) const {
  const Handle dataset = open_dataset(id_, path_, name);
  DatasetInfo info = info_of(path_, name, dataset);
  expect_readable(path_, name, info, type);
  const RowSpaces spaces = select_rows(path_, name, info.shape, first, count);
  info.shape[0] = count;
  expect_bytes(path_, name, count_of(info.shape), type, out.size());
  const Handle transfer = make_transfer(path_, shared_);
  std::byte nothing{};
  check(H5Dread(dataset, memory_type(type), spaces.memory, spaces.file, transfer,
                out.empty() ? &nothing : out.data()),
        path_, "cannot read rows {} to {} of '{}'", first, first + count, name);
}

void File::read_rows(const std::string& name, std::span<const std::int64_t> rows, ElementType type,
                     std::span<std::byte> out) const {
  const Shape shape = info(name).shape;
  const Shape row_shape(shape.begin() + (shape.empty() ? 0 : 1), shape.end());
  const auto row_bytes = static_cast<std::size_t>(count_of(row_shape)) * size_of(type);
  const auto limit = std::max<std::int64_t>(
      band_bytes / std::max<std::int64_t>(static_cast<std::int64_t>(row_bytes), 1), 1);
  expect_bytes(path_, name, static_cast<std::int64_t>(rows.size()) * count_of(row_shape), type,
               out.size());
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return rows[a] < rows[b]; });
  std::vector<std::byte> band;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const std::int64_t first = rows[order[begin]];
    std::int64_t last = first;
    while (end < order.size() && rows[order[end]] - last <= band_gap &&
           rows[order[end]] - first < limit) {
      last = rows[order[end++]];
    }
    band.resize(static_cast<std::size_t>(last - first + 1) * row_bytes);
    read_rows(name, first, last - first + 1, type, band);
    for (std::size_t i = begin; i < end; ++i) {
      const auto from = static_cast<std::size_t>(rows[order[i]] - first) * row_bytes;
      std::memcpy(out.data() + order[i] * row_bytes, band.data() + from, row_bytes);
    }
  }
}

}  // namespace parley::h5
