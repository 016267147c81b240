// SPDX-License-Identifier: BSD-3-Clause
// Graphs from text files: one for all rounds, or several in turn.
#include <algorithm>
#include <array>

#include "comm/host/adjacency_file.hpp"
#include "comm/host/edge_file.hpp"
#include "comm/host/mixing.hpp"
#include "comm/host/topologies.hpp"
#include "core/check.hpp"

namespace parley {

namespace {

constexpr std::array<std::string_view, 2> formats{"edges", "adjacency"};

struct FormatOptions {
  std::string format = "edges";
  bool directed = false;
};

void describe_format(Fields& fields, FormatOptions& options) {
  fields.one_of(
      "format", options.format, formats,
      {.sentence = "Edges: lines `i j` or `i j weight`, agents from 0; adjacency: M lines "
                   "of M numbers, 0 or 1, or W itself. # starts a comment."});
  fields.key("directed", options.directed,
             {.sentence = "Edge `i j` only says that j reads i; entry (i, j) that i reads j."});
}

struct FileOptions {
  std::string file;
  FormatOptions format;
};

void describe(Fields& fields, FileOptions& options) {
  fields.key("file", options.file, {.sentence = "File of the graph.", .required = true});
  describe_format(fields, options.format);
}

struct FilesOptions {
  std::vector<std::string> files;
  FormatOptions format;
};

void describe(Fields& fields, FilesOptions& options) {
  fields.key("files", options.files,
             {.sentence = "Files of the graphs, one per round, in turn.", .required = true});
  describe_format(fields, options.format);
}

Graph read_graph(const std::string& file, const FormatOptions& options, std::int64_t n,
                 const std::string& where) {
  return options.format == "adjacency" ? read_adjacency_file(file, n, options.directed, where)
                                       : read_edge_file(file, n, options.directed, where);
}

Graph make_from_file(const Choice& choice, std::int64_t n, const std::string& where) {
  const auto& options = choice.as<FileOptions>();
  return read_graph(options.file, options.format, n, where);
}

/// The union of the files' graphs.
Graph make_from_files(const Choice& choice, std::int64_t n, const std::string& where) {
  const auto& options = choice.as<FilesOptions>();
  if (options.files.empty()) {
    fail_user("{}: graph.files is empty; name a file per round", where);
  }
  Neighbours in = no_neighbours(n);
  for (const std::string& file : options.files) {
    const Graph graph = read_graph(file, options.format, n, where);
    for (std::size_t i = 0; i < in.size(); ++i) {
      in[i].insert(in[i].end(), graph.in[i].begin(), graph.in[i].end());
    }
  }
  Graph graph = graph_from(std::move(in));
  graph.directed = options.format.directed;
  return graph;
}

Mixing mix_files(const GraphOptions& graph, std::int64_t n, const std::string& where) {
  const auto& options = graph.kind.as<FilesOptions>();
  std::vector<Weights> period;
  for (const std::string& file : options.files) {
    const std::string place = fmt::format("{}: \"{}\"", where, file);
    period.push_back(make_weights(read_graph(file, options.format, n, where), graph, place));
  }
  return Mixing(std::move(period));
}

}  // namespace

GraphRow file_row() {
  return {make_kind<FileOptions>("file", "Edges or a matrix, with or without weights, from a file",
                                 "the user's own"),
          make_from_file};
}

GraphRow files_row() {
  return {make_kind<FilesOptions>("files", "Graphs from several files, one per round, in turn",
                                  "the user's own"),
          make_from_files, mix_files};
}

}  // namespace parley
