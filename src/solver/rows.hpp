// SPDX-License-Identifier: BSD-3-Clause
// Rows on the device to packed rows on the host and back, for files and restarts. Knows no MPI.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/layout.hpp"
#include "core/state.hpp"
#include "kernels/types.hpp"

namespace parley {

/// How Real is stored in files.
inline constexpr ElementType real_type = sizeof(Real) == 4 ? ElementType::f32 : ElementType::f64;

/// Rows of `a` (rows x layout.width()) without padding: rows x layout.dim().
std::vector<Real> pack_rows(const Matrix& a, const Layout& layout);
/// The reverse; the padding of `a` becomes zero.
void unpack_rows(std::span<const Real> packed, const Layout& layout, const Matrix& a);

/// Lists rows of the local agents in a StateList, packed.
void list_rows(StateList& state, std::string name, const Matrix& a, const Layout& layout);

}  // namespace parley
