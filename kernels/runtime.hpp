// SPDX-License-Identifier: BSD-3-Clause
// Starts Kokkos and the BLAS libraries with the deck's number of threads, and says what they are.
#pragma once

#include <string>

#include "kernels/types.hpp"

namespace parley {

/// Kokkos from construction to destruction. `threads` per rank is set for Kokkos, oneDNN and
/// OpenBLAS before their first call, never inherited from the environment; words of Kokkos' own
/// follow and win.
class Runtime {
 public:
  Runtime(int argc, char** argv, int threads);
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
};

/// "Kokkos 3.4.1 Serial".
std::string kokkos_description();

/// Backend, precision, BLAS libraries with version and instruction set, threads: runs of one bit
/// class give the same bits for the same deck.
std::string bit_class(int threads);

}  // namespace parley
