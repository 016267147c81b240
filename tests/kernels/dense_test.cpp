// SPDX-License-Identifier: BSD-3-Clause
// Matrix products against plain loops, for thin and library shapes, all transpositions, strides.
#include "kernels/dense.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "kernels/philox.hpp"
#include "kernels/reference/dense.hpp"

namespace parley {
namespace {

using Shape3 = std::tuple<int, int, int>;

HostMatrix random_matrix(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  HostMatrix a("test::random", static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
  const Philox random{seed, Purpose::oracle_noise, 0, 0};
  for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = static_cast<Real>(random.normal(i));
  return a;
}

Matrix on_device(const HostMatrix& host) {
  const Matrix a = make_matrix("test::device", static_cast<std::int64_t>(host.extent(0)),
                               static_cast<std::int64_t>(host.extent(1)));
  Kokkos::deep_copy(a, host);
  return a;
}

/// The operand of `rows` x `columns` after op, stored in the first columns of `a`.
Operand view_of(const Real* a, std::int64_t stride, std::int64_t rows, std::int64_t columns,
                Op op) {
  return {a, rows, columns, stride, op};
}

/// Largest error over the bound sqrt(inner) eps |A||B| of one element.
double largest_error(const Shape3& shape, Op op_a, Op op_b, Real beta) {
  const auto [m, n, k] = shape;
  const std::int64_t pad = 3;  // strides larger than the rows
  const auto stored = [pad](Op op, int rows, int columns, std::uint64_t seed) {
    return op == Op::plain ? random_matrix(rows, columns + pad, seed)
                           : random_matrix(columns, rows + pad, seed);
  };
  const HostMatrix a = stored(op_a, m, k, 1), b = stored(op_b, k, n, 2);
  const HostMatrix c = random_matrix(m, n + pad, 3);
  const Matrix da = on_device(a), db = on_device(b), dc = on_device(c);
  const auto stride = [](const HostMatrix& x) { return static_cast<std::int64_t>(x.extent(1)); };
  const Exec exec;
  Blas blas;
  blas.multiply(exec, view_of(da.data(), stride(a), m, k, op_a),
                view_of(db.data(), stride(b), k, n, op_b), {dc.data(), m, n, stride(c), beta});
  fence(exec, "test");
  reference::multiply(view_of(a.data(), stride(a), m, k, op_a),
                      view_of(b.data(), stride(b), k, n, op_b), {c.data(), m, n, stride(c), beta});
  const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), dc);
  double worst = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    worst = std::max(worst, static_cast<double>(std::abs(got.data()[i] - c.data()[i])));
  }
  return worst / ((std::sqrt(static_cast<double>(k)) + 1) *
                  static_cast<double>(std::numeric_limits<Real>::epsilon()));
}

class Products : public ::testing::TestWithParam<Shape3> {};

TEST_P(Products, EqualPlainLoops) {
  for (const Op a : {Op::plain, Op::transposed}) {
    for (const Op b : {Op::plain, Op::transposed}) {
      EXPECT_LT(largest_error(GetParam(), a, b, 0), 20);
      EXPECT_LT(largest_error(GetParam(), a, b, 1), 20);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Products,
                         ::testing::Values(Shape3{1, 1, 1}, Shape3{5, 1, 300}, Shape3{130, 2, 77},
                                           Shape3{64, 4, 129}, Shape3{9, 3, 1500},
                                           Shape3{300, 2, 2}, Shape3{1, 50, 200},
                                           Shape3{33, 47, 65}, Shape3{2, 128, 64},
                                           Shape3{128, 1, 1}, Shape3{150, 200, 3}));

// beta = 0 must not read C: uninitialized or poisoned rows are legal there.
TEST(Blas, OverwritesWhatCHeld) {
  for (const std::int64_t n : {2, 40}) {
    const Matrix a = on_device(random_matrix(20, 30, 4)), b = on_device(random_matrix(30, n, 5));
    const Matrix c = make_matrix("test::c", 20, n);
    const Exec exec;
    Kokkos::deep_copy(exec, c, static_cast<Real>(NAN));
    Blas blas;
    blas.multiply(exec, operand(a), operand(b), result(c));
    fence(exec, "test");
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), c);
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(std::isfinite(got.data()[i]));
  }
}

// The same product from addresses that differ in alignment gives the same bits.
TEST(Blas, BitsDoNotDependOnAlignment) {
  const HostMatrix a = random_matrix(96, 130, 6), b = random_matrix(130, 70, 7);
  const Exec exec;
  Blas blas;
  std::vector<std::vector<Real>> results;
  for (const std::size_t shift : {0, 1, 3}) {
    const Vector space = make_vector("test::space", 96 * 130 + 130 * 70 + 96 * 70 + 64);
    Real* const pa = space.data() + shift;
    Real* const pb = pa + a.size() + shift;
    Real* const pc = pb + b.size() + shift;
    const auto put = [&](Real* to, const HostMatrix& from) {
      Kokkos::deep_copy(Vector(to, from.size()), HostVector(from.data(), from.size()));
    };
    put(pa, a);
    put(pb, b);
    blas.multiply(exec, {pa, 96, 130, 130, Op::plain}, {pb, 130, 70, 70, Op::plain},
                  {pc, 96, 70, 70, 0});
    fence(exec, "test");
    const auto got = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Vector(pc, 96 * 70));
    results.emplace_back(got.data(), got.data() + got.size());
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Blas, RefusesShapesThatDoNotFit) {
  const Matrix a = make_matrix("test::a", 3, 4), b = make_matrix("test::b", 5, 2);
  Blas blas;
  EXPECT_THROW(blas.multiply(Exec(), operand(a), operand(b), result(make_matrix("test::c", 3, 2))),
               std::logic_error);
}

TEST(Blas, DescribesItself) {
  const std::string text = blas_description();
  EXPECT_NE(text.find_first_of("0123456789"), std::string::npos) << text;
}

}  // namespace
}  // namespace parley
