// SPDX-License-Identifier: BSD-3-Clause
// Mixing kernels. Each is a Body that can do a whole chunk (on the host, where the loop vectorizes)
// or one element (on a GPU, where a team takes a chunk); both form every sum in the same order.
#include "kernels/mix.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace parley {

namespace {

// 8 kB to 16 kB per row: the chunks of a dozen rows stay in the second-level cache, so that rows
// which several agents read come from memory once.
constexpr std::int64_t chunk_size = 2048;

// Terms that one loop sums; longer sums go through `out`, which does not change their order.
constexpr int most_terms = 5;

using TeamPolicy = Kokkos::TeamPolicy<Exec>;
using Team = TeamPolicy::member_type;

// Lanes of the finiteness flags as wide as the numbers, or the loop would not vectorize.
using Flag = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;

enum class Pass { whole, first, middle, last };

template <int terms, Pass pass>
void sum_terms(const Chunk& chunk, const MixRow& row, const MixTerm* term, Real* __restrict out) {
  const Real* __restrict self = row.self.at(chunk);
  const Real total = row.total;
  const Real* x[terms];
  Real w[terms];
  for (int n = 0; n < terms; ++n) {
    x[n] = term[n].row.at(chunk);
    w[n] = term[n].weight;
  }
#pragma GCC ivdep
  for (std::int64_t i = 0; i < chunk.size; ++i) {
    Real sum = 0;
    if constexpr (pass == Pass::middle || pass == Pass::last) sum = out[i];
    for (int n = 0; n < terms; ++n) sum += w[n] * (x[n][i] - self[i]);
    if constexpr (pass == Pass::whole || pass == Pass::last) sum += total * self[i];
    out[i] = sum;
  }
}

/// The loop for 1 to most_terms terms.
template <Pass pass>
void sum_some(std::int64_t terms, const Chunk& chunk, const MixRow& row, const MixTerm* term,
              Real* out) {
  switch (terms) {
    case 1:
      return sum_terms<1, pass>(chunk, row, term, out);
    case 2:
      return sum_terms<2, pass>(chunk, row, term, out);
    case 3:
      return sum_terms<3, pass>(chunk, row, term, out);
    case 4:
      return sum_terms<4, pass>(chunk, row, term, out);
    default:
      return sum_terms<most_terms, pass>(chunk, row, term, out);
  }
}

/// out = previous + factor (out - previous), while the chunk is in the cache.
void extrapolate(const Chunk& chunk, const MixRow& row, Real* __restrict out) {
  const Real* __restrict previous = row.previous + chunk.column;
  const Real factor = row.factor;
  for (std::int64_t i = 0; i < chunk.size; ++i) {
    out[i] = previous[i] + factor * (out[i] - previous[i]);
  }
}

void mix_chunk_of_row(const Chunk& chunk, const MixRow& row, const MixTerm* terms) {
  Real* out = row.out + chunk.column;
  const MixTerm* term = terms + row.first_term;
  std::int64_t left = row.last_term - row.first_term;
  if (left == 0) {
    const Real* self = row.self.at(chunk);
    for (std::int64_t i = 0; i < chunk.size; ++i) out[i] = row.total * self[i];
  } else if (left <= most_terms) {
    sum_some<Pass::whole>(left, chunk, row, term, out);
  } else {
    sum_terms<most_terms, Pass::first>(chunk, row, term, out);
    for (left -= most_terms, term += most_terms; left > most_terms;
         left -= most_terms, term += most_terms) {
      sum_terms<most_terms, Pass::middle>(chunk, row, term, out);
    }
    sum_some<Pass::last>(left, chunk, row, term, out);
  }
  if (row.previous != nullptr) extrapolate(chunk, row, out);
  std::fill_n(out + chunk.size, chunk.padding, Real(0));
}

/// out = weighted sums; see mix_rows.
struct MixBody {
  MixRows all_rows;
  MixTerms terms;

  void chunk(const Chunk& chunk) const {
    for (std::size_t r = 0; r < all_rows.extent(0); ++r) {
      mix_chunk_of_row(chunk, all_rows(r), terms.data());
    }
  }
  KOKKOS_INLINE_FUNCTION std::int64_t rows() const {
    return static_cast<std::int64_t>(all_rows.extent(0));
  }
  KOKKOS_INLINE_FUNCTION void element(const Chunk& chunk, std::int64_t r, std::int64_t i) const {
    const MixRow row = all_rows(r);
    if (i >= chunk.size) {
      row.out[chunk.column + i] = 0;
      return;
    }
    const Real self = row.self.at(chunk)[i];
    Real sum = 0;
    for (std::int64_t n = row.first_term; n < row.last_term; ++n) {
      sum += terms(n).weight * (terms(n).row.at(chunk)[i] - self);
    }
    sum += row.total * self;
    if (row.previous != nullptr) {
      const Real previous = row.previous[chunk.column + i];
      sum = previous + row.factor * (sum - previous);
    }
    row.out[chunk.column + i] = sum;
  }
};

/// The mean of rows in double; see mean_rows.
struct MeanBody {
  Kokkos::View<RowView*, Memory> all_rows;
  Real* out;
  std::int64_t origin;

  void chunk(const Chunk& chunk) const {
    double sum[chunk_size] = {};
    const std::size_t count = all_rows.extent(0);
    const Real* first = all_rows(0).at(chunk);
    for (std::size_t n = 1; n < count; ++n) {
      const Real* row = all_rows(n).at(chunk);
      for (std::int64_t i = 0; i < chunk.size; ++i) {
        sum[i] += static_cast<double>(row[i]) - static_cast<double>(first[i]);
      }
    }
    Real* to = out + chunk.packed - origin;
    for (std::int64_t i = 0; i < chunk.size; ++i) {
      to[i] =
          static_cast<Real>(static_cast<double>(first[i]) + sum[i] / static_cast<double>(count));
    }
  }
  KOKKOS_INLINE_FUNCTION std::int64_t rows() const { return 1; }
  KOKKOS_INLINE_FUNCTION void element(const Chunk& chunk, std::int64_t, std::int64_t i) const {
    if (i >= chunk.size) return;
    const double first = static_cast<double>(all_rows(0).at(chunk)[i]);
    double sum = 0;
    for (std::size_t n = 1; n < all_rows.extent(0); ++n) {
      sum += static_cast<double>(all_rows(n).at(chunk)[i]) - first;
    }
    const double count = static_cast<double>(all_rows.extent(0));
    out[chunk.packed - origin + i] = static_cast<Real>(first + sum / count);
  }
};

/// Packed numbers back to a row in memory.
struct UnpackBody {
  const Real* packed;
  std::int64_t origin;
  Real* row;

  void chunk(const Chunk& chunk) const {
    Real* end = std::copy_n(packed + chunk.packed - origin, chunk.size, row + chunk.column);
    std::fill_n(end, chunk.padding, Real(0));
  }
  KOKKOS_INLINE_FUNCTION std::int64_t rows() const { return 1; }
  KOKKOS_INLINE_FUNCTION void element(const Chunk& chunk, std::int64_t, std::int64_t i) const {
    row[chunk.column + i] = i < chunk.size ? packed[chunk.packed - origin + i] : Real(0);
  }
};

/// x - x is zero for finite x alone.
KOKKOS_INLINE_FUNCTION Flag is_bad(Real x) {
  return (x - x) != Real(0) ? 1 : 0;
}

/// Copies to a packed row and finds what is not finite.
struct PackBody {
  const Real* row;
  Real* packed;
  std::int64_t origin;

  std::int64_t chunk(const Chunk& chunk) const {
    const Real* __restrict from = row + chunk.column;
    Real* __restrict to = packed + chunk.packed - origin;
    Flag bad = 0;
    for (std::int64_t i = 0; i < chunk.size; ++i) {
      const Real x = from[i];
      to[i] = x;
      bad |= is_bad(x);
    }
    return bad;
  }
  KOKKOS_INLINE_FUNCTION std::int64_t element(const Chunk& chunk, std::int64_t i) const {
    const Real x = row[chunk.column + i];
    packed[chunk.packed - origin + i] = x;
    return is_bad(x);
  }
};

/// Finds what is not finite.
struct CheckBody {
  const Real* row;

  std::int64_t chunk(const Chunk& chunk) const {
    const Real* from = row + chunk.column;
    Flag bad = 0;
    for (std::int64_t i = 0; i < chunk.size; ++i) bad |= is_bad(from[i]);
    return bad;
  }
  KOKKOS_INLINE_FUNCTION std::int64_t element(const Chunk& chunk, std::int64_t i) const {
    return is_bad(row[chunk.column + i]);
  }
};

template <class Body>
struct HostWrite {
  Body body;
  Chunks chunks;
  void operator()(std::int64_t c) const { body.chunk(chunks(c)); }
};

template <class Body>
struct TeamWrite {
  Body body;
  Chunks chunks;
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const Chunk chunk = chunks(team.league_rank() / body.rows());
    const std::int64_t row = team.league_rank() % body.rows();
    Kokkos::parallel_for(
        Kokkos::TeamThreadRange(team, static_cast<int>(chunk.size + chunk.padding)),
        [&](int i) { body.element(chunk, row, i); });
  }
};

template <class Body>
struct HostCount {
  Body body;
  Chunks chunks;
  void operator()(std::int64_t c, std::int64_t& sum) const { sum += body.chunk(chunks(c)); }
};

template <class Body>
struct TeamCount {
  Body body;
  Chunks chunks;
  KOKKOS_FUNCTION void operator()(const Team& team, std::int64_t& sum) const {
    const Chunk chunk = chunks(team.league_rank());
    std::int64_t here = 0;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, static_cast<int>(chunk.size)),
        [&](int i, std::int64_t& part) { part += body.element(chunk, i); }, here);
    Kokkos::single(Kokkos::PerTeam(team), [&]() { sum += here; });
  }
};

template <class Body>
void write(const Exec& exec, const char* label, const Chunks& chunks, const Body& body) {
  const auto count = static_cast<std::int64_t>(chunks.extent(0));
  if (count == 0) return;
  if constexpr (on_host) {
    Kokkos::parallel_for(label, Range(exec, 0, count), HostWrite<Body>{body, chunks});
  } else {
    Kokkos::parallel_for(label,
                         TeamPolicy(exec, static_cast<int>(count * body.rows()), Kokkos::AUTO),
                         TeamWrite<Body>{body, chunks});
  }
}

template <class Body>
bool write_and_check(const Exec& exec, const char* label, const Chunks& chunks, const Body& body) {
  const auto count = static_cast<std::int64_t>(chunks.extent(0));
  std::int64_t bad = 0;
  if (count == 0) return true;
  if constexpr (on_host) {
    Kokkos::parallel_reduce(label, Range(exec, 0, count), HostCount<Body>{body, chunks}, bad);
  } else {
    Kokkos::parallel_reduce(label, TeamPolicy(exec, static_cast<int>(count), Kokkos::AUTO),
                            TeamCount<Body>{body, chunks}, bad);
  }
  return bad == 0;
}

/// Cuts runs that are too long for one chunk.
std::vector<Chunk> cut(const std::vector<Chunk>& runs) {
  std::vector<Chunk> out;
  for (const Chunk& run : runs) {
    for (std::int64_t done = 0; done < run.size; done += chunk_size) {
      const std::int64_t size = std::min(chunk_size, run.size - done);
      const bool is_last = done + size == run.size;
      out.push_back({run.column + done, run.packed + done, size, is_last ? run.padding : 0});
    }
  }
  return out;
}

}  // namespace

Chunks make_chunks(const Layout& layout, std::int64_t packed_begin, std::int64_t packed_end) {
  std::vector<Chunk> runs;
  for (const Block& block : layout.blocks()) {
    const std::int64_t begin = std::max(packed_begin, block.packed);
    const std::int64_t end = std::min(packed_end, block.packed + block.size);
    if (begin >= end) continue;
    const std::int64_t column = block.column + (begin - block.packed);
    const std::int64_t a = layout.alignment();
    const bool ends_block = end == block.packed + block.size;
    const std::int64_t padding = ends_block ? (block.size + a - 1) / a * a - block.size : 0;
    if (!runs.empty() && runs.back().padding == 0 &&
        runs.back().column + runs.back().size == column) {
      runs.back().size += end - begin;
      runs.back().padding = padding;
    } else {
      runs.push_back({column, begin, end - begin, padding});
    }
  }
  const std::vector<Chunk> pieces = cut(runs);
  Chunks chunks("parley::constant::mix::chunks", pieces.size());
  const auto host = Kokkos::create_mirror_view(chunks);
  std::copy(pieces.begin(), pieces.end(), host.data());
  Kokkos::deep_copy(chunks, host);
  return chunks;
}

void mix_rows(const Exec& exec, const Chunks& chunks, const MixRows& rows, const MixTerms& terms) {
  if (rows.extent(0) == 0) return;
  write(exec, "parley::mix::mix_rows", chunks, MixBody{rows, terms});
}

void mean_rows(const Exec& exec, const Chunks& chunks, const Kokkos::View<RowView*, Memory>& rows,
               Real* out, std::int64_t origin) {
  write(exec, "parley::mix::mean_rows", chunks, MeanBody{rows, out, origin});
}

bool pack_row(const Exec& exec, const Chunks& chunks, const Real* row, Real* out,
              std::int64_t origin) {
  return write_and_check(exec, "parley::mix::pack_row", chunks, PackBody{row, out, origin});
}

bool all_finite(const Exec& exec, const Chunks& chunks, const Real* row) {
  return write_and_check(exec, "parley::mix::all_finite", chunks, CheckBody{row});
}

void unpack_row(const Exec& exec, const Chunks& chunks, const Real* packed, std::int64_t origin,
                Real* row) {
  write(exec, "parley::mix::unpack_row", chunks, UnpackBody{packed, origin, row});
}

}  // namespace parley
