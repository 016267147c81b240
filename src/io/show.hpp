// SPDX-License-Identifier: BSD-3-Clause
// A run's folder in the terminal: what it is, how far it is, its latest row.
#pragma once

#include <filesystem>
#include <string>

namespace parley {

/// Text about the run in `folder`; works while it runs and after a kill. UserError when there is no
/// log.
std::string show_run(const std::filesystem::path& folder);

}  // namespace parley
