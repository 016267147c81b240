// SPDX-License-Identifier: BSD-3-Clause
// What every output file says of where it comes from. Knows neither MPI nor Kokkos: the caller
// fills in what they say.
#pragma once

#include <cstdint>
#include <string>

namespace parley {

namespace h5 {
class File;
}

struct Provenance {
  std::string version, git, compiler, bit_class, mpi, hdf5, kokkos, hosts;
  std::int64_t ranks = 1, agents = 1, seed = 1;
  std::string name, game, method;
  std::string deck;  ///< the resolved deck's text
};

/// Version, git hash, compiler and HDF5 release of this build; the caller fills the rest.
Provenance build_provenance();

/// Attributes of the root and the data set /deck.
void write_provenance(h5::File& file, const Provenance& provenance);

}  // namespace parley
