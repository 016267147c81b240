// SPDX-License-Identifier: BSD-3-Clause
// Packing of rows block by block through a host mirror.
#include "solver/rows.hpp"

#include <algorithm>
#include <cstring>

#include "core/check.hpp"

namespace parley {

std::vector<Real> pack_rows(const Matrix& a, const Layout& layout) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  std::vector<Real> packed(a.extent(0) * static_cast<std::size_t>(layout.dim()));
  for (std::size_t i = 0; i < a.extent(0); ++i) {
    const Real* const from = host.data() + i * a.extent(1);
    Real* const to = packed.data() + i * static_cast<std::size_t>(layout.dim());
    for (const Block& block : layout.blocks()) {
      std::copy_n(from + block.column, block.size, to + block.packed);
    }
  }
  return packed;
}

void unpack_rows(std::span<const Real> packed, const Layout& layout, const Matrix& a) {
  ensure(packed.size() == a.extent(0) * static_cast<std::size_t>(layout.dim()),
         "unpack_rows: sizes differ");
  const auto host = Kokkos::create_mirror_view(Kokkos::HostSpace(), a);
  Kokkos::deep_copy(host, Real(0));
  for (std::size_t i = 0; i < a.extent(0); ++i) {
    const Real* const from = packed.data() + i * static_cast<std::size_t>(layout.dim());
    Real* const to = host.data() + i * a.extent(1);
    for (const Block& block : layout.blocks()) {
      std::copy_n(from + block.packed, block.size, to + block.column);
    }
  }
  Kokkos::deep_copy(a, host);
}

void list_rows(StateList& state, std::string name, const Matrix& a, const Layout& layout) {
  state.add({std::move(name), real_type, true, layout.dim(),
             [a, &layout](std::span<std::byte> out) {
               const auto packed = pack_rows(a, layout);
               ensure(out.size() == packed.size() * sizeof(Real), "list_rows: sizes differ");
               std::memcpy(out.data(), packed.data(), out.size());
             },
             [a, &layout](std::span<const std::byte> in) {
               std::vector<Real> packed(in.size() / sizeof(Real));
               std::memcpy(packed.data(), in.data(), in.size());
               unpack_rows(packed, layout, a);
             }});
}

}  // namespace parley
