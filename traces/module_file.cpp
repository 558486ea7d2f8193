#include "traces/module_file.hpp"

#include <array>

#include <dlfcn.h>

// A module lies beside the program in the build tree, and below the library folder beside the
// program (or Python's module) where both are installed. The place of installation known when this
// was compiled is for programs of others that link our libraries. The build tree is no such place:
// a program that was copied out of it must not load a module of another state from there.

namespace stepcast {
namespace {

namespace fs = std::filesystem;

fs::path own_folder() {
  Dl_info own{};
  std::error_code error;
  if (dladdr(reinterpret_cast<const void*>(&module_file), &own) == 0)
    return {};
  // The name of a program is what it was called by, which the working directory may have made
  // wrong.
  fs::path file = fs::path(own.dli_fname).extension() == ".so" ? fs::path(own.dli_fname)
                                                               : fs::path("/proc/self/exe");
  file = fs::canonical(file, error);
  return file.parent_path();
}

}  // namespace

fs::path module_file(std::string_view name) {
  const fs::path folder = own_folder();
  const std::array candidates{folder / name,
                              folder.parent_path() / STEPCAST_LIBRARIES / "stepcast" / name,
                              fs::path(STEPCAST_INSTALL_FOLDER) / name};
  std::error_code error;
  for (const fs::path& candidate : candidates)
    if (fs::exists(candidate, error))
      return candidate;
  return candidates.back();
}

}  // namespace stepcast
