#include "sim/cli/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "models/base/error.hpp"

namespace stepcast {

namespace fs = std::filesystem;

namespace {

/// Whether both names lead to one regular file, there or not yet. Devices may be given twice.
bool same_file(const std::string& left, const std::string& right) {
  std::error_code error;
  if (fs::exists(left, error) && !fs::is_regular_file(left, error))
    return false;
  if (fs::equivalent(left, right, error) && !error)
    return true;
  return fs::weakly_canonical(left, error) == fs::weakly_canonical(right, error);
}

}  // namespace

void check_writable(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    throw InputError(path + ": cannot be written: is a directory");
  if (fs::exists(path, error))
    return;
  const fs::path folder = fs::path(path).has_parent_path() ? fs::path(path).parent_path() : ".";
  if (!fs::is_directory(folder, error))
    throw InputError(path + ": cannot be written: there is no folder " + folder.string());
  if (::access(folder.c_str(), W_OK) != 0)
    throw InputError(path + ": cannot be written: " + std::strerror(errno));
}

void check_outputs(const std::vector<std::pair<std::string, std::string>>& outputs) {
  for (auto each = outputs.begin(); each != outputs.end(); ++each) {
    if (each->second.empty())
      continue;
    check_writable(each->second);
    for (auto other = outputs.begin(); other != each; ++other)
      if (!other->second.empty() && same_file(other->second, each->second))
        throw InputError(fmt::format("{} {}: is the file of {} too; one of the two would be lost",
                                     each->first, each->second, other->first));
  }
}

void check_figure(const std::string& path) {
  if (!path.ends_with(".svg"))
    throw InputError(path + ": figures are SVG; expected a name that ends in .svg");
  check_writable(path);
}

}  // namespace stepcast
