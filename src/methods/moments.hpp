// SPDX-License-Identifier: BSD-3-Clause
// Adam's moments as methods hold them: rows and step counts that outlive a step, one direction at a
// time. Knows no method.
#pragma once

#include "core/layout.hpp"
#include "kernels/optimizer.hpp"
#include "methods/method.hpp"

namespace parley {

/// Moments of both players, who may have taken different numbers of steps. The rows and counts are
/// their method's to list as state.
class Moments {
 public:
  /// `m`, `v`: state, zero; `direction`: scratch.
  Moments(const AdamOptions& options, Matrix m, Matrix v, Matrix direction)
      : options_(options), m_(std::move(m)), v_(std::move(v)), d_(std::move(direction)) {}

  /// d = mhat / (sqrt(vhat) + eps) after one more gradient `g` of both players (Kingma & Ba, ICLR
  /// 2015, Algorithm 1); valid until the next call.
  const Matrix& direction(const Exec& exec, const Matrix& g) {
    ++count_y_;
    adam_direction(exec, step(++count_x_), {g, m_, v_, d_});
    return d_;
  }
  /// The same after one more gradient of one player, whose columns are those before `y_begin` or
  /// the others; d is 0 on the other player's.
  const Matrix& direction(const Exec& exec, const Matrix& g, Player player, std::int64_t y_begin) {
    const std::int64_t count = player == Player::x ? ++count_x_ : ++count_y_;
    adam_direction(exec, y_begin, player, step(count), {g, m_, v_, d_});
    return d_;
  }

  const Matrix& m() const { return m_; }
  const Matrix& v() const { return v_; }
  std::int64_t& count_x() { return count_x_; }
  std::int64_t& count_y() { return count_y_; }

 private:
  AdamStep step(std::int64_t count) const {
    return {options_.beta1, options_.beta2, options_.epsilon, count};
  }

  AdamOptions options_;
  Matrix m_, v_, d_;
  std::int64_t count_x_ = 0, count_y_ = 0;
};

}  // namespace parley
