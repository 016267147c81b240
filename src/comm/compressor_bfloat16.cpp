// SPDX-License-Identifier: BSD-3-Clause
// bf16: every number rounded to 16 bits, 8 of them significant; 1 - delta = 2^-16.
#include "comm/compressor.hpp"
#include "kernels/compress.hpp"

namespace parley {

namespace {

struct Bfloat16Options {
  double step = 1;
};
void describe(Fields& fields, Bfloat16Options& o) {
  describe_step(fields, o.step);
}

class Bfloat16 final : public Compressor {
 public:
  explicit Bfloat16(std::int64_t dim) : dim_(dim) {}

  void compress(const Exec& exec, const Philox&, const Real* row, Real* message) override {
    to_bfloat16(exec, row, dim_, reinterpret_cast<std::uint16_t*>(message));
  }
  void expand(const Exec& exec, const Philox&, const Real* message, Real* row) override {
    from_bfloat16(exec, reinterpret_cast<const std::uint16_t*>(message), dim_, row);
  }

 private:
  std::int64_t dim_;
};

}  // namespace

CompressorRow bfloat16_row() {
  return {make_kind<Bfloat16Options>("bf16", "Every number as a bfloat16, to nearest even",
                                     "Wang and Kanwar 2019 (the format)"),
          [](const Choice&, std::int64_t dim) {
            constexpr auto size = static_cast<std::int64_t>(sizeof(Real));
            return (2 * dim + size - 1) / size;
          },
          [](const Choice& choice) { return choice.as<Bfloat16Options>().step; },
          [](const Choice&, std::int64_t dim) -> std::unique_ptr<Compressor> {
            return std::make_unique<Bfloat16>(dim);
          }};
}

}  // namespace parley
