// SPDX-License-Identifier: BSD-3-Clause
// extra-adam and past-extra-adam: Adam with extrapolation, from a fresh field or from the past one
// (Gidel et al., ICLR 2019, arXiv 1802.10551); serial on one agent, by the mean of the agents'
// fields on several. Moments and step count advance in both half steps.
//   half = P(u - eta d(g));  g' = F(half; fresh);  u = P(u - eta d(g'))
//   extra: g = F(u; fresh);  past: g = g' of the iteration before, F(u_0) in the first
#include "methods/moments.hpp"
#include "methods/replicas.hpp"

namespace parley {

namespace {

class ExtraAdam : public ReplicaMethod {
 public:
  ExtraAdam(const MethodContext& context, const AdamMethodOptions& options, bool past)
      : ReplicaMethod(context, options.common),
        past_(past),
        g_(past ? state_rows("g") : scratch_rows("g")),
        half_(scratch_rows("half")),
        moments_(options.adam, state_rows("m"), state_rows("v"), scratch_rows("d")) {
    state_scalar("adam_count_x", moments_.count_x());
    state_scalar("adam_count_y", moments_.count_y());
  }

  const Matrix& to_average() const override { return half_; }

 protected:
  void begin() override {
    ReplicaMethod::begin();
    if (past_) mean_field(z_, g_);
  }

  void update(std::int64_t) override {
    if (!past_) mean_field(z_, g_);
    move(half_, {{one, z_}, {-1 * eta_, moments_.direction(context_.exec, g_)}});
    prox(half_);
    mean_field(half_, g_);
    move(z_, {{one, z_}, {-1 * eta_, moments_.direction(context_.exec, g_)}});
    prox(z_);
  }

 private:
  bool past_;
  Matrix g_, half_;
  Moments moments_;
};

template <bool past>
MethodRow row_of(std::string_view name, std::string_view summary) {
  return {make_kind<AdamMethodOptions>(name, summary, "Gidel et al., ICLR 2019, arXiv 1802.10551"),
          [](const Choice& choice) {
            const double calls = past ? 1 : 2;
            return MethodPlan{.oracle_calls = calls,
                              .mean_vectors = calls,
                              .state_rows = 7,
                              .steps = choice.as<AdamMethodOptions>().common};
          },
          [](const MethodContext& context) -> std::unique_ptr<Method> {
            return std::make_unique<ExtraAdam>(context, context.choice.as<AdamMethodOptions>(),
                                               past);
          }};
}

}  // namespace

MethodRow extra_adam_row() {
  return row_of<false>("extra-adam", "Adam with extrapolation, serial or centralized");
}

MethodRow past_extra_adam_row() {
  return row_of<true>("past-extra-adam", "Adam with extrapolation from the past field");
}

}  // namespace parley
