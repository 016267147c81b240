// SPDX-License-Identifier: BSD-3-Clause
// Small registries for the tests of the deck: every form of key, without the solver's own kinds.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/check.hpp"
#include "deck/deck.hpp"
#include "deck/reader.hpp"

namespace parley::testing {

struct LinearGame {
  std::int64_t dim = 2;
  double scale = 1.0;
};
inline void describe(Fields& fields, LinearGame& o) {
  fields.key("dim", o.dim, {.sentence = "Dimension.", .min = 1, .max = 100});
  fields.key("scale", o.scale,
             {.sentence = "Scale of the coupling.", .min = 0, .min_excluded = true});
}

struct NoKeys {};
inline void describe(Fields&, NoKeys&) {}

struct Wide {
  std::int64_t width = 0;
  std::string activation = "relu";
};
inline void describe(Fields& fields, Wide& o) {
  static constexpr std::array<std::string_view, 2> activations{"relu", "tanh"};
  fields.key("width", o.width, {.sentence = "Neurons.", .min = 1, .required = true});
  fields.one_of("activation", o.activation, activations, {.sentence = "Non-linearity."});
}

struct Layer {
  Choice body;
};
inline void describe(Fields& fields, Layer& o) {
  static const std::array kinds{make_kind<Wide>("wide", "Neurons in a row.", ""),
                                make_kind<NoKeys>("flat", "No neurons.", "")};
  fields.choice("kind", o.body, kinds, {.sentence = "Kind of the layer."});
}

struct NetGame {
  std::string loss = "wgan";
  double penalty = 10.0;
  std::vector<std::int64_t> hidden{64, 64};
  std::vector<double> weights{};
  std::vector<std::string> labels{"a"};
  std::vector<Layer> layers{};
};
inline void describe(Fields& fields, NetGame& o) {
  static constexpr std::array<std::string_view, 3> losses{"wgan", "wgan-gp", "hinge"};
  fields.one_of("loss", o.loss, losses, {.sentence = "Loss of both players."});
  fields.only_when(o.loss == "wgan-gp", "game.loss = \"wgan-gp\"", [&](Fields& inner) {
    inner.key("penalty", o.penalty, {.sentence = "Gradient penalty.", .min = 0});
  });
  fields.key("hidden", o.hidden, {.sentence = "Widths of the hidden layers.", .min = 1});
  fields.key("weights", o.weights, {.sentence = "Weights of the modes."});
  fields.key("labels", o.labels, {.sentence = "Names of the modes."});
  fields.list_of("layers", o.layers, {.sentence = "Layers, in order."});
}

struct StepMethod {
  double x = 0.0, y = 0.0;
  bool average = false;
  std::optional<std::int64_t> batch;
};
inline void describe(Fields& fields, StepMethod& o) {
  fields.table("step", {.sentence = "Step sizes."}, [&](Fields& inner) {
    const About about{
        .sentence = "Step of the player.", .min = 0, .min_excluded = true, .required = true};
    inner.key("x", o.x, about);
    inner.key("y", o.y, about);
  });
  fields.key("average", o.average, {.sentence = "Averages the iterates."});
  fields.key("batch", o.batch, {.sentence = "Samples per call; absent: all.", .min = 1});
}

struct Torus {
  std::int64_t rows = 2, columns = 2;
};
inline void describe(Fields& fields, Torus& o) {
  fields.key("rows", o.rows, {.sentence = "Rows.", .min = 1});
  fields.key("columns", o.columns, {.sentence = "Columns.", .min = 1});
  if (o.rows * o.columns > 64) fields.mistake("rows", "rows x columns is at most 64");
}

struct FileSource {
  std::string file;
};
inline void describe(Fields& fields, FileSource& o) {
  fields.key("file", o.file, {.sentence = "HDF5 file of the data.", .required = true});
}

struct Dirichlet {
  double alpha = 1.0;
};
inline void describe(Fields& fields, Dirichlet& o) {
  fields.key("alpha", o.alpha, {.sentence = "Concentration.", .min = 0, .min_excluded = true});
}

inline Registries registries() {
  static const std::array games{make_kind<LinearGame>("linear", "A linear game.", "Paper, eq. 1"),
                                make_kind<NetGame>("net", "Two networks.", "Paper, eq. 2")};
  static const std::array methods{make_kind<StepMethod>("descent", "Plain steps.", ""),
                                  make_kind<NoKeys>("idle", "No steps.", "")};
  static const std::array graphs{make_kind<NoKeys>("ring", "A ring.", ""),
                                 make_kind<Torus>("torus", "A torus.", ""),
                                 make_kind<NoKeys>("file", "A graph from a file.", "")};
  static const std::array sources{make_kind<FileSource>("file", "An HDF5 file.", ""),
                                  make_kind<NoKeys>("grid", "A grid of Gaussians.", "")};
  static const std::array partitions{make_kind<NoKeys>("iid", "Shuffled and dealt.", ""),
                                     make_kind<Dirichlet>("dirichlet", "Skewed labels.", "")};
  static const std::array compressors{make_kind<NoKeys>("none", "Rows as they are.", "")};
  return {games, methods, graphs, sources, partitions, compressors};
}

/// A legal deck of nine lines; tests append to it.
inline const std::string base_deck = R"([run]
agents = 4
[game]
kind = "linear"
[method]
kind = "descent"
step = { x = 0.1, y = 0.2 }
[graph]
kind = "ring"
)";

inline Deck read(const std::string& text, const std::string& variant = "",
                 const std::vector<std::string>& settings = {}) {
  return read_deck({"deck.toml", text, variant, settings}, registries());
}

/// The message of the UserError that reading throws; empty when it throws none.
inline std::string refusal(const std::string& text, const std::string& variant = "",
                           const std::vector<std::string>& settings = {}) {
  try {
    read(text, variant, settings);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace parley::testing
