// SPDX-License-Identifier: BSD-3-Clause
// Real, the execution space and the array types of kernels and solver, and every difference between
// the Kokkos versions that Parley builds with. Nothing else may test a Kokkos version.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <utility>

namespace parley {

#ifdef PARLEY_DOUBLE
using Real = double;
#else
using Real = float;
#endif

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;

/// One row per local agent (or per sample), contiguous rows.
using Matrix = Kokkos::View<Real**, Kokkos::LayoutRight, Memory>;
using Vector = Kokkos::View<Real*, Kokkos::LayoutRight, Memory>;
using Doubles = Kokkos::View<double*, Kokkos::LayoutRight, Memory>;
using Indices = Kokkos::View<std::int64_t*, Kokkos::LayoutRight, Memory>;

using HostMatrix = Kokkos::View<Real**, Kokkos::LayoutRight, Kokkos::HostSpace>;
using HostVector = Kokkos::View<Real*, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// What create_mirror_view gives for a view; the member type that names it changes with the
/// version.
template <class View>
using HostMirror = decltype(Kokkos::create_mirror_view(std::declval<const View&>()));

using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
using HostRange =
    Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::IndexType<std::int64_t>>;

/// True where kernels run on the memory that MPI and HDF5 see.
inline constexpr bool on_host = std::is_same_v<Memory, Kokkos::HostSpace>;

/// Elements in 64 bytes: the alignment of blocks and rows.
inline constexpr std::int64_t row_alignment = 64 / static_cast<std::int64_t>(sizeof(Real));

/// Elements per partial sum of every reduction: partial sums are formed in order inside a chunk
/// and combined in order of chunks, so that bits do not depend on the number of threads.
inline constexpr std::int64_t reduction_chunk = 4096;

/// A zeroed matrix. Labels read `parley::area::name`; those of arrays that never change after
/// construction begin with `parley::constant::` (a test poisons all others before a resume).
inline Matrix make_matrix(const std::string& label, std::int64_t rows, std::int64_t columns) {
  return Matrix(label, static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
}
inline Vector make_vector(const std::string& label, std::int64_t size) {
  return Vector(label, static_cast<std::size_t>(size));
}

inline std::int64_t rows_of(const Matrix& a) {
  return static_cast<std::int64_t>(a.extent(0));
}
inline std::int64_t columns_of(const Matrix& a) {
  return static_cast<std::int64_t>(a.extent(1));
}

/// Row i as a contiguous vector.
inline Vector row(const Matrix& a, std::int64_t i) {
  return Kokkos::subview(a, static_cast<std::size_t>(i), Kokkos::ALL());
}
/// Rows [begin, end) of a matrix.
inline Matrix rows(const Matrix& a, std::int64_t begin, std::int64_t end) {
  return Kokkos::subview(a, std::make_pair(begin, end), Kokkos::ALL());
}

/// The word of Kokkos' command line that sets the number of threads.
#if KOKKOS_VERSION >= 30700
inline constexpr const char* kokkos_threads_word = "--kokkos-num-threads=";
#else
inline constexpr const char* kokkos_threads_word = "--kokkos-threads=";
#endif

/// Waits for the kernels of one execution space instance.
inline void fence(const Exec& exec, [[maybe_unused]] const char* label) {
#if KOKKOS_VERSION >= 30500
  exec.fence(label);
#else
  exec.fence();
#endif
}

}  // namespace parley
