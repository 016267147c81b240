// SPDX-License-Identifier: BSD-3-Clause
// A disk that is full for this process: no file can grow beyond a size while the object lives.
#pragma once

#include <sys/resource.h>

#include <csignal>

namespace parley::test {

class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &former_);
    former_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit = former_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() {
    setrlimit(RLIMIT_FSIZE, &former_);
    std::signal(SIGXFSZ, former_handler_);
  }

 private:
  rlimit former_{};
  void (*former_handler_)(int) = nullptr;
};

}  // namespace parley::test
