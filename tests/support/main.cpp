// SPDX-License-Identifier: BSD-3-Clause
// The main of every test executable: starts MPI and Kokkos around GoogleTest. Only rank 0 prints
// passing tests; the exit code is non-zero on every rank when a test fails on any.
#include <gtest/gtest.h>
#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstdlib>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace {

/// Ranks other than 0 print their failures only.
class FailurePrinter : public ::testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}
  void OnTestPartResult(const ::testing::TestPartResult& part) override {
    if (part.failed()) {
      std::fprintf(stderr, "rank %d: %s:%d: %s\n", rank_, part.file_name(), part.line_number(),
                   part.message());
    }
  }

 private:
  int rank_;
};

}  // namespace

int main(int argc, char** argv) {
#ifdef __SANITIZE_ADDRESS__
  __lsan_disable();  // what MPI_Init keeps belongs to plugins, some of them unloaded at once
#endif
  MPI_Init(&argc, &argv);
#ifdef __SANITIZE_ADDRESS__
  __lsan_enable();
#endif
  int failed = 0;
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    ::testing::InitGoogleTest(&argc, argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    if (rank != 0) {
      delete listeners.Release(listeners.default_result_printer());
      listeners.Append(new FailurePrinter(rank));
    }
    failed = RUN_ALL_TESTS();
  }
  int any = 0;
  MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
#ifdef __SANITIZE_ADDRESS__
  // Before MPI unloads its plugins, whose leaks could not be told from ours afterwards.
  __lsan_do_leak_check();
#endif
  MPI_Finalize();
  return any == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
