#include <array>
#include <filesystem>

#include <dlfcn.h>
#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/engine/log.hpp"
#include "sim/engine/network/simgrid.hpp"

// The module lies beside the program in the build tree, and below the library folder beside the
// program (or Python's module) where both are installed; the places known when this was compiled
// are for programs of others that link our libraries.

namespace stepcast {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "stepcast_simgrid.so";

fs::path own_folder() {
  Dl_info own{};
  std::error_code error;
  if (dladdr(reinterpret_cast<const void*>(&simgrid_module), &own) == 0)
    return {};
  // The name of a program is what it was called by, which the working directory may have made
  // wrong.
  fs::path file = fs::path(own.dli_fname).extension() == ".so" ? fs::path(own.dli_fname)
                                                               : fs::path("/proc/self/exe");
  file = fs::canonical(file, error);
  return file.parent_path();
}

fs::path find_module() {
  const fs::path folder = own_folder();
  const std::array candidates{
      folder / kName, folder.parent_path() / STEPCAST_LIBRARIES / "stepcast" / kName,
      fs::path(STEPCAST_BUILD_FOLDER) / kName, fs::path(STEPCAST_INSTALL_FOLDER) / kName};
  std::error_code error;
  for (const fs::path& candidate : candidates)
    if (fs::exists(candidate, error))
      return candidate;
  return candidates.back();
}

[[noreturn]] void cannot_load(const fs::path& file, const std::string& why) {
  throw SimulationError(
      fmt::format("{}: cannot load SimGrid, which this fidelity needs: {}", file.string(), why));
}

bool is_loaded = false;

SimGrid& load() {
  const fs::path file = find_module();
  void* module = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (module == nullptr)
    cannot_load(file, dlerror());
  const auto make = reinterpret_cast<MakeSimGrid>(dlsym(module, kMakeSimGrid));
  SimGrid* made = make == nullptr ? nullptr : make(STEPCAST_VERSION, log::from_simgrid);
  if (made == nullptr)
    cannot_load(file, "it belongs to another version of stepcast");
  is_loaded = true;
  if (log::shows_debug())
    log::debug(fmt::format("SimGrid {} from {}", made->version(), file.string()));
  return *made;
}

}  // namespace

bool simgrid_is_loaded() {
  return is_loaded;
}

SimGrid& simgrid_module() {
  static SimGrid& instance = load();  // never unloaded: SimGrid's statics may be in use to the end
  return instance;
}

}  // namespace stepcast
