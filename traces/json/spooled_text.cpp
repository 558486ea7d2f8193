#include "traces/json/spooled_text.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "models/base/error.hpp"
#include "traces/json/pending_files.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kHeld = std::size_t{4} << 20;
constexpr std::size_t kPiece = std::size_t{1} << 18;

std::string folder_for_temporary_files() {
  const char* chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
}

[[noreturn]] void fail(const char* what) {
  throw InputError(folder_for_temporary_files() +
                   ": the results that are to be printed cannot be " + what + ": " +
                   std::strerror(errno) + " (TMPDIR names another folder)");
}

int file_without_name() {
  std::string name = folder_for_temporary_files() + "/stepcast-XXXXXX";
  const HeldSignals held;  // until it has no name
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0)
    fail("kept");
  ::unlink(name.c_str());
  return file;
}

}  // namespace

SpooledText::~SpooledText() {
  if (file_ >= 0)
    ::close(file_);
}

SpooledText::SpooledText(SpooledText&& other) noexcept
    : text_(std::move(other.text_)),
      file_(std::exchange(other.file_, -1)),
      in_file_(std::exchange(other.in_file_, 0)) {}

SpooledText& SpooledText::operator=(SpooledText&& other) noexcept {
  std::swap(text_, other.text_);
  std::swap(file_, other.file_);
  std::swap(in_file_, other.in_file_);
  return *this;
}

void SpooledText::append(std::string_view text) {
  text_ += text;
  if (text_.size() > kHeld)
    write_out();
}

void SpooledText::append(const SpooledText& other) {
  other.read([this](std::string_view piece) { append(piece); });
}

void SpooledText::write_out() {
  if (file_ < 0)
    file_ = file_without_name();
  for (std::string_view rest = text_; !rest.empty();) {
    const ssize_t count = ::pwrite(file_, rest.data(), rest.size(), static_cast<off_t>(in_file_));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      fail("kept");
    rest.remove_prefix(static_cast<std::size_t>(count));
    in_file_ += static_cast<std::uint64_t>(count);
  }
  text_.clear();
}

void SpooledText::read(const std::function<void(std::string_view)>& take) const {
  std::string piece(is_in_file() ? kPiece : 0, '\0');
  for (std::uint64_t at = 0; at < in_file_;) {
    const ssize_t count = ::pread(file_, piece.data(), piece.size(), static_cast<off_t>(at));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      fail("read again");
    take(std::string_view(piece).substr(0, static_cast<std::size_t>(count)));
    at += static_cast<std::uint64_t>(count);
  }
  if (!text_.empty())
    take(text_);
}

int SpooledText::release() {
  write_out();
  in_file_ = 0;
  return std::exchange(file_, -1);
}

}  // namespace stepcast
