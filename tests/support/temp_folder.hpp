// SPDX-License-Identifier: BSD-3-Clause
// A folder of its own for a test, removed at the end. Under MPI all ranks get the same one; rank 0
// makes and removes it.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace parley::test {

class TempFolder {
 public:
  explicit TempFolder(const std::string& name, MPI_Comm comm = MPI_COMM_SELF) : comm_(comm) {
    int pid = static_cast<int>(getpid());
    MPI_Bcast(&pid, 1, MPI_INT, 0, comm_);
    MPI_Comm_rank(comm_, &rank_);
    path_ = std::filesystem::temp_directory_path() / ("parley_" + name + "_" + std::to_string(pid));
    if (rank_ == 0) {
      std::filesystem::remove_all(path_);
      std::filesystem::create_directories(path_);
    }
    MPI_Barrier(comm_);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    MPI_Barrier(comm_);
    std::error_code ignored;
    if (rank_ == 0) std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  MPI_Comm comm_;
  int rank_ = 0;
  std::filesystem::path path_;
};

}  // namespace parley::test
