// SPDX-License-Identifier: BSD-3-Clause
// The partitions. All randomness is Philox(seed, partition, ...): integers and a few doubles, so
// that every rank computes the same partition alone.
#include "data/partition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/check.hpp"
#include "data/dataset.hpp"
#include "core/shuffle.hpp"
#include "kernels/philox.hpp"

namespace parley {

namespace {

using Rows = std::vector<std::int64_t>;

/// The draws of one partition that must not share numbers.
enum : std::uint64_t { draw_rows = 0, draw_labels = 1, draw_shares = 2 };

struct Request {
  std::span<const std::int64_t> labels;
  std::int64_t rows, agents;
  std::uint64_t seed;
  const std::string& where;
};

Rows all_rows(std::int64_t count) {
  Rows rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

/// Cuts `rows` into `parts` contiguous pieces whose sizes differ by at most 1, and appends piece i
/// to holders[i]'s rows.
void deal(const Rows& rows, const Rows& holders, Partition& partition) {
  const auto parts = static_cast<std::int64_t>(holders.size());
  const auto total = static_cast<std::int64_t>(rows.size());
  std::int64_t begin = 0;
  for (std::int64_t i = 0; i < parts; ++i) {
    const std::int64_t end = begin + total / parts + (i < total % parts ? 1 : 0);
    Rows& mine = partition[static_cast<std::size_t>(holders[static_cast<std::size_t>(i)])];
    mine.insert(mine.end(), rows.begin() + begin, rows.begin() + end);
    begin = end;
  }
}

Partition empty_partition(std::int64_t agents) {
  return Partition(static_cast<std::size_t>(agents));
}

/// Rows per label, in the order of the labels' values: only labels that occur.
std::vector<Rows> rows_by_label(const Request& request, std::string_view kind) {
  if (request.labels.empty()) {
    fail_user(
        "{}: partition \"{}\" needs labels, but the data have none (no data set /y); choose "
        "\"iid\" or \"contiguous\"",
        request.where, kind);
  }
  const auto last = *std::max_element(request.labels.begin(), request.labels.end());
  std::vector<Rows> by_label(static_cast<std::size_t>(last) + 1);
  for (std::int64_t row = 0; row < request.rows; ++row) {
    const std::int64_t label = request.labels[static_cast<std::size_t>(row)];
    by_label[static_cast<std::size_t>(label)].push_back(row);
  }
  std::erase_if(by_label, [](const Rows& rows) { return rows.empty(); });
  return by_label;
}

Partition split_iid(const Request& request) {
  Partition partition = empty_partition(request.agents);
  Rows rows = all_rows(request.rows);
  shuffle(rows, Philox{request.seed, Purpose::partition, 0, draw_rows});
  deal(rows, all_rows(request.agents), partition);
  return partition;
}

Partition split_contiguous(const Request& request) {
  Partition partition = empty_partition(request.agents);
  deal(all_rows(request.rows), all_rows(request.agents), partition);
  return partition;
}

Partition replicate(const Request& request) {
  return Partition(static_cast<std::size_t>(request.agents), all_rows(request.rows));
}

/// Agent m holds the labels number m*c ... m*c + c-1 of an endlessly repeated random order:
/// distinct while c <= classes, and every label has as many holders as any other, or one more.
Partition split_by_label(const LabelPartitionOptions& options, const Request& request) {
  std::vector<Rows> by_label = rows_by_label(request, "label");
  const std::int64_t each = options.labels_per_agent, agents = request.agents;
  const auto classes = static_cast<std::int64_t>(by_label.size());
  if (each > classes) {
    fail_user("{}: labels_per_agent = {}, but the data have {} labels; lower it to {} or less",
              request.where, each, classes, classes);
  }
  if (each * agents < classes) {
    fail_user(
        "{}: labels_per_agent = {} on {} agents covers {} of {} labels, and the rows of the "
        "others would be lost; raise it to {} or more",
        request.where, each, agents, each * agents, classes, (classes + agents - 1) / agents);
  }
  Rows order = all_rows(classes);
  shuffle(order, Philox{request.seed, Purpose::partition, 0, draw_labels});
  std::vector<Rows> holders(by_label.size());
  for (std::int64_t slot = 0; slot < each * agents; ++slot) {
    const std::int64_t label = order[static_cast<std::size_t>(slot % classes)];
    holders[static_cast<std::size_t>(label)].push_back(slot / each);
  }
  Partition partition = empty_partition(agents);
  for (std::size_t label = 0; label < by_label.size(); ++label) {
    shuffle(by_label[label],
            Philox{request.seed, Purpose::partition, static_cast<std::int64_t>(label), draw_rows});
    deal(by_label[label], holders[label], partition);
  }
  for (std::int64_t m = 0; m < agents; ++m) {
    if (!partition[static_cast<std::size_t>(m)].empty()) continue;
    fail_user(
        "{}: agent {} gets no row: its labels have fewer rows than agents that hold them; "
        "use fewer agents or raise labels_per_agent = {}",
        request.where, m, each);
  }
  return partition;
}

/// log of a Gamma(alpha) number (Marsaglia and Tsang 2000); for alpha < 1 from Gamma(alpha + 1)
/// times U^(1/alpha), in logarithms because that power underflows for small alpha. `next` counts
/// numbers.
double log_gamma_number(const Philox& random, double alpha, std::uint64_t& next) {
  const double boost = alpha < 1 ? std::log(random.uniform(next++)) / alpha : 0.0;
  const double d = (alpha < 1 ? alpha + 1 : alpha) - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    // A normal number uses the pair of uniforms 2*(i/2), 2*(i/2) + 1.
    next += next % 2;
    const double x = random.normal(next);
    const double u = random.uniform(next + 2);
    next += 3;
    const double v = std::pow(1.0 + c * x, 3);
    if (v > 0 && std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return boost + std::log(d * v);
    }
  }
}

/// Ends of the pieces of `count` rows over the agents with Dirichlet(alpha) shares.
Rows draw_cuts(const Philox& random, double alpha, std::int64_t agents, std::int64_t count) {
  std::vector<double> logs(static_cast<std::size_t>(agents));
  std::uint64_t next = 0;
  for (double& value : logs) value = log_gamma_number(random, alpha, next);
  const double largest = *std::max_element(logs.begin(), logs.end());
  double total = 0;
  for (double& value : logs) {
    value = std::exp(value - largest);
    total += value;
  }
  Rows ends;
  double sum = 0;
  for (const double value : logs) {
    sum += value;
    ends.push_back(std::min(
        count, static_cast<std::int64_t>(std::llround(sum / total * static_cast<double>(count)))));
  }
  ends.back() = count;
  return ends;
}

/// cuts[label] = ends of the label's pieces, one per agent; the first draw with enough rows each.
std::vector<Rows> search_cuts(const DirichletPartitionOptions& options, const Request& request,
                              const std::vector<Rows>& by_label) {
  constexpr std::uint64_t tries = 1000;
  for (std::uint64_t attempt = 0; attempt < tries; ++attempt) {
    std::vector<Rows> cuts;
    Rows sizes(static_cast<std::size_t>(request.agents), 0);
    for (std::size_t label = 0; label < by_label.size(); ++label) {
      const Philox random{request.seed, Purpose::partition, static_cast<std::int64_t>(label),
                          draw_shares + attempt};
      const auto count = static_cast<std::int64_t>(by_label[label].size());
      cuts.push_back(draw_cuts(random, options.alpha, request.agents, count));
      for (std::size_t m = 0; m < sizes.size(); ++m) {
        sizes[m] += cuts.back()[m] - (m == 0 ? 0 : cuts.back()[m - 1]);
      }
    }
    if (*std::min_element(sizes.begin(), sizes.end()) >= options.minimum) return cuts;
  }
  fail_user(
      "{}: alpha = {}: no draw out of {} gave each of {} agents minimum = {} rows; raise "
      "alpha, lower minimum or use fewer agents",
      request.where, options.alpha, tries, request.agents, options.minimum);
}

Partition split_dirichlet(const DirichletPartitionOptions& options, const Request& request) {
  std::vector<Rows> by_label = rows_by_label(request, "dirichlet");
  if (options.minimum * request.agents > request.rows) {
    fail_user("{}: minimum = {} rows on {} agents needs {} rows, but there are {}; lower minimum",
              request.where, options.minimum, request.agents, options.minimum * request.agents,
              request.rows);
  }
  const std::vector<Rows> cuts = search_cuts(options, request, by_label);
  Partition partition = empty_partition(request.agents);
  for (std::size_t label = 0; label < by_label.size(); ++label) {
    Rows& rows = by_label[label];
    shuffle(rows,
            Philox{request.seed, Purpose::partition, static_cast<std::int64_t>(label), draw_rows});
    for (std::size_t m = 0; m < partition.size(); ++m) {
      const std::int64_t begin = m == 0 ? 0 : cuts[label][m - 1], end = cuts[label][m];
      partition[m].insert(partition[m].end(), rows.begin() + begin, rows.begin() + end);
    }
  }
  return partition;
}

constexpr std::array kinds{
    make_kind<PlainPartitionOptions>("iid", "a shuffle cut into equal parts", "-"),
    make_kind<PlainPartitionOptions>("contiguous", "the order of the file cut into equal parts",
                                     "-"),
    make_kind<LabelPartitionOptions>("label", "each agent holds a few labels only",
                                     "McMahan et al. 2017, section 3"),
    make_kind<DirichletPartitionOptions>("dirichlet", "Dirichlet distributed shares of each label",
                                         "Hsu, Qi and Brown 2019, section 3"),
    make_kind<PlainPartitionOptions>("replicated", "every agent holds all rows", "-")};

/// makers[i] makes a partition of kinds[i].
constexpr std::array<Partition (*)(const Choice&, const Request&), kinds.size()> makers{
    [](const Choice&, const Request& request) { return split_iid(request); },
    [](const Choice&, const Request& request) { return split_contiguous(request); },
    [](const Choice& choice, const Request& request) {
      return split_by_label(choice.as<LabelPartitionOptions>(), request);
    },
    [](const Choice& choice, const Request& request) {
      return split_dirichlet(choice.as<DirichletPartitionOptions>(), request);
    },
    [](const Choice&, const Request& request) { return replicate(request); }};

}  // namespace

void describe(Fields& fields, LabelPartitionOptions& options) {
  fields.key("labels_per_agent", options.labels_per_agent,
             {.sentence = "Labels that each agent holds.", .min = 1});
}

void describe(Fields& fields, DirichletPartitionOptions& options) {
  fields.key(
      "alpha", options.alpha,
      {.sentence = "Concentration: small is skewed, large is even.", .min = 1e-6, .max = 1e6});
  fields.key("minimum", options.minimum,
             {.sentence = "Rows that every agent gets at least; drawn anew 1000 times at most.",
              .min = 1});
}

void describe(Fields&, PlainPartitionOptions&) {}

std::span<const Kind> partition_kinds() {
  return kinds;
}

Partition make_partition(const Choice& kind, std::span<const std::int64_t> labels,
                         std::int64_t rows, std::int64_t agents, std::uint64_t seed,
                         const std::string& where) {
  if (agents > rows) {
    fail_user(
        "{}: {} agents cannot share {} rows: each needs one; lower run.agents or give more "
        "data",
        where, agents, rows);
  }
  ensure(labels.empty() || static_cast<std::int64_t>(labels.size()) == rows,
         "make_partition: one label per row");
  const Request request{labels, rows, agents, seed, where};
  const auto row = std::find_if(kinds.begin(), kinds.end(),
                                [&](const Kind& other) { return other.name == kind.kind; });
  ensure(row != kinds.end(), "make_partition: unknown kind");
  Partition partition = makers[static_cast<std::size_t>(row - kinds.begin())](kind, request);
  for (Rows& mine : partition) std::sort(mine.begin(), mine.end());
  return partition;
}

}  // namespace parley
