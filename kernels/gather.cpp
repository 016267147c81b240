// SPDX-License-Identifier: BSD-3-Clause
// Gather of batches. On a host a thread copies whole rows, so that the inner loop is a vector
// conversion; on a device a thread copies one element, so that reads and writes are coalesced.
#include "kernels/gather.hpp"

#include <type_traits>

#include "core/check.hpp"

namespace parley {

namespace {

struct RandomRow {
  Philox random;
  RowRange range;
  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return range.begin + random.below(static_cast<std::uint64_t>(i), range.count);
  }
};

struct OrderedRow {
  std::int64_t begin;
  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t i) const { return begin + i; }
};

/// Copies one batch; `Pick` maps a batch row to a stored row.
template <class Stored, class Pick>
struct Gather {
  // f64 rows keep their digits until the last step also in single precision.
  using Work = std::conditional_t<std::is_same_v<Stored, double>, double, Real>;

  const Stored* stored;
  Real* out;
  std::int64_t features, stride;
  Work scale, shift;
  Pick pick;

  struct Rows {};
  struct Elements {};

  KOKKOS_INLINE_FUNCTION void operator()(const Rows&, std::int64_t i) const {
    const Stored* from = stored + pick(i) * features;
    Real* to = out + i * stride;
    const std::int64_t n = features;
    const Work a = scale, b = shift;
    for (std::int64_t j = 0; j < n; ++j) {
      to[j] = static_cast<Real>(static_cast<Work>(from[j]) * a + b);
    }
  }

  KOKKOS_INLINE_FUNCTION void operator()(const Elements&, std::int64_t e) const {
    const std::int64_t i = e / features, j = e % features;
    const Work value = static_cast<Work>(stored[pick(i) * features + j]);
    out[i * stride + j] = static_cast<Real>(value * scale + shift);
  }
};

template <class Stored, class Pick>
void launch(const Exec& exec, const StoredRows& rows, const Pick& pick, const Matrix& out) {
  using Body = Gather<Stored, Pick>;
  using Work = typename Body::Work;
  const Body body{reinterpret_cast<const Stored*>(rows.bytes.data()),
                  out.data(),
                  rows.features,
                  static_cast<std::int64_t>(out.stride(0)),
                  static_cast<Work>(rows.scale),
                  static_cast<Work>(rows.shift),
                  pick};
  const std::int64_t batch = rows_of(out);
  using Tag = std::conditional_t<on_host, typename Body::Rows, typename Body::Elements>;
  const std::int64_t items = on_host ? batch : batch * rows.features;
  using Policy = Kokkos::RangePolicy<Exec, Tag, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for("parley::gather", Policy(exec, 0, items), body);
}

template <class Pick>
void dispatch(const Exec& exec, const StoredRows& rows, const Pick& pick, const Matrix& out) {
  ensure(columns_of(out) >= rows.features, "gather: the batch has too few columns");
  switch (rows.type) {
    case ElementType::u8:
      return launch<unsigned char>(exec, rows, pick, out);
    case ElementType::f32:
      return launch<float>(exec, rows, pick, out);
    case ElementType::f64:
      return launch<double>(exec, rows, pick, out);
    case ElementType::i64:
      break;
  }
  ensure(false, "gather: rows are stored as u8, f32 or f64");
}

void check_range(const StoredRows& rows, const RowRange& range) {
  const std::int64_t row_bytes = rows.features * static_cast<std::int64_t>(size_of(rows.type));
  ensure(range.begin >= 0 && range.count > 0 &&
             (range.begin + range.count) * row_bytes <=
                 static_cast<std::int64_t>(rows.bytes.extent(0)),
         "gather: the range lies outside of the stored rows");
}

}  // namespace

void gather_random(const Exec& exec, const StoredRows& rows, const RowRange& range,
                   const Philox& random, const Matrix& out) {
  check_range(rows, range);
  dispatch(exec, rows, RandomRow{random, range}, out);
}

void gather_all(const Exec& exec, const StoredRows& rows, const RowRange& range,
                const Matrix& out) {
  check_range(rows, range);
  ensure(rows_of(out) <= range.count, "gather_all: more batch rows than stored rows");
  dispatch(exec, rows, OrderedRow{range.begin}, out);
}

namespace {

template <class Pick>
void pick_labels(const Exec& exec, const Indices& labels, const Pick& pick, const Indices& out) {
  Kokkos::parallel_for(
      "parley::gather::labels", Range(exec, 0, static_cast<std::int64_t>(out.extent(0))),
      KOKKOS_LAMBDA(const std::int64_t i) {
        out(static_cast<std::size_t>(i)) = labels(static_cast<std::size_t>(pick(i)));
      });
}

}  // namespace

void gather_labels_random(const Exec& exec, const Indices& labels, const RowRange& range,
                          const Philox& random, const Indices& out) {
  pick_labels(exec, labels, RandomRow{random, range}, out);
}

void gather_labels_all(const Exec& exec, const Indices& labels, const RowRange& range,
                       const Indices& out) {
  pick_labels(exec, labels, OrderedRow{range.begin}, out);
}

}  // namespace parley
