// SPDX-License-Identifier: BSD-3-Clause
// The rules that a deck can name. A new one adds its declaration and its row.
#include "comm/compressor.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/check.hpp"

namespace parley {

CompressorRow identity_row();
CompressorRow top_k_row();
CompressorRow rand_k_row();
CompressorRow bfloat16_row();

namespace {

struct NoOptions {};
void describe(Fields&, NoOptions&) {}

CompressorRow none_row() {
  return {make_kind<NoOptions>("none", "Messages carry rows as they are: plain mixing", "W^t"),
          [](const Choice&, std::int64_t dim) { return dim; }, [](const Choice&) { return 1.0; },
          [](const Choice&, std::int64_t) { return std::unique_ptr<Compressor>(); }};
}

}  // namespace

std::span<const CompressorRow> compressor_registry() {
  static const std::array rows{none_row(), identity_row(), top_k_row(), rand_k_row(),
                               bfloat16_row()};
  return rows;
}

const CompressorRow& find_compressor(std::string_view name) {
  const auto rows = compressor_registry();
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const auto& row) { return row.kind.name == name; });
  ensure(found != rows.end(), "find_compressor: the deck reader lets only registered ones through");
  return *found;
}

void describe_share(Fields& fields, double& share, std::string_view sentence) {
  fields.key("share", share, {.sentence = sentence, .min = 0, .max = 1, .min_excluded = true});
}

void describe_step(Fields& fields, double& step) {
  fields.key("step", step,
             {.sentence = "g_c, the step towards the neighbours; it shrinks with what messages "
                          "keep: a mix that diverges wants a smaller one.",
              .min = 0,
              .max = 1,
              .min_excluded = true});
}

std::int64_t kept_numbers(double share, std::int64_t dim) {
  return std::clamp<std::int64_t>(std::llround(share * static_cast<double>(dim)), 1, dim);
}

}  // namespace parley
