// SPDX-License-Identifier: BSD-3-Clause
// Kokkos reads its settings from words of the command line in every version since 3.4.
#include "kernels/runtime.hpp"

#include <fmt/format.h>

#include <vector>

#include "kernels/dense.hpp"

namespace parley {

Runtime::Runtime(int argc, char** argv, int threads) {
  set_blas_threads(threads);
  std::string program = "parley", setting = fmt::format("{}{}", kokkos_threads_word, threads);
  std::vector<char*> words = {program.data(), setting.data()};
  words.insert(words.end(), argv, argv + argc);
  int count = static_cast<int>(words.size());
  words.push_back(nullptr);
  Kokkos::initialize(count, words.data());
}

Runtime::~Runtime() {
  Kokkos::finalize();
}

std::string kokkos_description() {
  return fmt::format("Kokkos {}.{}.{} {}", KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100,
                     KOKKOS_VERSION % 100, Exec::name());
}

std::string bit_class(int threads) {
  return fmt::format("{}; {}; {}; {} thread{} per rank", kokkos_description(),
                     sizeof(Real) == 4 ? "single" : "double", blas_description(), threads,
                     threads == 1 ? "" : "s");
}

}  // namespace parley
