#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "models/base/error.hpp"
#include "sim/cli/study/study_log.hpp"
#include "traces/json/given_texts.hpp"
#include "traces/json/pending_files.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

[[noreturn]] void fail_to_grow(const std::string& path, int error) {
  throw InputError(path + ": cannot be written: " + std::strerror(error));
}

/// Drops what follows the last line feed: a process was ended in the midst of that line.
void drop_unfinished_line(const std::string& path) {
  struct stat state {};
  if (::stat(path.c_str(), &state) != 0 || !S_ISREG(state.st_mode))
    return;
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  off_t end = state.st_size;
  char last = '\n';
  while (file >= 0 && end > 0 && ::pread(file, &last, 1, end - 1) == 1 && last != '\n')
    --end;
  const bool failed = file < 0 || (end < state.st_size && ::ftruncate(file, end) != 0);
  const int error = errno;
  if (file >= 0)
    ::close(file);
  if (failed)
    fail_to_grow(path, error);
}

}  // namespace

GrowingFile::GrowingFile(std::string path) : path_(std::move(path)) {
  check_may_write(path_);
  drop_unfinished_line(path_);
  const WaitForPipe wait;  // for who reads it, where it is one
  file_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0)
    fail_to_grow(path_, errno);
}

GrowingFile::~GrowingFile() {
  if (file_ >= 0)
    ::close(file_);
}

GrowingFile::GrowingFile(GrowingFile&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), error_(other.error_) {}

GrowingFile& GrowingFile::operator=(GrowingFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  std::swap(error_, other.error_);
  return *this;
}

void GrowingFile::append(const std::string& line) {
  if (file_ < 0 || error_ != 0)
    return;
  struct stat before {};
  const bool is_file = ::fstat(file_, &before) == 0 && S_ISREG(before.st_mode);
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = ::write(file_, line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0) {
      error_ = count < 0 ? errno : EIO;
      // A full disk takes the begin of a line, which would pass for a whole one with other numbers.
      if (is_file && written > 0 && ::ftruncate(file_, before.st_size) != 0)
        error_ = errno;
      return;
    }
    written += static_cast<std::size_t>(count);
  }
}

void GrowingFile::check() const {
  if (error_ != 0)
    fail_to_grow(path_, error_);
}

}  // namespace stepcast
