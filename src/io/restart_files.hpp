// SPDX-License-Identifier: BSD-3-Clause
// The files of a restart folder: names of generations, their checksums, what may be removed. Rank
// 0's business; knows nothing of what a generation holds. Private to restart.cpp and its tests.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/durable.hpp"

namespace parley {

/// folder/%08d.h5, the checksum file beside it, and the name under which it is written.
std::filesystem::path generation_file(const std::filesystem::path& folder, std::int64_t iteration);
std::filesystem::path checksum_file_of(const std::filesystem::path& generation);
std::filesystem::path temporary_of(const std::filesystem::path& generation);

/// Iterations of the generations in a folder, newest first; none when the folder is missing.
std::vector<std::int64_t> list_generations(const std::filesystem::path& folder);

/// Empty when the generation's bytes are those of a checksum beside it, the reason otherwise.
std::string find_damage(const std::filesystem::path& generation);

/// Puts a complete temporary file in place as `iteration`, then names it in `latest`. At every
/// moment a former generation of the same name stays valid until the new one is.
void publish_generation(const std::filesystem::path& folder, std::int64_t iteration);

/// Removes generations after `iteration`, all but the `keep` newest, and what killed writers left.
void remove_old_generations(const std::filesystem::path& folder, std::int64_t iteration,
                            std::int64_t keep);

}  // namespace parley
