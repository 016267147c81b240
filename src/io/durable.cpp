// SPDX-License-Identifier: BSD-3-Clause
// Sync, rename and checksums on POSIX calls.
#include "io/durable.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <vector>

#include "core/check.hpp"

namespace parley {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_system(const fs::path& file, const char* what) {
  fail_run("{}: cannot {}: {}", file.string(), what, std::strerror(errno));
}

/// An open file descriptor, closed at the end of its scope.
class Descriptor {
 public:
  Descriptor(const fs::path& file, int flags, const char* what)
      : id_(::open(file.c_str(), flags | O_CLOEXEC, 0666)) {
    if (id_ < 0) fail_system(file, what);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(id_); }
  int id() const { return id_; }

 private:
  int id_;
};

void sync(const fs::path& path, int flags) {
  const Descriptor file(path, flags, "open it to sync it");
  // Some file systems cannot sync a folder and say EINVAL; then nothing better can be done.
  if (::fsync(file.id()) != 0 && errno != EINVAL) fail_system(path, "sync it to disk");
}

}  // namespace

void sync_file(const fs::path& file) {
  sync(file, O_RDONLY);
}

void sync_folder(const fs::path& folder) {
  sync(folder, O_RDONLY | O_DIRECTORY);
}

void move_into_place(const fs::path& temporary, const fs::path& file) {
  if (std::rename(temporary.c_str(), file.c_str()) != 0) fail_system(file, "rename it into place");
  sync_folder(file.has_parent_path() ? file.parent_path() : fs::path("."));
}

void write_text_durably(const fs::path& file, const std::string& text) {
  const fs::path temporary = file.string() + ".tmp";
  {
    const Descriptor out(temporary, O_WRONLY | O_CREAT | O_TRUNC, "create it");
    for (std::size_t done = 0; done < text.size();) {
      const ::ssize_t count = ::write(out.id(), text.data() + done, text.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail_system(temporary, "write it");
      done += static_cast<std::size_t>(count);
    }
    if (::fsync(out.id()) != 0) fail_system(temporary, "sync it to disk");
  }
  move_into_place(temporary, file);
}

void expect_room(const fs::path& file, std::size_t bytes) {
  constexpr std::size_t headers = std::size_t{1} << 20;
  const fs::path trial = file.string() + ".room";
  int error = 0;
  {
    const Descriptor out(trial, O_WRONLY | O_CREAT | O_TRUNC, "create it");
    if (::fallocate(out.id(), 0, 0, static_cast<::off_t>(bytes + headers)) != 0) error = errno;
  }
  ::unlink(trial.c_str());
  if (error == 0 || error == EOPNOTSUPP || error == ENOSYS || error == EINTR) return;
  fail_run("{}: no room for {:.3g} MB: {}; free some space or choose another run.output",
           file.string(), static_cast<double>(bytes) * 1e-6, std::strerror(error));
}

std::string Checksum::text() const {
  return fmt::format("parley-sum64 {:016x} {}", value, size);
}

void ChecksumStream::add(std::span<const std::byte> bytes) {
  const auto mix = [this](std::uint64_t word) {
    state_ = (state_ ^ word) * 0x2545f4914f6cdd1dULL;
    state_ ^= state_ >> 29;
  };
  size_ += bytes.size();
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, 8);
    mix(word);
  }
  if (i == bytes.size()) return;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + i, bytes.size() - i);
  mix(word);
}

Checksum ChecksumStream::result() const {
  return {(std::rotl(state_, 31) ^ size_) * 0x9e3779b97f4a7c15ULL, size_};
}

Checksum checksum_file(const fs::path& file) {
  const Descriptor in(file, O_RDONLY, "open it");
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  ChecksumStream stream;
  while (true) {
    std::size_t filled = 0;
    while (filled < buffer.size()) {
      const ::ssize_t count = ::read(in.id(), buffer.data() + filled, buffer.size() - filled);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail_system(file, "read it");
      if (count == 0) break;
      filled += static_cast<std::size_t>(count);
    }
    stream.add(std::span(buffer).first(filled));
    if (filled < buffer.size()) return stream.result();
  }
}

}  // namespace parley
