// SPDX-License-Identifier: BSD-3-Clause
// The local agents' data on the device, in the type in which they are stored, and batches of them
// as Real. What a game sees of [data]. No MPI, no files.
#pragma once

#include <cstdint>
#include <vector>

#include "core/agents.hpp"
#include "core/sample.hpp"
#include "data/dataset.hpp"
#include "kernels/gather.hpp"
#include "kernels/types.hpp"

namespace parley {

class Features {
 public:
  /// Uploads the rows of the local agents and converts the held-out rows. Keeps no reference.
  Features(const DataSet& data, const Agents& agents);

  /// Numbers per sample.
  std::int64_t features() const { return features_; }
  /// Rows that a local agent holds.
  std::int64_t rows(std::int64_t local_agent) const;
  /// Rows of the batch of a sample: sample.batch, or all rows of the agent when that is 0.
  std::int64_t batch_rows(std::int64_t local_agent, const Sample& sample) const;

  /// Fills the first features() columns of `out` (batch_rows x at least features(), any row stride)
  /// with the batch of one local agent: rows drawn with replacement, uniform over the agent's rows,
  /// from Philox(seed, batch or record_batch, agent, draw); all rows in order when sample.batch =
  /// 0. Asynchronous on `exec`.
  void gather(const Exec& exec, std::int64_t local_agent, const Sample& sample,
              const Matrix& out) const;

  /// The labels of the rows that gather() gives: batch_rows numbers at `out`. Only for data with
  /// labels. Asynchronous on `exec`.
  void gather_labels(const Exec& exec, std::int64_t local_agent, const Sample& sample,
                     const Indices& out) const;

  /// The held-out rows as the game sees them: test rows x features(); no rows without a test set.
  const Matrix& test() const { return test_; }
  /// Their labels; empty for data without.
  const Indices& test_labels() const { return test_labels_; }

 private:
  RowRange range_of(std::int64_t local_agent) const;
  Philox picks_of(std::int64_t local_agent, const Sample& sample) const;

  std::int64_t features_;
  std::int64_t first_agent_;
  std::vector<std::int64_t> begin_, count_;
  StoredRows stored_;
  Matrix test_;
  Indices labels_, test_labels_;
};

}  // namespace parley
