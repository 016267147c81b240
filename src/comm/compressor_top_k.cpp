// SPDX-License-Identifier: BSD-3-Clause
// top-k: the numbers of largest magnitude and their indices (Stich, Cordonnier, Jaggi, NeurIPS
// 2018, arXiv 1809.07599); delta = k/dim.
#include "comm/compressor.hpp"
#include "kernels/compress.hpp"

namespace parley {

namespace {

struct TopKOptions {
  double share = 0.1;
  double step = 0.2;
};
void describe(Fields& fields, TopKOptions& o) {
  describe_share(fields, o.share,
                 "Share of a row's numbers that a message carries, with an index each.");
  describe_step(fields, o.step);
}

/// Message: k numbers, then k indices of 32 bits.
class TopK final : public Compressor {
 public:
  TopK(std::int64_t dim, std::int64_t kept) : dim_(dim), kept_(kept), memory_(dim) {}

  void compress(const Exec& exec, const Philox&, const Real* row, Real* message) override {
    take_largest(exec, memory_, row, dim_, kept_, reinterpret_cast<std::int32_t*>(message + kept_),
                 message);
  }
  void expand(const Exec& exec, const Philox&, const Real* message, Real* row) override {
    const auto* const index = reinterpret_cast<const std::int32_t*>(message + kept_);
    spread(exec, index, message, kept_, dim_, row);
  }

 private:
  std::int64_t dim_, kept_;
  Selection memory_;
};

std::int64_t numbers(const Choice& choice, std::int64_t dim) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(Real));
  const std::int64_t kept = kept_numbers(choice.as<TopKOptions>().share, dim);
  return kept + (4 * kept + size - 1) / size;
}

}  // namespace

CompressorRow top_k_row() {
  return {make_kind<TopKOptions>("top-k", "The numbers of largest magnitude, ties by index",
                                 "Stich et al. 2018, arXiv 1809.07599"),
          numbers, [](const Choice& choice) { return choice.as<TopKOptions>().step; },
          [](const Choice& choice, std::int64_t dim) -> std::unique_ptr<Compressor> {
            return std::make_unique<TopK>(dim, kept_numbers(choice.as<TopKOptions>().share, dim));
          }};
}

}  // namespace parley
