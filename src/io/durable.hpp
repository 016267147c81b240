// SPDX-License-Identifier: BSD-3-Clause
// Files that survive a kill or a power cut: synced to disk, renamed into place, told intact by a
// checksum. One process's business; knows no MPI and no HDF5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace parley {

/// Forces a file's bytes, or a folder's entries, to disk. RunError with the system's reason.
void sync_file(const std::filesystem::path& file);
void sync_folder(const std::filesystem::path& folder);

/// Renames `temporary` to `file`, replacing it, and syncs the folder.
void move_into_place(const std::filesystem::path& temporary, const std::filesystem::path& file);

/// Writes a small text file by a temporary name, sync and rename.
void write_text_durably(const std::filesystem::path& file, const std::string& text);

/// RunError when the disk of `file` has no room for `bytes` and a little more: tries it with a file
/// beside it, which is removed again. Says nothing where the file system cannot reserve space.
void expect_room(const std::filesystem::path& file, std::size_t bytes);

/// What tells a file from a damaged copy of itself.
struct Checksum {
  std::uint64_t value = 0;
  std::uint64_t size = 0;
  bool operator==(const Checksum&) const = default;
  /// "parley-sum64 <16 hex digits> <bytes>".
  std::string text() const;
};

/// Eight bytes at a time, each step a bijection of the state: damage within one word always shows,
/// any other stays hidden with a chance of 2^-64. Not meant against forgery.
class ChecksumStream {
 public:
  /// Every call but the last takes a multiple of eight bytes.
  void add(std::span<const std::byte> bytes);
  Checksum result() const;

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15ULL;
  std::uint64_t size_ = 0;
};

/// Of a whole file. RunError when it cannot be read.
Checksum checksum_file(const std::filesystem::path& file);

}  // namespace parley
