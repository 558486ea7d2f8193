#include "sim/cli/tell.hpp"

#include <cerrno>
#include <cstdio>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace stepcast {
namespace {

int first_output_error = 0;
thread_local KeptOutput* kept = nullptr;

}  // namespace

KeptOutput::KeptOutput() noexcept : outer_(std::exchange(kept, this)) {}

KeptOutput::~KeptOutput() {
  kept = outer_;
}

void say_text(std::string_view text) {
  if (kept != nullptr) {
    kept->said.append(text);
    return;
  }
  // The end of a long text would wait in the buffer until the process ends, and a signal on the way
  // would leave the text cut short.
  constexpr std::size_t kLong = 4096;
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
                       (text.size() < kLong || std::fflush(stdout) == 0);
  if (!written && first_output_error == 0)
    first_output_error = errno != 0 ? errno : EIO;
}

void say_text(SpooledText text) {
  if (kept != nullptr && text.is_in_file() && kept->said_at_length.size() == 0)
    kept->said_at_length = std::move(text);
  else
    text.read([](std::string_view piece) { say_text(piece); });
}

int output_error() noexcept {
  errno = 0;
  if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && first_output_error == 0)
    first_output_error = errno != 0 ? errno : EIO;
  return first_output_error;
}

void tell_text(std::string_view text) {
  if (kept != nullptr) {
    kept->told.append(text);
    return;
  }
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void hold_standard_streams() noexcept {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      ::open("/dev/null",
             stream == STDERR_FILENO ? O_WRONLY : O_RDONLY);  // takes the lowest number
}

}  // namespace stepcast
