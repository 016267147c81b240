// SPDX-License-Identifier: BSD-3-Clause
// The table of data sources.
#include "data/source.hpp"

#include <algorithm>
#include <array>

#include "core/check.hpp"

namespace parley {

namespace {

constexpr std::array kinds{
    make_kind<FileSourceOptions>("file", "rows of an HDF5 file made by inputs/import_dataset.py",
                                 "-"),
    make_kind<RingMixtureOptions>("ring", "Gaussians on a circle in the plane",
                                  "Metz et al. 2017, section 3.1"),
    make_kind<GridMixtureOptions>("grid", "Gaussians on a square grid in the plane",
                                  "Dumoulin et al. 2017, section 4.1"),
    make_kind<LinearModelOptions>("linear", "normal features and a linear model's answers", "-")};

/// makers[i] makes a source of kinds[i].
constexpr std::array<std::unique_ptr<Source> (*)(const Deck&), kinds.size()> makers{
    open_file_source, make_ring_source, make_grid_source, make_linear_source};

}  // namespace

std::span<const Kind> source_kinds() {
  return kinds;
}

std::unique_ptr<Source> open_source(const Deck& deck) {
  ensure(deck.data.has_value(), "open_source: the deck has no [data]");
  const auto row = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& other) {
    return other.name == deck.data->source.kind;
  });
  ensure(row != kinds.end(), "open_source: unknown kind");
  return makers[static_cast<std::size_t>(row - kinds.begin())](deck);
}

}  // namespace parley
