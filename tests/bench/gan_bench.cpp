// SPDX-License-Identifier: BSD-3-Clause
// Time of one GAN step (field and optimistic Adam) beside its floor, the same matrix products by
// oneDNN alone in the same process: the first two rows of the speed table. Prints one JSON object
// per row. Usage: gan_bench [REPEATS].
#include <dnnl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <vector>

#include "games/gan_oracle.hpp"
#include "kernels/noise.hpp"
#include "kernels/optimizer.hpp"
#include "kernels/runtime.hpp"
#include "support/layer_list.hpp"

namespace {

using namespace parley;

struct Case {
  const char* name;
  std::int64_t batch, noise;
  std::vector<std::int64_t> generator, discriminator;  ///< widths, without the input
  const char* generator_end;                           ///< last activation; empty: none
};

std::vector<LayerOptions> stack(const std::vector<std::int64_t>& widths, const char* between,
                                const std::string& end) {
  std::vector<LayerOptions> layers;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    layers.push_back(make_layer_options("dense", widths[i]));
    if (i + 1 < widths.size()) layers.push_back(make_layer_options(between));
  }
  if (!end.empty()) layers.push_back(make_layer_options(end));
  return layers;
}

/// Processor seconds of this thread: other work on the machine counts little.
double seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Median milliseconds of one call.
double time_calls(int repeats, const std::function<void()>& call) {
  for (int i = 0; i < 5; ++i) call();
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    const double begin = seconds();
    call();
    times.push_back(1e3 * (seconds() - begin));
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return times[static_cast<std::size_t>(repeats / 2)];
}

/// One product C (m x n) = op(A) op(B), inner length k.
struct Product {
  char a, b;
  std::int64_t m, n, k;
};

void add_network(std::vector<Product>& list, std::int64_t input, std::int64_t rows,
                 std::int64_t input_rows, const std::vector<std::int64_t>& widths) {
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const std::int64_t in = i == 0 ? input : widths[i - 1], out = widths[i];
    list.push_back({'N', 'T', rows, out, in});
    const std::int64_t adjoints = i == 0 ? input_rows : rows;
    if (adjoints > 0) list.push_back({'N', 'N', adjoints, in, out});
    list.push_back({'T', 'N', out, in, rows});
  }
}

/// All products of one field evaluation with gradient penalty.
std::vector<Product> products_of(const Case& c) {
  std::vector<Product> list;
  add_network(list, c.noise, c.batch, 0, c.generator);
  add_network(list, c.generator.back(), 3 * c.batch, 2 * c.batch, c.discriminator);
  for (std::size_t i = 0; i + 1 < c.discriminator.size(); ++i) {
    const std::int64_t in = i == 0 ? c.generator.back() : c.discriminator[i - 1];
    list.push_back({'N', 'T', c.batch, c.discriminator[i], in});
  }
  return list;
}

double time_floor(const Case& c, int repeats) {
  std::int64_t largest = 0;
  const auto list = products_of(c);
  for (const Product& p : list) largest = std::max({largest, p.m * p.k, p.k * p.n, p.m * p.n});
  std::vector<float> a(static_cast<std::size_t>(largest), 0.5F), b = a, out = a;
  return time_calls(repeats, [&] {
    for (const Product& p : list) {
      dnnl_sgemm(p.a, p.b, p.m, p.n, p.k, 1.0F, a.data(), p.a == 'N' ? p.k : p.m, b.data(),
                 p.b == 'N' ? p.n : p.k, 0.0F, out.data(), p.n);
    }
  });
}

struct Times {
  double step, field, optimizer, noise;
};

Times time_step(const Case& c, int repeats) {
  GanOptions options;
  options.noise = c.noise;
  options.generator = stack(c.generator, "relu", c.generator_end);
  options.discriminator = stack(c.discriminator, "leaky_relu", "");
  GanOracle oracle(options, {c.generator.back()}, {"generator", "discriminator"});
  oracle.reserve(c.batch);
  const std::int64_t width = oracle.layout().width();
  const auto make_row = [&] { return make_matrix("bench::row", 1, width); };
  const Matrix z = make_row(), f = make_row(), m = make_row(), v = make_row(), d = make_row();
  HostVector host("bench::host", static_cast<std::size_t>(width));
  oracle.initialize({1, 0}, host);
  Kokkos::deep_copy(row(z, 0), host);
  const Exec exec;
  const Doubles losses("bench::losses", 2);
  std::uint64_t draw = 0;
  const auto fill = [&] {
    ++draw;
    fill_normal(exec, {1, Purpose::noise, 0, draw}, oracle.noise(c.batch));
    fill_uniform(exec, {1, Purpose::interpolation, 0, draw}, oracle.mix(c.batch));
  };
  fill_normal(exec, {1, Purpose::batch, 0, 0}, oracle.real(c.batch));
  const auto field = [&] {
    oracle.evaluate(exec, row(z, 0), c.batch, row(f, 0), losses, [](std::int64_t) {});
    fence(exec, "bench");
  };
  const auto update = [&] {
    optimistic_adam(exec, oracle.layout().y_begin(), {0.5, 0.9, 1e-8, 1000}, {1e-5, 1e-5},
                    {f, m, v, d, z, z});
    fence(exec, "bench");
  };
  const auto step = [&] {
    fill();
    field();
    update();
  };
  return {time_calls(repeats, step), time_calls(repeats, field), time_calls(repeats, update),
          time_calls(repeats, fill)};
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 200;
  const Runtime runtime(0, nullptr, 1);
  const std::vector<Case> cases = {{"mixture", 256, 2, {128, 128, 2}, {128, 128, 1}, ""},
                                   {"mnist-mlp", 64, 64, {256, 512, 784}, {512, 256, 1}, "tanh"}};
  for (const Case& c : cases) {
    const double floor = time_floor(c, repeats);
    const Times t = time_step(c, repeats);
    fmt::print(
        "{{\"case\": \"{}\", \"step_ms\": {:.4f}, \"field_ms\": {:.4f}, \"optimizer_ms\": "
        "{:.4f}, \"noise_ms\": {:.4f}, \"products_ms\": {:.4f}, \"blas\": \"{}\"}}\n",
        c.name, t.step, t.field, t.optimizer, t.noise, floor, blas_description());
  }
  return 0;
}
