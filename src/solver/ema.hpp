// SPDX-License-Identifier: BSD-3-Clause
// The exponential moving average of every agent's iterates: e_0 = z_0, e_k = decay e_{k-1} +
// (1 - decay) z_k.
#pragma once

#include "core/layout.hpp"
#include "kernels/vector.hpp"
#include "solver/rows.hpp"

namespace parley {

class Ema {
 public:
  /// decay = 0: keeps nothing.
  Ema(double decay, std::int64_t agents, const Layout& layout) : decay_(decay), layout_(layout) {
    if (on()) rows_ = make_matrix("parley::ema::rows", agents, layout.width());
  }

  bool on() const { return decay_ > 0; }
  const Matrix& rows() const { return rows_; }

  void start(const Exec& exec, const Matrix& z) const {
    if (on()) copy(exec, z, rows_);
  }
  void update(const Exec& exec, const Matrix& z) const {
    if (!on()) return;
    combine(exec, 0, {{decay_ * one, rows_}, {(1 - decay_) * one, z}}, rows_);
  }
  StateList state() const {
    StateList list;
    if (on()) list_rows(list, "rows", rows_, layout_);
    return list;
  }

 private:
  double decay_;
  const Layout& layout_;
  Matrix rows_;
};

}  // namespace parley
