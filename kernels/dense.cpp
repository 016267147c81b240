// SPDX-License-Identifier: BSD-3-Clause
// The choice between thin kernels and the vendor's library, and the calls into the latter.
#include "kernels/dense.hpp"

#include <dlfcn.h>

#include "core/check.hpp"
#include "kernels/thin.hpp"

#ifdef PARLEY_CUDA
#include <cublas_v2.h>
#else
#include <cblas.h>
#include <dnnl.h>
#endif

namespace parley {

namespace {

void check_shapes(const Operand& a, const Operand& b, const Result& c) {
  ensure(a.rows == c.rows && b.columns == c.columns && a.columns == b.rows,
         "Blas: the shapes of a product do not fit");
}

/// A function of a library that may or may not be loaded: OpenMP runtimes and BLAS differ between
/// builds, and none of them is Parley's to require.
template <class Function>
Function* find_symbol(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

#ifdef PARLEY_CUDA

namespace {
void check_cublas(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    fail_run("cuBLAS: {} failed with status {}", call, static_cast<int>(status));
  }
}
}  // namespace

// Made by the first product, not by the constructor: a plan builds networks where no GPU is.
struct Blas::Handle {
  cublasHandle_t value = nullptr;

  ~Handle() {
    if (value != nullptr) cublasDestroy(value);
  }
  cublasHandle_t on(const Exec& exec) {
    if (value == nullptr) {
      check_cublas(cublasCreate(&value), "cublasCreate");
      check_cublas(cublasSetMathMode(value, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
    }
    check_cublas(cublasSetStream(value, exec.cuda_stream()), "cublasSetStream");
    return value;
  }
};

Blas::Blas() : handle_(std::make_unique<Handle>()) {}
Blas::~Blas() = default;

void Blas::multiply(const Exec& exec, const Operand& a, const Operand& b, const Result& c) {
  check_shapes(a, b, c);
  const cublasHandle_t handle = handle_->on(exec);
  const auto op = [](Op o) { return o == Op::plain ? CUBLAS_OP_N : CUBLAS_OP_T; };
  const Real alpha = 1, beta = c.beta;
  const int m = static_cast<int>(c.rows), n = static_cast<int>(c.columns);
  const int k = static_cast<int>(a.columns);
  const int lda = static_cast<int>(a.stride), ldb = static_cast<int>(b.stride);
  const int ldc = static_cast<int>(c.stride);
  // cuBLAS is column-major: the row-major C is its C', so the operands change places.
#ifdef PARLEY_DOUBLE
  const auto status = cublasDgemm(handle, op(b.op), op(a.op), n, m, k, &alpha, b.data, ldb, a.data,
                                  lda, &beta, c.data, ldc);
#else
  const auto status = cublasSgemm(handle, op(b.op), op(a.op), n, m, k, &alpha, b.data, ldb, a.data,
                                  lda, &beta, c.data, ldc);
#endif
  check_cublas(status, "gemm");
}

std::string blas_description() {
  int version = 0;
  cublasHandle_t handle = nullptr;
  check_cublas(cublasCreate(&handle), "cublasCreate");
  const auto status = cublasGetVersion(handle, &version);
  cublasDestroy(handle);
  check_cublas(status, "cublasGetVersion");
  cudaDeviceProp gpu;
  if (const auto error = cudaGetDeviceProperties(&gpu, Exec().cuda_device())) {
    fail_run("CUDA: cudaGetDeviceProperties failed: {}", cudaGetErrorString(error));
  }
  return fmt::format("cuBLAS {}, {}, TF32 off", version, gpu.name);
}

#else

struct Blas::Handle {};

Blas::Blas() = default;
Blas::~Blas() = default;

void Blas::multiply(const Exec& exec, const Operand& a, const Operand& b, const Result& c) {
  check_shapes(a, b, c);
  if (multiply_thin(exec, a, b, c)) return;
#ifdef PARLEY_DOUBLE
  const auto op = [](Op o) { return o == Op::plain ? CblasNoTrans : CblasTrans; };
  cblas_dgemm(CblasRowMajor, op(a.op), op(b.op), static_cast<int>(c.rows),
              static_cast<int>(c.columns), static_cast<int>(a.columns), 1.0, a.data,
              static_cast<int>(a.stride), b.data, static_cast<int>(b.stride), c.beta, c.data,
              static_cast<int>(c.stride));
#else
  const auto op = [](Op o) { return o == Op::plain ? 'N' : 'T'; };
  const dnnl_status_t status =
      dnnl_sgemm(op(a.op), op(b.op), c.rows, c.columns, a.columns, 1.0F, a.data, a.stride, b.data,
                 b.stride, c.beta, c.data, c.stride);
  if (status != dnnl_success) {
    fail_run("oneDNN: sgemm {} x {} x {} failed with status {}", c.rows, c.columns, a.columns,
             static_cast<int>(status));
  }
#endif
}

namespace {

std::string instruction_set() {
  if (__builtin_cpu_supports("avx512f")) return "AVX-512";
  if (__builtin_cpu_supports("avx2")) return "AVX2";
  return "SSE";
}

}  // namespace

std::string blas_description() {
#ifdef PARLEY_DOUBLE
  auto* const core = find_symbol<const char*()>("openblas_get_corename");
  auto* const config = find_symbol<const char*()>("openblas_get_config");
  if (core == nullptr || config == nullptr) return "CBLAS, " + instruction_set();
  const std::string words = config();
  return fmt::format("{}, core {}", words.substr(0, words.find(' ', words.find(' ') + 1)), core());
#else
  const dnnl_version_t* version = dnnl_version();
  return fmt::format("oneDNN {}.{}.{}, {} (level {:#x})", version->major, version->minor,
                     version->patch, instruction_set(),
                     static_cast<unsigned>(dnnl_get_effective_cpu_isa()));
#endif
}

#endif

void set_blas_threads(int threads) {
  if (auto* const set = find_symbol<void(int)>("omp_set_num_threads")) set(threads);
  if (auto* const set = find_symbol<void(int)>("openblas_set_num_threads")) set(threads);
}

}  // namespace parley
