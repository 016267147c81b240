// SPDX-License-Identifier: BSD-3-Clause
// CoefficientFile: the file is opened anew for every array, so that the object can be copied.
#include "games/coefficient_file.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/check.hpp"
#include "deck/paths.hpp"

namespace parley {

CoefficientFile::CoefficientFile(const Deck& deck, const std::string& path, const std::string& name)
    : name_(find_input(deck, name, path)), where_(deck.where(path)), agents_(deck.run.agents) {}

h5::Shape CoefficientFile::shape_of(const std::string& set, std::size_t axes) const {
  const auto file = h5::File::open(name_);
  if (!file.exists(set)) fail_user("{}: {} has no data set {}", where_, name_, set);
  h5::Shape shape = file.info(set).shape;
  if (shape.size() == axes + 1) {
    if (shape[0] != agents_) {
      fail_user("{}: {} in {} holds {} agents, the deck has run.agents = {}; set run.agents = {}",
                where_, set, name_, shape[0], agents_, shape[0]);
    }
    shape.erase(shape.begin());
  }
  const bool empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  if (shape.size() != axes || empty) {
    fail_user("{}: {} in {} has shape [{}]; it needs {} axes, or {} with one array per agent",
              where_, set, name_, fmt::join(file.info(set).shape, ", "), axes, axes + 1);
  }
  return shape;
}

void CoefficientFile::expect(const std::string& set, const h5::Shape& shape,
                             const std::string& because) const {
  const h5::Shape got = shape_of(set, shape.size());
  if (got == shape) return;
  fail_user("{}: {} in {} has shape [{}] for an agent, but {} asks for [{}]", where_, set, name_,
            fmt::join(got, ", "), because, fmt::join(shape, ", "));
}

std::vector<double> CoefficientFile::read(const std::string& set, std::size_t axes,
                                          std::int64_t agent) const {
  const auto file = h5::File::open(name_);
  std::vector<double> out(static_cast<std::size_t>(h5::count_of(shape_of(set, axes))));
  const auto bytes = std::as_writable_bytes(std::span(out));
  if (file.info(set).shape.size() == axes) {
    file.read(set, ElementType::f64, bytes);
  } else {
    file.read_rows(set, agent, 1, ElementType::f64, bytes);
  }
  if (!std::all_of(out.begin(), out.end(), [](double v) { return std::isfinite(v); })) {
    fail_user("{}: {} in {} holds a non-finite number for agent {}", where_, set, name_, agent);
  }
  return out;
}

}  // namespace parley
