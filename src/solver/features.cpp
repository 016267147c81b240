// SPDX-License-Identifier: BSD-3-Clause
// Upload of a rank's rows and batches of one agent.
#include "solver/features.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace parley {

namespace {

StoredRows upload(const DataSet& data, const std::vector<std::byte>& bytes,
                  const std::string& label) {
  StoredRows rows;
  rows.bytes = StoredRows::Bytes(label, bytes.size());
  const Kokkos::View<const unsigned char*, Kokkos::LayoutRight, Kokkos::HostSpace,
                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      source(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  Kokkos::deep_copy(rows.bytes, source);
  rows.type = data.shape.type;
  rows.features = data.shape.features;
  rows.scale = data.scale;
  rows.shift = data.shift;
  return rows;
}

Indices upload(const std::vector<std::int64_t>& labels, const std::string& label) {
  const Indices view(label, labels.size());
  const auto host = Kokkos::create_mirror_view(view);
  std::copy(labels.begin(), labels.end(), host.data());
  Kokkos::deep_copy(view, host);
  return view;
}

}  // namespace

Features::Features(const DataSet& data, const Agents& agents)
    : features_(data.shape.features),
      first_agent_(agents.first()),
      begin_(data.begin),
      stored_(upload(data, data.rows, "parley::constant::features")),
      labels_(upload(data.labels, "parley::constant::labels")),
      test_labels_(upload(data.test_labels, "parley::constant::test_labels")) {
  ensure(static_cast<std::int64_t>(begin_.size()) == agents.count(),
         "Features: the data set is that of another rank");
  for (std::int64_t m = 0; m < agents.count(); ++m) {
    count_.push_back(data.agent_rows[static_cast<std::size_t>(first_agent_ + m)]);
  }
  test_ = make_matrix("parley::constant::test_rows", data.shape.test_rows, features_);
  if (data.shape.test_rows == 0) return;
  const Exec exec;
  const StoredRows test = upload(data, data.test, "parley::features::test_upload");
  gather_all(exec, test, {0, data.shape.test_rows}, test_);
  fence(exec, "parley::features::test_rows");
}

std::int64_t Features::rows(std::int64_t local_agent) const {
  return count_[static_cast<std::size_t>(local_agent)];
}

std::int64_t Features::batch_rows(std::int64_t local_agent, const Sample& sample) const {
  return sample.batch > 0 ? sample.batch : rows(local_agent);
}

void Features::gather(const Exec& exec, std::int64_t local_agent, const Sample& sample,
                      const Matrix& out) const {
  ensure(rows_of(out) == batch_rows(local_agent, sample),
         "Features::gather: the batch has another number of rows than the sample");
  const RowRange range = range_of(local_agent);
  if (sample.batch == 0) return gather_all(exec, stored_, range, out);
  gather_random(exec, stored_, range, picks_of(local_agent, sample), out);
}

void Features::gather_labels(const Exec& exec, std::int64_t local_agent, const Sample& sample,
                             const Indices& out) const {
  ensure(labels_.size() > 0, "Features::gather_labels: the data have no labels");
  ensure(static_cast<std::int64_t>(out.size()) == batch_rows(local_agent, sample),
         "Features::gather_labels: the batch has another number of rows than the sample");
  const RowRange range = range_of(local_agent);
  if (sample.batch == 0) return gather_labels_all(exec, labels_, range, out);
  gather_labels_random(exec, labels_, range, picks_of(local_agent, sample), out);
}

RowRange Features::range_of(std::int64_t local_agent) const {
  return {begin_[static_cast<std::size_t>(local_agent)], rows(local_agent)};
}

Philox Features::picks_of(std::int64_t local_agent, const Sample& sample) const {
  const Purpose purpose = sample.stream == Stream::train ? Purpose::batch : Purpose::record_batch;
  return {sample.seed, purpose, first_agent_ + local_agent, sample.draw};
}

}  // namespace parley
