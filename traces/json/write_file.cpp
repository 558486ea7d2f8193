#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "models/base/error.hpp"
#include "traces/json/given_texts.hpp"
#include "traces/json/pending_files.hpp"
#include "traces/json/spooled_text.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_to_write(const fs::path& shown) {
  throw InputError(shown.string() + ": cannot be written: " +
                   (errno == 0 ? "unknown reason" : std::strerror(errno)));
}

/// An open file; closed at the end at the latest.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0)
      ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR)
      return false;
    text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
  return true;
}

/// Writes to a descriptor; false, and errno says why, if it could not.
using Writer = std::function<bool(int file)>;

/// Devices and pipes: renaming onto /dev/null would replace the device itself.
void write_in_place(const fs::path& path, const Writer& write) {
  const WaitForPipe wait;
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.number() < 0 || !write(file.number()) || !file.close())
    fail_to_write(path);
}

/// The file that a rename must replace: a link keeps pointing where it points.
fs::path link_target(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::is_symlink(path, error) ? fs::weakly_canonical(path, error) : path;
  return error || target.empty() ? path : target;
}

/// The mode of the file that is replaced, or what any new file gets.
mode_t mode_for(const fs::path& target) {
  struct stat old {};
  if (::stat(target.c_str(), &old) == 0)
    return old.st_mode & 07777;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

void sync_folder(const fs::path& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.number() >= 0)
    ::fsync(opened.number());  // some file systems cannot; the file itself is on disk
}

/// A new file beside the target whose name nobody can foresee (mkostemp: O_CREAT, O_EXCL, which
/// follows no link that waits there), complete and on disk before it takes the target's name.
void write_and_rename(const fs::path& path, const Writer& write) {
  const fs::path target = link_target(path);
  std::string temporary = target.string() + ".XXXXXX";
  const mode_t mode = mode_for(target);
  std::optional<HeldSignals> held(std::in_place);
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.number() < 0)
    fail_to_write(path);
  const PendingFile pending(temporary);
  held.reset();
  // A file system without modes refuses to set one; the file then keeps mkostemp's 0600.
  const bool moded = ::fchmod(file.number(), mode) == 0 || errno == EPERM || errno == ENOTSUP;
  if (moded && write(file.number()) && ::fsync(file.number()) == 0 && file.close() &&
      ::rename(temporary.c_str(), target.c_str()) == 0) {
    sync_folder(target.has_parent_path() ? target.parent_path() : ".");
    return;
  }
  const int reason = errno;
  ::unlink(temporary.c_str());
  errno = reason;
  fail_to_write(path);
}

void write_by(const fs::path& path, const Writer& write) {
  check_may_write(path);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status))
    throw InputError(path.string() + ": cannot be written: is a directory");
  if (fs::exists(status) && !fs::is_regular_file(status))
    write_in_place(path, write);
  else
    write_and_rename(path, write);
}

}  // namespace

void write_text_file(const fs::path& path, std::string_view text) {
  write_by(path, [text](int file) { return write_all(file, text); });
}

void write_text_file(const fs::path& path, const SpooledText& text) {
  write_by(path, [&text](int file) {
    bool written = true;
    text.read([&](std::string_view piece) { written = written && write_all(file, piece); });
    return written;
  });
}

}  // namespace stepcast
