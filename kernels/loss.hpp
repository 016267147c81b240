// SPDX-License-Identifier: BSD-3-Clause
// The losses of a GAN as functions of the critic's scores: values, and the factors with which one
// unit adjoint per sample serves both players. Must not know networks.
#pragma once

#include "kernels/types.hpp"

namespace parley {

enum class GanLoss { minimax, non_saturating, least_squares, hinge, wgan };

/// One batch of B samples: arrays of a field evaluation.
struct LossArrays {
  Matrix scores;   ///< 2B x 1 or more rows: critic's scores of B real, then B fake samples
  Vector weights;  ///< 2B or more: derivative of the critic's loss by each score
  Vector fake;     ///< B: derivative of the generator's loss by each fake score
  Doubles terms;   ///< 2B: scratch, the losses sample by sample
};

/// Fills weights[0, 2B), fake and losses = {generator's, critic's} (means over the batch).
/// Formulas: minimax and non-saturating (Goodfellow et al. 2014, eq. 1 and section 3), least
/// squares (Mao et al. 2017, eq. 9 with a = 0, b = c = 1), hinge (Lim and Ye 2017), wgan (Arjovsky
/// et al. 2017, eq. 3). The generator's minimax loss is the negative of its term in the critic's.
void evaluate_loss(const Exec& exec, GanLoss loss, std::int64_t batch, const LossArrays& arrays,
                   const Doubles& losses);

/// between(i, :) = mix[i] real(i, :) + (1 - mix[i]) fake(i, :), B x features each.
void interpolate(const Exec& exec, const Vector& mix, const Matrix& real, const Matrix& fake,
                 const Matrix& between);

/// The gradient penalty lambda mean((||g_i|| - 1)^2) (Gulrajani et al. 2017, eq. 3), g: B x
/// features. weights[i] = 2 lambda (||g_i|| - 1) / (B ||g_i||), 0 where g_i = 0; the penalty is
/// added to losses[1]. terms: B, scratch.
void evaluate_penalty(const Exec& exec, double lambda, const Matrix& g, const Vector& weights,
                      const Doubles& terms, const Doubles& losses);

/// Clips columns [begin, end) of every row to [-bound, bound] (Arjovsky et al. 2017, algorithm 1).
void clip_columns(const Exec& exec, const Matrix& z, std::int64_t begin, std::int64_t end,
                  Real bound);

}  // namespace parley
