// SPDX-License-Identifier: BSD-3-Clause
// On CPUs products take several rows at a time, so that w is loaded once for them and additions do
// not wait for one another, and sums stay in registers; on GPUs a warp takes a row, a thread a
// column.
#include "kernels/rows.hpp"

#include <cstring>

#include "core/check.hpp"
#include "kernels/loop.hpp"

#ifndef PARLEY_CUDA
#include <experimental/simd>
#endif

namespace parley {

namespace {

constexpr std::int64_t lanes = row_alignment;

#ifndef PARLEY_CUDA

namespace simd = std::experimental;

/// `lanes` sums side by side, in as many registers as the processor needs: compilers do not
/// vectorize by themselves sums that must keep their order, and their own vector types convert
/// bytes one by one and go through memory where they are wider than a register.
using Sums = simd::fixed_size_simd<double, lanes>;
constexpr auto registers = lanes / static_cast<std::int64_t>(simd::native_simd<double>::size());
/// How many of them eight registers hold: rows that a product takes at a time, columns of a sum in
/// units of `lanes`.
constexpr std::int64_t held = registers < 8 ? 8 / registers : 1;

/// Rows between the one that is read and the one that is asked for.
constexpr std::int64_t ahead = 16;
/// Rows of one work item of the products, and columns of one of the sums.
constexpr std::int64_t rows_per_item = 256, columns_per_item = 128;

template <class T>
Sums widened(const T* from) {
  return Sums(from, simd::element_aligned);
}

/// Asks for a row that a later pass reads: drawn rows lie apart, and waiting for one after the
/// other costs more than the arithmetic.
template <class Stored>
void prefetch_row(const Stored* row, std::int64_t stride) {
  constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(Stored));
  for (std::int64_t j = 0; j < stride; j += line) __builtin_prefetch(row + j);
}

/// out[r] = the sum of x_r w over `stride` columns, r < N, in `lanes` partial sums.
template <std::int64_t N, class Stored>
void dot_rows(const Stored* const* rows, const Real* w, std::int64_t stride, double* out) {
  Sums part[N] = {};
  for (std::int64_t j = 0; j < stride; j += lanes) {
    const Sums model = widened(w + j);
    for (std::int64_t r = 0; r < N; ++r) part[r] += widened(rows[r] + j) * model;
  }
  for (std::int64_t r = 0; r < N; ++r) {
    // In the order of the lanes, which no processor changes.
    double sum = 0;
    for (std::size_t l = 0; l < lanes; ++l) sum += part[r][l];
    out[r] = sum;
  }
}

/// sum[j] = sum_i factors[i] x_i[j] for the V * lanes columns of agent m's rows that begin at
/// `column`; the sums stay in registers.
template <std::int64_t V, class Stored>
void sum_columns(const RowBatch& batch, const Stored* stored, std::int64_t m, std::int64_t column,
                 const double* factors, double* sum) {
  const std::int64_t size = batch.size(m), stride = batch.table.stride;
  Sums part[V] = {};
  for (std::int64_t i = 0; i < size; ++i) {
    const Stored* const x = stored + batch.row(m, i) * stride + column;
    const double factor = factors[i];
#pragma GCC unroll 8
    for (std::int64_t v = 0; v < V; ++v) part[v] += factor * widened(x + v * lanes);
  }
  for (std::int64_t v = 0; v < V; ++v) part[v].copy_to(sum + v * lanes, simd::element_aligned);
}

template <class Stored>
void launch_products(const Exec& exec, const RowBatch& batch, const Matrix& z, std::int64_t column,
                     const Doubles& out) {
  const auto* const stored = reinterpret_cast<const Stored*>(batch.table.bytes.data());
  const std::int64_t stride = batch.table.stride;
  const std::int64_t items = (batch.width + rows_per_item - 1) / rows_per_item;
  Kokkos::parallel_for(
      "parley::rows::products", Range(exec, 0, batch.agents * items), [=](std::int64_t item) {
        const std::int64_t m = item / items, first = item % items * rows_per_item;
        const std::int64_t size = batch.size(m);
        const std::int64_t last = first + rows_per_item < size ? first + rows_per_item : size;
        const Real* const w = z.data() + m * static_cast<std::int64_t>(z.stride(0)) + column;
        double* const to = out.data() + m * batch.width;
        const double scale = batch.table.scale;
        const double constant =
            batch.table.shift == 0
                ? 0.0
                : batch.table.shift * lane_sum(batch.table.features, [w](std::int64_t j) -> double {
                    return static_cast<double>(w[j]);
                  });
        const Stored* x[held];
        double dots[held];
        // Past its last row an agent asks for the first ones of the next.
        const auto ask = [&](std::int64_t i) {
          const bool own = i < last;
          if (!own && (m + 1 == batch.agents || i - last >= batch.size(m + 1))) return;
          const std::int64_t row = own ? batch.row(m, i) : batch.row(m + 1, i - last);
          prefetch_row(stored + row * stride, stride);
        };
        for (std::int64_t i = first; item == 0 && i < first + ahead; ++i) ask(i);
        std::int64_t i = first;
        for (; i + held <= last; i += held) {
          for (std::int64_t r = 0; r < held; ++r) {
            ask(i + ahead + r);
            x[r] = stored + batch.row(m, i + r) * stride;
          }
          dot_rows<held>(x, w, stride, dots);
          for (std::int64_t r = 0; r < held; ++r) to[i + r] = scale * dots[r] + constant;
        }
        for (; i < last; ++i) {
          x[0] = stored + batch.row(m, i) * stride;
          dot_rows<1>(x, w, stride, dots);
          to[i] = scale * dots[0] + constant;
        }
      });
}

template <class Stored>
void launch_sums(const Exec& exec, const RowBatch& batch, const Doubles& factors, const Matrix& f,
                 std::int64_t column) {
  const auto* const stored = reinterpret_cast<const Stored*>(batch.table.bytes.data());
  const std::int64_t stride = batch.table.stride, features = batch.table.features;
  const std::int64_t items = (features + columns_per_item - 1) / columns_per_item;
  Kokkos::parallel_for(
      "parley::rows::sums", Range(exec, 0, batch.agents * items), [=](std::int64_t item) {
        const std::int64_t m = item / items, begin = item % items * columns_per_item;
        const std::int64_t left = stride - begin;
        const std::int64_t columns = left < columns_per_item ? left : columns_per_item;
        const std::int64_t size = batch.size(m);
        const double* const c = factors.data() + m * batch.width;
        double sum[columns_per_item];
        std::int64_t done = 0;
        for (; done + held * lanes <= columns; done += held * lanes) {
          sum_columns<held>(batch, stored, m, begin + done, c, sum + done);
        }
        for (; done < columns; done += lanes) {
          sum_columns<1>(batch, stored, m, begin + done, c, sum + done);
        }
        const double scale = batch.table.scale;
        const double constant =
            batch.table.shift == 0
                ? 0.0
                : batch.table.shift * lane_sum(size, [c](std::int64_t k) { return c[k]; });
        Real* const to = f.data() + m * static_cast<std::int64_t>(f.stride(0)) + column + begin;
        const std::int64_t kept = features - begin < columns ? features - begin : columns;
        for (std::int64_t j = 0; j < kept; ++j)
          to[j] = static_cast<Real>(scale * sum[j] + constant);
      });
}

#else

template <class Stored>
void launch_products(const Exec& exec, const RowBatch& batch, const Matrix& z, std::int64_t column,
                     const Doubles& out) {
  using Team = Kokkos::TeamPolicy<Exec>;
  constexpr int rows_per_team = 4, warp = 32;
  const auto* const stored = reinterpret_cast<const Stored*>(batch.table.bytes.data());
  const std::int64_t teams = (batch.width + rows_per_team - 1) / rows_per_team;
  const Real* const all = z.data() + column;
  const auto step = static_cast<std::int64_t>(z.stride(0));
  Kokkos::parallel_for(
      "parley::rows::products",
      Team(exec, static_cast<int>(batch.agents * teams), rows_per_team, warp),
      KOKKOS_LAMBDA(const Team::member_type& team) {
        const std::int64_t m = team.league_rank() / teams;
        const std::int64_t i = team.league_rank() % teams * rows_per_team + team.team_rank();
        if (i >= batch.size(m)) return;
        const Stored* const x = stored + batch.row(m, i) * batch.table.stride;
        const Real* const w = all + m * step;
        const double scale = batch.table.scale, shift = batch.table.shift;
        double sum = 0;
        Kokkos::parallel_reduce(
            Kokkos::ThreadVectorRange(team, batch.table.features),
            [&](const std::int64_t j, double& part) {
              part += (scale * static_cast<double>(x[j]) + shift) * static_cast<double>(w[j]);
            },
            sum);
        Kokkos::single(Kokkos::PerThread(team), [&] { out(m * batch.width + i) = sum; });
      });
}

template <class Stored>
void launch_sums(const Exec& exec, const RowBatch& batch, const Doubles& factors, const Matrix& f,
                 std::int64_t column) {
  const auto* const stored = reinterpret_cast<const Stored*>(batch.table.bytes.data());
  const std::int64_t features = batch.table.features;
  Real* const all = f.data() + column;
  const auto step = static_cast<std::int64_t>(f.stride(0));
  Kokkos::parallel_for(
      "parley::rows::sums", Range(exec, 0, batch.agents * features),
      KOKKOS_LAMBDA(const std::int64_t item) {
        const std::int64_t m = item / features, j = item % features, size = batch.size(m);
        double sum = 0;
        for (std::int64_t i = 0; i < size; ++i) {
          const double x = static_cast<double>(stored[batch.row(m, i) * batch.table.stride + j]);
          sum += factors(m * batch.width + i) * (batch.table.scale * x + batch.table.shift);
        }
        all[m * step + j] = static_cast<Real>(sum);
      });
}

#endif

void check(const RowBatch& batch, const Matrix& z, std::int64_t column, const Doubles& numbers) {
  ensure(rows_of(z) == batch.agents && column % lanes == 0 &&
             column + batch.table.stride <= columns_of(z) &&
             static_cast<std::int64_t>(numbers.extent(0)) >= batch.agents * batch.width,
         "rows: sizes differ");
}

}  // namespace

RowTable make_row_table(std::span<const std::byte> packed, ElementType type, std::int64_t features,
                        double scale, double shift, const std::string& label) {
  ensure(type != ElementType::i64, "rows: rows are stored as u8, f32 or f64");
  RowTable table;
  table.type = type;
  table.features = features;
  table.stride = (features + lanes - 1) / lanes * lanes;
  table.scale = scale;
  table.shift = shift;
  const auto element = static_cast<std::size_t>(size_of(type));
  const auto row = static_cast<std::size_t>(features) * element;
  const auto padded = static_cast<std::size_t>(table.stride) * element;
  const std::size_t count = packed.size() / row;
  table.bytes = decltype(table.bytes)(label, count * padded);
  const auto host = Kokkos::create_mirror_view(table.bytes);
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(host.data() + i * padded, packed.data() + i * row, row);
  }
  Kokkos::deep_copy(table.bytes, host);
  return table;
}

void pick_rows(const Exec& exec, const Philox& random, std::int64_t first_agent,
               const RowBatch& batch) {
  ensure(batch.random, "pick_rows: the batch is not a random one");
  const std::int64_t pairs = batch.pick_slots() / 2;
  std::int64_t* const out = batch.picks.data();
  const std::int64_t* const begin = batch.begin.data();
  const std::int64_t* const count = batch.count.data();
  for_each_element(
      exec, "parley::rows::pick", batch.agents, pairs,
      KOKKOS_LAMBDA(const std::int64_t m, const std::int64_t pair) {
        const Philox mine{random.seed, random.purpose, first_agent + m, random.draw};
        const Words words = mine(static_cast<std::uint64_t>(pair));
        std::int64_t* const to = out + 2 * (m * pairs + pair);
        to[0] = begin[m] + Philox::below(words.w[0], words.w[1], count[m]);
        to[1] = begin[m] + Philox::below(words.w[2], words.w[3], count[m]);
      });
}

void row_products(const Exec& exec, const RowBatch& batch, const Matrix& z, std::int64_t column,
                  const Doubles& out) {
  check(batch, z, column, out);
  if (batch.table.type == ElementType::u8) {
    launch_products<unsigned char>(exec, batch, z, column, out);
  } else if (batch.table.type == ElementType::f32) {
    launch_products<float>(exec, batch, z, column, out);
  } else {
    launch_products<double>(exec, batch, z, column, out);
  }
}

void row_sums(const Exec& exec, const RowBatch& batch, const Doubles& factors, const Matrix& f,
              std::int64_t column) {
  check(batch, f, column, factors);
  if (batch.table.type == ElementType::u8) {
    launch_sums<unsigned char>(exec, batch, factors, f, column);
  } else if (batch.table.type == ElementType::f32) {
    launch_sums<float>(exec, batch, factors, f, column);
  } else {
    launch_sums<double>(exec, batch, factors, f, column);
  }
}

}  // namespace parley
