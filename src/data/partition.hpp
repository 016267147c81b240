// SPDX-License-Identifier: BSD-3-Clause
// Splits N rows over M agents: deterministic, disjoint (but for "replicated"), nothing dropped.
// Pure functions of labels and a seed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "deck/fields.hpp"

namespace parley {

/// Every agent holds `labels_per_agent` labels.
struct LabelPartitionOptions {
  std::int64_t labels_per_agent = 2;
};
void describe(Fields& fields, LabelPartitionOptions& options);

/// The share of each label that an agent holds is Dirichlet distributed (Hsu, Qi and Brown 2019).
struct DirichletPartitionOptions {
  double alpha = 0.5;
  std::int64_t minimum = 1;
};
void describe(Fields& fields, DirichletPartitionOptions& options);

/// Of partitions that have no keys of their own.
struct PlainPartitionOptions {};
void describe(Fields& fields, PlainPartitionOptions& options);

/// rows[m]: the rows of agent m in the order in which the agent stores them.
using Partition = std::vector<std::vector<std::int64_t>>;

/// Rows of an agent ascend. iid: a shuffle cut into sizes that differ by at most 1. contiguous: the
/// order of the file cut likewise. label: each agent holds exactly `labels_per_agent` labels (at
/// most that many where a label has fewer rows than holders), and the rows of a label are split
/// evenly over its holders. dirichlet: draws until every agent has `minimum` rows, 1000 times at
/// most. replicated: every agent holds all rows. `labels` may be empty for kinds that do not need
/// them; UserError (text begins with `where`) when they do, when agents > rows, or when the minimum
/// size cannot be met in the bounded search.
Partition make_partition(const Choice& kind, std::span<const std::int64_t> labels,
                         std::int64_t rows, std::int64_t agents, std::uint64_t seed,
                         const std::string& where);

}  // namespace parley
