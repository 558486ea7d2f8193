#include "sim/cli/study/file_lines.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "models/base/error.hpp"
#include "traces/json/file_limits.hpp"
#include "traces/json/given_texts.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 15;

/// At most so many bytes from there on; none at the end of the file.
std::string read_at(const std::string& path, std::uint64_t place, std::size_t most) {
  std::string text(most, '\0');
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ssize_t count = -1;
  do
    count = file < 0 ? -1 : ::pread(file, text.data(), most, static_cast<off_t>(place));
  while (count < 0 && file >= 0 && errno == EINTR);
  const int reason = errno;
  if (file >= 0)
    ::close(file);
  if (count < 0)
    throw InputError(path + ": cannot be read: " + std::strerror(reason));
  text.resize(static_cast<std::size_t>(count));
  return text;
}

}  // namespace

FileLines::FileLines(const std::string& path) : path_(path) {
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(path, error);
  if (find_given_text(path) == nullptr && is_file) {
    check_may_read(path);
    return;
  }
  piece_ = read_text_file(path);  // a text in memory, or a pipe, which cannot be read again
  is_all_ = true;
}

std::optional<std::string> FileLines::next() {
  std::size_t end = piece_.find('\n', at_);
  while (end == std::string::npos && read_on())
    end = piece_.find('\n', at_);
  if (end == std::string::npos)
    return std::nullopt;
  std::string line = piece_.substr(at_, end - at_);
  at_ = end + 1;
  ++number_;
  return line;
}

bool FileLines::ends_with(std::string_view end) const {
  if (is_all_)
    return piece_.ends_with(end);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path_, error);
  return !error && size >= end.size() && read_at(path_, size - end.size(), end.size()) == end;
}

bool FileLines::read_on() {
  if (is_all_)
    return false;
  const std::string more = read_at(path_, rest_, kPiece);
  piece_.erase(0, at_);
  piece_ += more;
  check_whole_size(path_, static_cast<double>(piece_.size()), file_limits());  // a line without end
  at_ = 0;
  rest_ += more.size();
  is_all_ = more.empty();
  return !is_all_;
}

nlohmann::json parse_line(const std::string& line, const std::string& path, std::size_t number) {
  constexpr std::string_view kPlace = ": line 1, ";
  try {
    return parse_json(line, path);
  } catch (const InputError& error) {
    std::string text = error.what();
    if (text.compare(path.size(), kPlace.size(), kPlace) == 0)
      text.replace(path.size(), kPlace.size(), fmt::format(": line {}, ", number));
    throw InputError(text);
  }
}

}  // namespace stepcast
