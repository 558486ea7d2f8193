#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include <unistd.h>

#include "models/base/error.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {

namespace fs = std::filesystem;

namespace {

std::string reason_of(int error) {
  return error == 0 ? "unknown reason" : std::strerror(error);
}

void write_stream(const fs::path& file, std::string_view text, const fs::path& shown) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (!stream) {
    throw InputError(shown.string() + ": cannot be written: " + reason_of(errno));
  }
}

/// The file that a rename must replace: a link keeps pointing where it points.
fs::path link_target(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::is_symlink(path, error) ? fs::weakly_canonical(path, error) : path;
  return error || target.empty() ? path : target;
}

void write_and_rename(const fs::path& path, std::string_view text) {
  const fs::path target = link_target(path);
  fs::path temporary = target;
  temporary += ".tmp" + std::to_string(::getpid());
  std::error_code error;
  try {
    write_stream(temporary, text, path);
    fs::rename(temporary, target);
  } catch (const fs::filesystem_error& failure) {
    fs::remove(temporary, error);
    throw InputError(path.string() + ": cannot be written: " + failure.code().message());
  } catch (const InputError&) {
    fs::remove(temporary, error);
    throw;
  }
}

}  // namespace

std::string read_text_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    throw InputError(path.string() + ": not found");
  if (fs::is_directory(status)) {
    throw InputError(path.string() + ": is a directory, expected a file");
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    throw InputError(path.string() + ": cannot be read: " + reason_of(errno));
  std::ostringstream text;
  text << stream.rdbuf();
  if (stream.bad())
    throw InputError(path.string() + ": cannot be read: " + reason_of(errno));
  if (text.view().empty())
    throw InputError(path.string() + ": is empty");
  return std::move(text).str();
}

void write_text_file(const fs::path& path, std::string_view text) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) {
    throw InputError(path.string() + ": cannot be written: is a directory");
  }
  // Renaming onto a device such as /dev/null would replace the device itself.
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    write_stream(path, text, path);
  } else {
    write_and_rename(path, text);
  }
}

}  // namespace stepcast
