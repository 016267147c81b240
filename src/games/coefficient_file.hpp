// SPDX-License-Identifier: BSD-3-Clause
// A user's HDF5 file of a game's coefficients: every data set holds one array for all agents, or
// one per agent along a first axis. Knows no game.
#pragma once

#include <string>
#include <vector>

#include "deck/deck.hpp"
#include "io/h5.hpp"

namespace parley {

class CoefficientFile {
 public:
  /// The file that the deck's key `path` ("game.file") names as `name`. UserError when there is
  /// none.
  CoefficientFile(const Deck& deck, const std::string& path, const std::string& name);

  /// Shape of one agent's array in data set `set`, of `axes` axes. UserError with the key's place
  /// when the data set is missing, has another number of axes, or agents other than the deck's.
  h5::Shape shape_of(const std::string& set, std::size_t axes) const;
  /// UserError when an agent's array in `set` has another shape, which `because` explains.
  void expect(const std::string& set, const h5::Shape& shape, const std::string& because) const;
  /// One agent's array, row-major. UserError when it holds a non-finite number.
  std::vector<double> read(const std::string& set, std::size_t axes, std::int64_t agent) const;

 private:
  std::string name_, where_;
  std::int64_t agents_;
};

}  // namespace parley
