// SPDX-License-Identifier: BSD-3-Clause
// When local methods average, and LocalMethod.
#include "methods/local.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

namespace parley {

void describe_moments(Fields& fields, AveragingOptions& o) {
  fields.key("moments", o.moments,
             {.sentence = "Iterations after which the agents average, ascending; none given: every "
                          "local_steps iterations.",
              .min = 1});
  if (std::adjacent_find(o.moments.begin(), o.moments.end(), std::greater_equal<>()) !=
      o.moments.end()) {
    fields.mistake("moments", "must ascend");
  }
  fields.only_when(o.moments.empty(), "no moments are given", [&o](Fields& inner) {
    inner.key("local_steps", o.local_steps,
              {.sentence = "H: iterations from one averaging to the next.", .min = 1});
  });
}

void describe(Fields& fields, AveragingOptions& o) {
  static constexpr std::string_view averages[] = {"none", "mean", "gossip"};
  fields.one_of("average", o.average, averages,
                {.sentence = "none: agents never meet; mean: all agents take the mean; gossip: one "
                             "mix W^t instead."});
  fields.only_when(o.average != "none", "the agents average",
                   [&o](Fields& inner) { describe_moments(inner, o); });
}

void add_averaging(MethodPlan& plan, const AveragingOptions& o, double vectors) {
  const double share = o.moments.empty() ? 1.0 / static_cast<double>(o.local_steps)
                                         : static_cast<double>(o.moments.size()) /
                                               static_cast<double>(o.moments.back());
  if (o.average == "gossip") plan.gossip_vectors += vectors * share;
  if (o.average == "mean") plan.mean_vectors += vectors * share;
}

std::int64_t averaging_after(const AveragingOptions& o, std::int64_t k) {
  if (o.average == "none") return 0;
  if (o.moments.empty()) return k % o.local_steps == 0 ? k / o.local_steps : 0;
  const auto found = std::lower_bound(o.moments.begin(), o.moments.end(), k);
  const bool now = found != o.moments.end() && *found == k;
  return now ? found - o.moments.begin() + 1 : 0;
}

LocalMethod::LocalMethod(const MethodContext& context, const StepOptions& steps,
                         const AveragingOptions& averaging)
    : MethodBase(context, steps),
      z_(state_rows("z")),
      averaging_(averaging),
      mixed_(scratch_rows("mixed")) {
  if (averaging.average == "mean") channel_ = &open_mean("z");
  if (averaging.average == "gossip") channel_ = &open_iterates("z");
}

void LocalMethod::update(std::int64_t k) {
  local_step(k);
  const std::int64_t n = averaging_after(averaging_, k);
  if (n > 0) average(*channel_, n, z_);
  prox(z_);
  if (n > 0) averaged(n);
}

bool LocalMethod::begins_round(std::int64_t k) const {
  return k == 1 || averaging_after(averaging_, k - 1) > 0;
}

void LocalMethod::average(Channel& channel, std::int64_t n, const Matrix& rows) {
  channel.mix(n, rows, mixed_);
  copy(mixed_, rows);
}

}  // namespace parley
