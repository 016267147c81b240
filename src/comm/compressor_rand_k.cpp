// SPDX-License-Identifier: BSD-3-Clause
// rand-k: numbers at random indices, not scaled up, so that it contracts with delta = k/dim (Stich,
// Cordonnier, Jaggi, NeurIPS 2018, arXiv 1809.07599). Both ends draw the indices: none travel.
#include <optional>
#include <tuple>

#include "comm/compressor.hpp"
#include "comm/host/subset.hpp"
#include "kernels/compress.hpp"

namespace parley {

namespace {

struct RandKOptions {
  double share = 0.1;
  double step = 0.1;
};
void describe(Fields& fields, RandKOptions& o) {
  describe_share(fields, o.share,
                 "Share of a row's numbers that a message carries, drawn anew each time.");
  describe_step(fields, o.step);
}

class RandK final : public Compressor {
 public:
  RandK(std::int64_t dim, std::int64_t kept)
      : dim_(dim), kept_(kept), index_("parley::rand_k::index", static_cast<std::size_t>(kept)) {}

  void compress(const Exec& exec, const Philox& random, const Real* row, Real* message) override {
    draw(exec, random);
    take(exec, row, index_.data(), kept_, message);
    fence(exec, "parley::rand_k::compress");
  }
  void expand(const Exec& exec, const Philox& random, const Real* message, Real* row) override {
    draw(exec, random);
    spread(exec, index_.data(), message, kept_, dim_, row);
    fence(exec, "parley::rand_k::expand");
  }

 private:
  /// An agent's own row is compressed and expanded with one draw.
  void draw(const Exec& exec, const Philox& random) {
    const auto key = std::tuple(random.seed, random.purpose, random.agent, random.draw);
    if (drawn_ == key) return;
    drawn_ = key;
    const std::vector<std::int32_t> drawn = random_subset(random, dim_, kept_);
    const Kokkos::View<const std::int32_t*, Kokkos::HostSpace,
                       Kokkos::MemoryTraits<Kokkos::Unmanaged>>
        host(drawn.data(), drawn.size());
    Kokkos::deep_copy(exec, index_, host);
    fence(exec, "parley::rand_k::draw");
  }

  std::int64_t dim_, kept_;
  Kokkos::View<std::int32_t*, Memory> index_;
  std::optional<std::tuple<std::uint64_t, Purpose, std::int64_t, std::uint64_t>> drawn_;
};

}  // namespace

CompressorRow rand_k_row() {
  return {make_kind<RandKOptions>("rand-k", "Numbers at random indices, unscaled",
                                  "Stich et al. 2018, arXiv 1809.07599"),
          [](const Choice& choice, std::int64_t dim) {
            return kept_numbers(choice.as<RandKOptions>().share, dim);
          },
          [](const Choice& choice) { return choice.as<RandKOptions>().step; },
          [](const Choice& choice, std::int64_t dim) -> std::unique_ptr<Compressor> {
            return std::make_unique<RandK>(dim, kept_numbers(choice.as<RandKOptions>().share, dim));
          }};
}

}  // namespace parley
