// SPDX-License-Identifier: BSD-3-Clause
// Provenance of this build, and its place in every file.
#include "io/provenance.hpp"

#include "io/h5.hpp"

namespace parley {

Provenance build_provenance() {
  Provenance provenance;
  provenance.version = PARLEY_VERSION;
  provenance.git = PARLEY_GIT;
  provenance.compiler = PARLEY_COMPILER;
  provenance.hdf5 = h5::library_version();
  return provenance;
}

void write_provenance(h5::File& file, const Provenance& provenance) {
  const std::pair<const char*, const std::string&> texts[] = {
      {"parley_version", provenance.version},
      {"git", provenance.git},
      {"compiler", provenance.compiler},
      {"bit_class", provenance.bit_class},
      {"mpi", provenance.mpi},
      {"hdf5", provenance.hdf5},
      {"kokkos", provenance.kokkos},
      {"hosts", provenance.hosts},
      {"name", provenance.name},
      {"game", provenance.game},
      {"method", provenance.method}};
  for (const auto& [key, text] : texts) file.write_attribute("/", key, std::string_view(text));
  file.write_attribute("/", "ranks", provenance.ranks);
  file.write_attribute("/", "agents", provenance.agents);
  file.write_attribute("/", "seed", provenance.seed);
  file.write_text("deck", provenance.deck);
}

}  // namespace parley
