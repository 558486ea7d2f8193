#include <filesystem>

#include <dlfcn.h>
#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/engine/log.hpp"
#include "sim/engine/network/simgrid.hpp"
#include "sim/engine/process/simulation_process.hpp"
#include "traces/module_file.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_load(const fs::path& file, const std::string& why) {
  throw SimulationError(
      fmt::format("{}: cannot load SimGrid, which this fidelity needs: {}", file.string(), why));
}

SimGrid& load() {
  const fs::path file = module_file("stepcast_simgrid.so");
  void* module = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (module == nullptr)
    cannot_load(file, dlerror());
  const auto make = reinterpret_cast<MakeSimGrid>(dlsym(module, kMakeSimGrid));
  SimGrid* made = make == nullptr ? nullptr : make(STEPCAST_VERSION, log::from_simgrid);
  if (made == nullptr)
    cannot_load(file, "it was compiled for another version of stepcast or of SimGrid");
  if (log::shows_debug())
    log::debug(fmt::format("SimGrid {} from {}", version_in_words(made->version()), file.string()));
  return *made;
}

}  // namespace

SimGrid& simgrid_module() {
  static SimGrid& instance = load();  // never unloaded: SimGrid's statics may be in use to the end
  return instance;
}

// Loaded by the parent, so that it is loaded once for all simulations.
SimGrid& simgrid_for(const Cluster& cluster) {
  SimGrid& simgrid = simgrid_module();
  SimulationProcess::enter();
  simgrid.make_platform(cluster);
  return simgrid;
}

}  // namespace stepcast
