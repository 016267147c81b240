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

}  // namespace

Features::Features(const DataSet& data, const Agents& agents)
    : features_(data.shape.features),
      first_agent_(agents.first()),
      begin_(data.begin),
      stored_(upload(data, data.rows, "parley::constant::features")) {
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
  const RowRange range{begin_[static_cast<std::size_t>(local_agent)], rows(local_agent)};
  if (sample.batch == 0) return gather_all(exec, stored_, range, out);
  const Purpose purpose = sample.stream == Stream::train ? Purpose::batch : Purpose::record_batch;
  gather_random(exec, stored_, range,
                Philox{sample.seed, purpose, first_agent_ + local_agent, sample.draw}, out);
}

}  // namespace parley
