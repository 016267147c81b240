// SPDX-License-Identifier: BSD-3-Clause
// The mean over all agents, known to every rank: for centralized methods and for records. Must not
// know how messages travel.
#pragma once

#include <cstdint>

#include "comm/channel.hpp"
#include "kernels/types.hpp"

namespace parley {

/// A channel whose mix is J: every row becomes the mean over agents. All ranks take part in every
/// mix, with agents or without.
class MeanChannel : public Channel {
 public:
  /// Finishes mix k without writing rows; the mean of layout.width() columns (padding zero), valid
  /// until the next begin. Not finite where a row was not.
  virtual const Vector& finish(std::int64_t k) = 0;

  /// begin and finish: the mean of the rows `in`, for a record.
  const Vector& mean_of(std::int64_t k, const Matrix& in) {
    begin(k, in, 0);
    return finish(k);
  }
};

}  // namespace parley
