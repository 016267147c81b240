// SPDX-License-Identifier: BSD-3-Clause
// The data of one rank: source and partition put together.
#include "data/dataset.hpp"

#include "core/check.hpp"
#include "data/partition.hpp"
#include "data/source.hpp"

namespace parley {

namespace {

/// The rows to read: those of the local agents back to back, or once when all agents hold all rows.
/// Fills data.begin.
std::vector<std::int64_t> place_rows(const Partition& partition, const Agents& agents,
                                     DataSet& data) {
  const bool shared = partition.size() > 1 &&
                      partition[0].size() == static_cast<std::size_t>(data.shape.train_rows);
  std::vector<std::int64_t> wanted;
  for (std::int64_t m = 0; m < agents.count(); ++m) {
    const auto& rows = partition[static_cast<std::size_t>(agents.first() + m)];
    data.begin.push_back(shared ? 0 : static_cast<std::int64_t>(wanted.size()));
    if (!shared || m == 0) wanted.insert(wanted.end(), rows.begin(), rows.end());
  }
  return wanted;
}

}  // namespace

DataShape inspect_data(const Deck& deck) {
  return open_source(deck)->shape();
}

DataSet load_data(const Deck& deck, const Agents& agents) {
  const std::unique_ptr<Source> source = open_source(deck);
  DataSet data;
  data.shape = source->shape();
  data.scale = source->affine().scale;
  data.shift = source->affine().shift;
  data.mixture = source->mixture();

  const std::vector<std::int64_t> labels = source->labels();
  const Partition partition =
      make_partition(deck.data->partition, labels, data.shape.train_rows, agents.total(),
                     static_cast<std::uint64_t>(deck.run.seed), deck.where("data.partition"));
  for (const auto& rows : partition) {
    data.agent_rows.push_back(static_cast<std::int64_t>(rows.size()));
  }
  const std::vector<std::int64_t> wanted = place_rows(partition, agents, data);
  const auto row_bytes = static_cast<std::size_t>(data.shape.features) * size_of(data.shape.type);
  data.rows.resize(wanted.size() * row_bytes);
  source->read(wanted, data.rows);
  data.labels = pick(labels, wanted);
  data.targets = pick(source->targets(), wanted);
  data.label_rows.resize(static_cast<std::size_t>(data.shape.classes));
  for (const std::int64_t label : labels) ++data.label_rows.at(static_cast<std::size_t>(label));
  data.numbers = wanted;
  data.test.resize(static_cast<std::size_t>(data.shape.test_rows) * row_bytes);
  source->read_test(data.test);
  data.test_labels = source->test_labels();
  data.test_targets = source->test_targets();
  return data;
}

}  // namespace parley
