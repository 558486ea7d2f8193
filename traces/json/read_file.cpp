#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "models/base/error.hpp"
#include "models/base/utf8.hpp"
#include "traces/byte_order_mark.hpp"
#include "traces/json/file_limits.hpp"
#include "traces/json/given_texts.hpp"
#include "traces/json/pending_files.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// Of what may be anything, where nothing of that name is there.
constexpr std::size_t kLongestName = 240;

[[noreturn]] void fail_to_read(const std::string& origin) {
  throw InputError(abridged(origin, kLongestName) +
                   ": cannot be read: " + (errno == 0 ? "unknown reason" : std::strerror(errno)));
}

}  // namespace

std::string read_text_file(const fs::path& path) {
  const std::string origin = path.string();
  if (const std::string* given = find_given_text(origin))
    return without_byte_order_mark(*given);
  check_may_read(path);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    throw InputError(abridged(origin, kLongestName) + ": not found");
  if (fs::is_directory(status))
    throw InputError(origin + ": is a directory, expected a file");
  const FileLimits limits = file_limits();
  std::optional<WaitForPipe> wait;
  if (!fs::is_regular_file(status))
    wait.emplace();
  errno = 0;
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rbe"));
  if (!file)
    fail_to_read(origin);
  // The size of a device or pipe shows only as it is read; that of a file is known before.
  std::size_t chunk = kChunk;
  if (fs::is_regular_file(status)) {
    const std::uintmax_t size = fs::file_size(path, error);
    check_whole_size(origin, static_cast<double>(size), limits);
    chunk = std::min<std::size_t>(chunk, size) + 1;  // it is cleared before it is read
  }
  std::string text;
  std::size_t count = chunk;
  while (count == chunk) {
    const std::size_t before = text.size();
    text.resize(before + chunk);
    count = std::fread(text.data() + before, 1, chunk, file.get());
    text.resize(before + count);
    check_whole_size(origin, static_cast<double>(text.size()), limits);
  }
  if (std::ferror(file.get()) != 0)
    fail_to_read(origin);
  text = without_byte_order_mark(std::move(text));
  if (text.empty())
    throw InputError(origin + ": is empty");
  return text;
}

}  // namespace stepcast
