// SPDX-License-Identifier: BSD-3-Clause
// Activations as small function objects, chosen once per call, never per element.
#include "kernels/activation.hpp"

#include "kernels/loop.hpp"
#include "kernels/math.hpp"

namespace parley {

namespace {

// Each has value(u), slope(h) = s'(u) and ratio(h) = s''(u) / s'(u), with h = s(u). A NaN passes
// through every value, so that it is seen.
struct Identity {
  KOKKOS_INLINE_FUNCTION Real value(Real u) const { return u; }
  KOKKOS_INLINE_FUNCTION Real slope(Real) const { return 1; }
  KOKKOS_INLINE_FUNCTION Real ratio(Real) const { return 0; }
};
struct Relu {
  KOKKOS_INLINE_FUNCTION Real value(Real u) const { return u < 0 ? Real(0) : u; }
  KOKKOS_INLINE_FUNCTION Real slope(Real h) const { return h > 0 ? Real(1) : Real(0); }
  KOKKOS_INLINE_FUNCTION Real ratio(Real) const { return 0; }
};
struct LeakyRelu {
  Real leak;
  KOKKOS_INLINE_FUNCTION Real value(Real u) const { return u < 0 ? leak * u : u; }
  KOKKOS_INLINE_FUNCTION Real slope(Real h) const { return h > 0 ? Real(1) : leak; }
  KOKKOS_INLINE_FUNCTION Real ratio(Real) const { return 0; }
};
struct Tanh {
  KOKKOS_INLINE_FUNCTION Real value(Real u) const { return tanh_vectorized(u); }
  KOKKOS_INLINE_FUNCTION Real slope(Real h) const { return 1 - h * h; }
  KOKKOS_INLINE_FUNCTION Real ratio(Real h) const { return -2 * h; }
};
struct Sigmoid {
  KOKKOS_INLINE_FUNCTION Real value(Real u) const { return logistic_vectorized(u); }
  KOKKOS_INLINE_FUNCTION Real slope(Real h) const { return h * (1 - h); }
  KOKKOS_INLINE_FUNCTION Real ratio(Real h) const { return 1 - 2 * h; }
};

template <class Use>
void with_function(const Activation& s, const Use& use) {
  switch (s.kind) {
    case ActivationKind::identity:
      return use(Identity{});
    case ActivationKind::relu:
      return use(Relu{});
    case ActivationKind::leaky_relu:
      return use(LeakyRelu{s.slope});
    case ActivationKind::tanh:
      return use(Tanh{});
    case ActivationKind::sigmoid:
      return use(Sigmoid{});
  }
}

// A matrix as kernels see it: no reference counts, no bounds.
struct Flat {
  Real* data;
  std::int64_t stride;
  KOKKOS_INLINE_FUNCTION Real& operator()(std::int64_t i, std::int64_t j) const {
    return data[i * stride + j];
  }
};
Flat flat(const Matrix& a) {
  return {a.data(), static_cast<std::int64_t>(a.stride(0))};
}

template <class F>
void activate_with(const Exec& exec, F f, const Matrix& in, const Real* bias, const Matrix& out) {
  const Flat u = flat(in), h = flat(out);
  if (bias == nullptr) {
    for_each_element(
        exec, "parley::activation::activate", rows_of(in), columns_of(in),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) { h(i, j) = f.value(u(i, j)); });
  } else {
    for_each_element(
        exec, "parley::activation::activate_bias", rows_of(in), columns_of(in),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) { h(i, j) = f.value(u(i, j) + bias[j]); });
  }
}

template <class F>
void multiply_slope_with(const Exec& exec, F f, const Matrix& output, const Matrix& from,
                         const Matrix& to) {
  const Flat h = flat(output), a = flat(from), b = flat(to);
  for_each_element(
      exec, "parley::activation::multiply_by_slope", rows_of(to), columns_of(to),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) { b(i, j) = a(i, j) * f.slope(h(i, j)); });
}

template <class F>
void add_curvature_with(const Exec& exec, F f, const CurvatureArrays& arrays) {
  const Flat h = flat(arrays.output), t = flat(arrays.tangent_in), a = flat(arrays.adjoint_in);
  const Flat before = flat(arrays.curvature_out), after = flat(arrays.curvature_in);
  for_each_element(
      exec, "parley::activation::add_curvature", rows_of(arrays.output), columns_of(arrays.output),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) {
        const Real value = h(i, j);
        after(i, j) = before(i, j) * f.slope(value) + a(i, j) * t(i, j) * f.ratio(value);
      });
}

#ifdef PARLEY_CUDA
constexpr std::int64_t strip = 1;  // one thread per column: neighbours read neighbours
#else
constexpr std::int64_t strip = 64;  // columns whose sums stay in registers
#endif

// The sums and the scaling of one strip of columns [first, first + size), size <= strip.
struct WeighStrip {
  Flat a;
  const Real* weights;
  Real* sums;
  std::int64_t rows, columns, counted;

  template <bool scale>
  KOKKOS_INLINE_FUNCTION void run(std::int64_t first, std::int64_t size) const {
    double part[strip] = {};
    for (std::int64_t i = 0; i < rows; ++i) {
      Real* const values = &a(i, first);
      const Real weight = scale ? weights[i] : Real(1);
      const Real counts = i < counted ? Real(1) : Real(0);
      for (std::int64_t j = 0; j < size; ++j) {
        const Real value = weight * values[j];
        if constexpr (scale) values[j] = value;
        part[j] += static_cast<double>(counts * value);
      }
    }
    if (sums == nullptr) return;
    for (std::int64_t j = 0; j < size; ++j) sums[first + j] = static_cast<Real>(part[j]);
  }

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t s) const {
    const std::int64_t first = s * strip;
    const std::int64_t rest = columns - first;
    if (weights != nullptr) {
      if (rest >= strip)
        run<true>(first, strip);
      else
        run<true>(first, rest);
    } else {
      if (rest >= strip)
        run<false>(first, strip);
      else
        run<false>(first, rest);
    }
  }
};

}  // namespace

void activate(const Exec& exec, const Activation& s, const Matrix& in, const Real* bias,
              const Matrix& out) {
  with_function(s, [&](auto f) { activate_with(exec, f, in, bias, out); });
}

void multiply_by_slope(const Exec& exec, const Activation& s, const Matrix& output,
                       const Matrix& from, const Matrix& to) {
  with_function(s, [&](auto f) { multiply_slope_with(exec, f, output, from, to); });
}

void add_curvature(const Exec& exec, const Activation& s, const CurvatureArrays& arrays) {
  with_function(s, [&](auto f) { add_curvature_with(exec, f, arrays); });
}

void weigh_rows(const Exec& exec, const Matrix& a, const Vector& weights, std::int64_t counted,
                Real* sums) {
  if (weights.size() == 0 && sums == nullptr) return;
  const std::int64_t columns = columns_of(a);
  Kokkos::parallel_for("parley::activation::weigh_rows",
                       Range(exec, 0, (columns + strip - 1) / strip),
                       WeighStrip{flat(a), weights.data(), sums, rows_of(a), columns, counted});
}

void copy_rows(const Exec& exec, const Matrix& from, const Vector& weights, const Matrix& to) {
  const Flat a = flat(from), b = flat(to);
  const Real* const factors = weights.data();
  if (factors == nullptr) {
    for_each_element(
        exec, "parley::activation::copy_rows", rows_of(to), columns_of(to),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) { b(i, j) = a(i, j); });
  } else {
    for_each_element(
        exec, "parley::activation::scale_rows", rows_of(to), columns_of(to),
        KOKKOS_LAMBDA(std::int64_t i, std::int64_t j) { b(i, j) = factors[i] * a(i, j); });
  }
}

}  // namespace parley
