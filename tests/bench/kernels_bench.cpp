// SPDX-License-Identifier: BSD-3-Clause
// Kernels beside their floors in one process, one thread, in turn, as medians: matrix products
// beside oneDNN called alone at the same shapes, the optimizer and the row updates beside a
// STREAM-like copy of the bytes that must move.
#include <dnnl.h>
#include <fmt/format.h>

#include "bench/timing.hpp"
#include "kernels/dense.hpp"
#include "kernels/optimizer.hpp"
#include "kernels/runtime.hpp"

namespace parley::bench {
namespace {

/// C (m x n) = A (m x k) B' as the layers store weights.
void bench_product(std::int64_t m, std::int64_t n, std::int64_t k) {
  const Exec exec;
  const Matrix a = make_matrix("bench::a", m, k), b = make_matrix("bench::b", n, k);
  const Matrix c = make_matrix("bench::c", m, n);
  Kokkos::deep_copy(a, Real(0.5));
  Kokkos::deep_copy(b, Real(0.5));
  Blas blas;
  const Medians time = in_turn(
      [&] {
        blas.multiply(exec, operand(a), transposed(operand(b)), result(c));
        fence(exec, "bench");
      },
      [&] { dnnl_sgemm('N', 'T', m, n, k, 1.0F, a.data(), k, b.data(), k, 0.0F, c.data(), n); });
  const double flops = 2e-9 * static_cast<double>(m * n * k);
  fmt::print(
      "product {:>5} x {:>4} x {:>4}      {:8.1f} GFLOP/s   oneDNN alone {:8.1f}   {:5.0f} %\n", m,
      n, k, flops / time.ours, flops / time.floor, 100 * time.floor / time.ours);
}

/// `moved`: numbers read and written by `work`; a copy of half as many numbers moves as much.
void report(const char* name, std::int64_t moved, const std::function<void()>& work) {
  const Medians time = in_turn(work, CopyFloor(moved / 2));
  fmt::print("{:<28} {:8.3f} ms   copy floor {:8.3f} ms   {:5.0f} %\n", name, 1e3 * time.ours,
             1e3 * time.floor, 100 * time.floor / time.ours);
}

void bench_updates(std::int64_t width) {
  const Exec exec;
  const auto rows = [&] { return make_matrix("bench::rows", 1, width); };
  const Matrix g = rows(), m = rows(), v = rows(), d = rows(), base = rows(), u = rows();
  fmt::print("rows of {} parameters\n", width);
  report("optimistic_adam", 9 * width, [&] {
    optimistic_adam(exec, width / 2, {0.5, 0.9, 1e-8, 10}, {1e-3, 1e-3}, {g, m, v, d, base, u});
    fence(exec, "bench");
  });
  report("adam_direction", 6 * width, [&] {
    adam_direction(exec, {0.5, 0.9, 1e-8, 10}, {g, m, v, d});
    fence(exec, "bench");
  });
  report("combine, two terms", 3 * width, [&] {
    combine(exec, width / 2, {{one, base}, {-1e-3 * one, g}}, u);
    fence(exec, "bench");
  });
  report("combine, three terms", 4 * width, [&] {
    combine(exec, width / 2, {{one, base}, {-2e-3 * one, g}, {1e-3 * one, d}}, u);
    fence(exec, "bench");
  });
}

}  // namespace
}  // namespace parley::bench

int main(int argc, char** argv) {
  using namespace parley;
  const Runtime runtime(argc - 1, argv + 1, 1);
  fmt::print("{}\n", bit_class(1));
  for (const std::int64_t n : {256, 512, 1024}) bench::bench_product(n, n, n);
  bench::bench_product(768, 128, 128);
  bench::bench_product(192, 512, 784);
  bench::bench_product(64, 256, 64);
  for (const std::int64_t width : {1 << 15, 1 << 20, 1 << 23}) bench::bench_updates(width);
  return 0;
}
