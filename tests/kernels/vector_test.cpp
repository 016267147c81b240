// SPDX-License-Identifier: BSD-3-Clause
// Row operations against plain loops, for widths around 64 bytes and the chunk of a reduction, and
// bits that do not depend on the number of rows.
#include "kernels/vector.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/reference/vector.hpp"

namespace parley {
namespace {

constexpr double tolerance = sizeof(Real) == 4 ? 1e-6 : 1e-15;
const std::int64_t widths[] = {1, 7, row_alignment, 3 * row_alignment + 1, 2 * reduction_chunk + 5};

/// Numbers of order one that single precision holds exactly.
double number(std::int64_t seed, std::int64_t i, std::int64_t j) {
  return static_cast<double>((seed * 7919 + i * 104729 + j * 1299709) % 2003 - 1001) / 1024;
}

Matrix make_rows(std::int64_t seed, std::int64_t rows, std::int64_t width) {
  const Matrix a = make_matrix("test::rows", rows, width);
  const auto host = Kokkos::create_mirror_view(a);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < width; ++j) {
      host(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) =
          static_cast<Real>(number(seed, i, j));
    }
  }
  Kokkos::deep_copy(a, host);
  return a;
}

std::vector<double> take_row(const Matrix& a, std::int64_t i) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  const Real* const first = host.data() + i * columns_of(a);
  return {first, first + columns_of(a)};
}

/// Players change at a 64-byte boundary, as in every layout.
std::int64_t boundary(std::int64_t width) {
  return width / (2 * row_alignment) * row_alignment;
}

void expect_near(const std::vector<double>& got, const std::vector<double>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t j = 0; j < got.size(); ++j) {
    ASSERT_NEAR(got[j], expected[j], 8 * tolerance) << "column " << j;
  }
}

TEST(Combine, AgreesWithPlainLoopsForOneToFourTerms) {
  const Exec exec;
  const std::vector<Pair> factors{{0.75, -1.5}, {-2, 0.3}, {1, 1}, {0.1, 0.2}};
  for (const std::int64_t width : widths) {
    const std::int64_t y_begin = boundary(width);
    for (std::size_t count = 1; count <= 4; ++count) {
      std::vector<Term> terms;
      for (std::size_t t = 0; t < count; ++t) {
        terms.push_back({factors[t], make_rows(static_cast<std::int64_t>(t), 3, width)});
      }
      const Matrix out = make_rows(9, 3, width);
      combine(exec, y_begin, terms, out);
      fence(exec, "test");
      for (std::int64_t i = 0; i < 3; ++i) {
        std::vector<std::vector<double>> rows;
        for (const Term& term : terms) rows.push_back(take_row(term.rows, i));
        expect_near(take_row(out, i),
                    reference::combine(static_cast<std::size_t>(y_begin), factors, rows));
      }
    }
  }
}

TEST(Combine, TheResultMayBeOneOfTheTerms) {
  const Exec exec;
  for (const std::int64_t width : widths) {
    const Matrix a = make_rows(1, 2, width), b = make_rows(2, 2, width);
    const Matrix out = make_rows(0, 2, width);
    combine(exec, boundary(width), {{Pair{1, 2}, a}, {Pair{-3, 4}, b}}, out);
    combine(exec, boundary(width), {{Pair{1, 2}, a}, {Pair{-3, 4}, b}}, a);
    fence(exec, "test");
    for (std::int64_t i = 0; i < 2; ++i) EXPECT_EQ(take_row(a, i), take_row(out, i));
  }
}

TEST(Combine, ARowsBitsDoNotDependOnItsNeighbours) {
  const Exec exec;
  const std::int64_t width = 3 * row_alignment + 1;
  const Matrix a = make_rows(1, 5, width), b = make_rows(2, 5, width);
  const Matrix all = make_rows(0, 5, width), one_row = make_rows(0, 1, width);
  const Pair third{1.0 / 3, 2.0 / 3};
  combine(exec, row_alignment, {{third, a}, {third, b}}, all);
  combine(exec, row_alignment, {{third, rows(a, 3, 4)}, {third, rows(b, 3, 4)}}, one_row);
  fence(exec, "test");
  EXPECT_EQ(take_row(all, 3), take_row(one_row, 0));
}

TEST(Norms, AgreeWithPlainLoops) {
  const Exec exec;
  for (const std::int64_t width : widths) {
    for (const std::int64_t y_begin : {std::int64_t{0}, boundary(width), width}) {
      const Matrix a = make_rows(3, 4, width), b = make_rows(4, 1, width);
      const auto norms = row_norms(exec, y_begin, a);
      const auto distances = row_distances(exec, y_begin, a, row(b, 0));
      ASSERT_EQ(norms.size(), 4U);
      ASSERT_EQ(distances.size(), 4U);
      for (std::int64_t i = 0; i < 4; ++i) {
        const auto values = take_row(a, i);
        const auto n = reference::distance(static_cast<std::size_t>(y_begin), values,
                                           std::vector<double>(values.size(), 0));
        const auto d =
            reference::distance(static_cast<std::size_t>(y_begin), values, take_row(b, 0));
        const auto at = static_cast<std::size_t>(i);
        const double near = 1e-13 * static_cast<double>(width);
        EXPECT_NEAR(norms[at].x, n.x, near);
        EXPECT_NEAR(norms[at].y, n.y, near);
        EXPECT_NEAR(distances[at].x, d.x, near);
        EXPECT_NEAR(distances[at].y, d.y, near);
      }
    }
  }
}

TEST(Norms, ARowsBitsDoNotDependOnItsNeighbours) {
  const Exec exec;
  const Matrix a = make_rows(5, 6, 2 * reduction_chunk + 5);
  const auto all = row_norms(exec, reduction_chunk, a);
  const auto alone = row_norms(exec, reduction_chunk, rows(a, 4, 5));
  EXPECT_EQ(all[4].x, alone[0].x);
  EXPECT_EQ(all[4].y, alone[0].y);
}

TEST(Clip, AgreesWithPlainLoopsPlayerByPlayer) {
  const Exec exec;
  for (const std::int64_t width : widths) {
    const std::int64_t y_begin = boundary(width);
    for (const Pair& bound : {Pair{0.5, 0}, Pair{0, 0.5}, Pair{0.25, 2}, Pair{1e6, 1e6}}) {
      const Matrix before = make_rows(6, 3, width), a = make_rows(6, 3, width);
      clip_rows(exec, y_begin, bound, a);
      fence(exec, "test");
      for (std::int64_t i = 0; i < 3; ++i) {
        expect_near(take_row(a, i),
                    reference::clip(static_cast<std::size_t>(y_begin), bound, take_row(before, i)));
      }
    }
  }
}

TEST(Clip, LeavesRowsWithinTheBoundAndNonFiniteOnesAlone) {
  const Exec exec;
  const std::int64_t width = 3 * row_alignment;
  const Matrix a = make_rows(6, 2, width);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a);
  host(1, 2) = std::numeric_limits<Real>::quiet_NaN();
  Kokkos::deep_copy(a, host);
  const auto within = take_row(a, 0), bad = take_row(a, 1);
  const Matrix first = rows(a, 0, 1);
  clip_rows(exec, row_alignment, {1e3, 1e3}, first);
  EXPECT_EQ(take_row(a, 0), within);
  clip_rows(exec, row_alignment, {1e-3, 0}, a);
  fence(exec, "test");
  for (std::size_t j = 0; j < bad.size(); ++j) {
    if (j != 2) {
      EXPECT_EQ(take_row(a, 1)[j], bad[j]) << "column " << j;
    }
  }
}

TEST(FirstBadRow, FindsTheFirstNonFiniteRowWhereverItHides) {
  const Exec exec;
  constexpr Real bad[] = {std::numeric_limits<Real>::quiet_NaN(),
                          std::numeric_limits<Real>::infinity(),
                          -std::numeric_limits<Real>::infinity()};
  for (const std::int64_t width : widths) {
    for (const Real value : bad) {
      const Matrix a = make_rows(6, 5, width);
      EXPECT_EQ(first_bad_row(exec, a), -1);
      Kokkos::deep_copy(Kokkos::subview(a, 4, 0), value);
      EXPECT_EQ(first_bad_row(exec, a), 4);
      Kokkos::deep_copy(Kokkos::subview(a, 2, static_cast<std::size_t>(width - 1)), value);
      EXPECT_EQ(first_bad_row(exec, a), 2);
    }
  }
}

TEST(FirstBadRow, LargeFiniteNumbersAreNotBad) {
  const Exec exec;
  const Matrix a = make_rows(6, 2, row_alignment);
  Kokkos::deep_copy(a, sizeof(Real) == 4 ? std::numeric_limits<Real>::max() : Real(1e150));
  EXPECT_EQ(first_bad_row(exec, a), -1);
}

TEST(Copies, CarryEveryNumber) {
  const Exec exec;
  for (const std::int64_t width : widths) {
    const Matrix a = make_rows(7, 3, width), out = make_rows(8, 3, width);
    copy(exec, a, out);
    fence(exec, "test");
    for (std::int64_t i = 0; i < 3; ++i) EXPECT_EQ(take_row(out, i), take_row(a, i));
    broadcast_row(exec, row(a, 1), out);
    fence(exec, "test");
    for (std::int64_t i = 0; i < 3; ++i) EXPECT_EQ(take_row(out, i), take_row(a, 1));
  }
}

TEST(Vector, rows_divided_and_multiplied_by_their_weights) {
  for (const std::int64_t width : widths) {
    const Matrix a = make_rows(1, 3, width), out = make_matrix("test::out", 3, width);
    const Vector weight = make_vector("test::weight", 3);
    const auto host = Kokkos::create_mirror_view(weight);
    for (std::size_t i = 0; i < 3; ++i) host(i) = static_cast<Real>(0.5 + static_cast<double>(i));
    Kokkos::deep_copy(weight, host);
    const auto scaled = [&](std::int64_t i, double factor) {
      std::vector<double> row = take_row(a, i);
      for (double& x : row) x *= factor;
      return row;
    };
    divide_rows(Exec(), a, weight, out);
    for (std::int64_t i = 0; i < 3; ++i) {
      expect_near(take_row(out, i), scaled(i, 1 / (0.5 + static_cast<double>(i))));
    }
    multiply_rows(Exec(), a, weight, out);
    for (std::int64_t i = 0; i < 3; ++i) {
      expect_near(take_row(out, i), scaled(i, 0.5 + static_cast<double>(i)));
    }
  }
}

}  // namespace
}  // namespace parley
