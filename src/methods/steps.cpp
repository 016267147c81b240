// SPDX-License-Identifier: BSD-3-Clause
// The shared keys of the methods, and the schedules.
#include "methods/steps.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace parley {

namespace {

constexpr std::string_view schedules[] = {"constant", "inverse-sqrt", "cosine", "piecewise"};
constexpr std::string_view schedules_y[] = {"same", "constant", "inverse-sqrt", "cosine",
                                            "piecewise"};
constexpr std::string_view averages[] = {"none", "uniform", "linear", "random"};
constexpr std::string_view rules[] = {"given", "1/L", "1/(2L)", "1/(4L)", "1/(8L)", "mu/L^2"};

void describe_piecewise(Fields& f, StepSizes& o) {
  f.key("at", o.at,
        {.sentence = "Iterations after which the factor changes, ascending.", .min = 1});
  f.key("factors", o.factors, {.sentence = "Factor of the sizes after each of them.", .min = 0});
  if (o.at.size() != o.factors.size() || o.at.empty()) {
    f.mistake("factors", "needs one factor per entry of at, and at least one");
  }
  if (std::adjacent_find(o.at.begin(), o.at.end(), std::greater_equal<>()) != o.at.end()) {
    f.mistake("at", "must ascend");
  }
}

void describe(Fields& f, StepSizes& o) {
  f.one_of("rule", o.rule, rules,
           {.sentence = "given: the sizes x and y; else both from the game's Lipschitz constant L "
                        "(the agents' largest where their fields differ) and strong monotonicity "
                        "mu, where it knows them."});
  f.only_when(o.rule == "given", "rule = \"given\"", [&o](Fields& inner) {
    inner.key("x", o.x, {.sentence = "Step size of x (a GAN's generator).", .min = 0});
    inner.key("y", o.y, {.sentence = "Step size of y (a GAN's discriminator).", .min = 0});
  });
  f.one_of("schedule", o.schedule, schedules,
           {.sentence = "Factor of the sizes over iterations k: 1, sqrt(d/(d+k-1)), half a cosine "
                        "down to final_factor, or steps."});
  f.one_of("schedule_y", o.schedule_y, schedules_y,
           {.sentence = "The same for y alone; same: as schedule."});
  const auto uses = [&o](std::string_view name) {
    return o.schedule == name || o.schedule_y == name;
  };
  f.only_when(uses("inverse-sqrt"), "a schedule is inverse-sqrt", [&o](Fields& inner) {
    inner.key("delay", o.delay, {.sentence = "d of inverse-sqrt.", .min = 0, .min_excluded = true});
  });
  f.only_when(uses("cosine"), "a schedule is cosine", [&o](Fields& inner) {
    inner.key("horizon", o.horizon,
              {.sentence = "Iterations of the cosine; absent: run.iterations.", .min = 1});
    inner.key("final_factor", o.final_factor,
              {.sentence = "Factor at the end of the cosine.", .min = 0, .max = 1});
  });
  f.only_when(uses("piecewise"), "a schedule is piecewise",
              [&o](Fields& inner) { describe_piecewise(inner, o); });
}

void describe(Fields& f, ClipOptions& o) {
  f.key("x", o.x, {.sentence = "Largest norm of x's part of an agent's field; 0: any.", .min = 0});
  f.key("y", o.y, {.sentence = "Largest norm of y's part of an agent's field; 0: any.", .min = 0});
}

void describe_shared(Fields& fields, StepOptions& o) {
  fields.table("step", {.sentence = "Step sizes of the two players."},
               [&o](Fields& f) { describe(f, o.step); });
  fields.key(
      "batch", o.batch,
      {.sentence = "Samples per agent and oracle call; 0: the agent's full data.", .min = 0});
  fields.key("ema", o.ema,
             {.sentence = "Decay of the exponential moving average of the iterates, per iteration; "
                          "0: none is kept.",
              .min = 0,
              .max = 1,
              .max_excluded = true});
  fields.one_of("iterate_average", o.iterate_average, averages,
                {.sentence = "Average over iterations k that is kept beside the iterates (the half "
                             "points of extra-step methods): weights 1, or k, or one iterate drawn "
                             "uniformly."});
  if (o.ema > 0 && o.iterate_average != "none") {
    fields.mistake("iterate_average", "ema is set as well: keep one of them");
  }
  fields.table("clip", {.sentence = "Clipping of the fields by their norm, player by player."},
               [&o](Fields& f) { describe(f, o.clip); });
}

}  // namespace

void describe(Fields& fields, StepOptions& o) {
  fields.group("the keys of every method", [&o](Fields& f) { describe_shared(f, o); });
}

double Schedule::factor(const std::string& schedule, std::int64_t k) const {
  const auto step = static_cast<double>(k);
  if (schedule == "inverse-sqrt") return std::sqrt(sizes_.delay / (sizes_.delay + step - 1));
  if (schedule == "cosine") {
    const auto horizon =
        static_cast<double>(std::max<std::int64_t>(sizes_.horizon.value_or(run_), 1));
    const double done = std::min(1.0, (step - 1) / horizon);
    return sizes_.final_factor +
           (1 - sizes_.final_factor) * (1 + std::cos(std::numbers::pi * done)) / 2;
  }
  if (schedule == "piecewise") {
    const auto next = std::lower_bound(sizes_.at.begin(), sizes_.at.end(), k);
    return next == sizes_.at.begin()
               ? 1.0
               : sizes_.factors[static_cast<std::size_t>(next - sizes_.at.begin() - 1)];
  }
  return 1;
}

Pair Schedule::at(std::int64_t k) const {
  const std::string& y = sizes_.schedule_y == "same" ? sizes_.schedule : sizes_.schedule_y;
  return {sizes_.x * factor(sizes_.schedule, k), sizes_.y * factor(y, k)};
}

}  // namespace parley
