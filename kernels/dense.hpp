// SPDX-License-Identifier: BSD-3-Clause
// Matrix products on row-major arrays through the vendor's BLAS: oneDNN (single) or CBLAS (double)
// on CPUs, cuBLAS on NVIDIA GPUs. Products with one thin side have plain kernels, since libraries
// are slow there. Must not know networks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/types.hpp"

namespace parley {

/// How a stored matrix enters a product.
enum class Op { plain, transposed };

/// op(A), rows x columns after `op`, stored row-major with `stride` elements between stored rows.
struct Operand {
  const Real* data = nullptr;
  std::int64_t rows = 0, columns = 0, stride = 0;
  Op op = Op::plain;
};

/// C, rows x columns, row-major: C = product + beta C. `beta` is 0 (C may hold anything) or 1.
struct Result {
  Real* data = nullptr;
  std::int64_t rows = 0, columns = 0, stride = 0;
  Real beta = 0;
};

inline Operand operand(const Matrix& a) {
  return {a.data(), rows_of(a), columns_of(a), static_cast<std::int64_t>(a.stride(0)), Op::plain};
}
inline Operand transposed(const Operand& a) {
  return {a.data, a.columns, a.rows, a.stride, a.op == Op::plain ? Op::transposed : Op::plain};
}
inline Result result(const Matrix& c, Real beta = 0) {
  return {c.data(), rows_of(c), columns_of(c), static_cast<std::int64_t>(c.stride(0)), beta};
}

/// The library's handle: one per owner and execution space instance, passed where products are
/// needed. Not copied.
class Blas {
 public:
  Blas();
  ~Blas();
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;

  /// C = op(A) op(B) + beta C, queued on exec. Equal shapes give equal bits whatever the alignment
  /// and the number of processes. RunError when the library refuses.
  void multiply(const Exec& exec, const Operand& a, const Operand& b, const Result& c);

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

/// Name, version and core, instruction set or GPU of the library that multiply() calls: part of
/// the bit class of a run.
std::string blas_description();

/// Sets the threads of oneDNN (through its OpenMP runtime) and of OpenBLAS, for the calling thread;
/// to be called before the first product, since bits change with the number of threads.
void set_blas_threads(int threads);

}  // namespace parley
