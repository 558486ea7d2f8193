#include "sim/cli/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <unistd.h>

#include "models/base/error.hpp"

namespace stepcast {

namespace fs = std::filesystem;

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

void check_figure(const std::string& path) {
  if (!path.ends_with(".svg"))
    throw InputError(path + ": figures are SVG; expected a name that ends in .svg");
  check_writable(path);
}

}  // namespace stepcast
