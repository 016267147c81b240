// SPDX-License-Identifier: BSD-3-Clause
// Random subsets, the same wherever they are drawn. No MPI, no Kokkos.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/philox.hpp"

namespace parley {

/// `count` of the numbers 0 to size - 1, every subset alike likely, ascending (Floyd's algorithm,
/// Bentley and Floyd, CACM 30 (1987) 754). Draw n is random.below(n, size - count + n + 1): one
/// that was drawn before stands for size - count + n. 0 <= count <= size < 2^31.
std::vector<std::int32_t> random_subset(const Philox& random, std::int64_t size,
                                        std::int64_t count);

}  // namespace parley
