// SPDX-License-Identifier: BSD-3-Clause
// identity: Q(x) = x, by which difference compression is compared with plain mixing.
#include "comm/compressor.hpp"

namespace parley {

namespace {

using Unmanaged = Kokkos::View<Real*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using ConstUnmanaged = Kokkos::View<const Real*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

struct IdentityOptions {
  double step = 1;
};
void describe(Fields& fields, IdentityOptions& o) {
  describe_step(fields, o.step);
}

class Identity final : public Compressor {
 public:
  explicit Identity(std::int64_t dim) : dim_(static_cast<std::size_t>(dim)) {}

  void compress(const Exec& exec, const Philox&, const Real* row, Real* message) override {
    Kokkos::deep_copy(exec, Unmanaged(message, dim_), ConstUnmanaged(row, dim_));
  }
  void expand(const Exec& exec, const Philox& random, const Real* message, Real* row) override {
    compress(exec, random, message, row);
  }

 private:
  std::size_t dim_;
};

}  // namespace

CompressorRow identity_row() {
  return {make_kind<IdentityOptions>("identity", "Differences as they are",
                                     "plain mixing when step = 1"),
          [](const Choice&, std::int64_t dim) { return dim; },
          [](const Choice& choice) { return choice.as<IdentityOptions>().step; },
          [](const Choice&, std::int64_t dim) -> std::unique_ptr<Compressor> {
            return std::make_unique<Identity>(dim);
          }};
}

}  // namespace parley
