#include "sim/report/png/png.hpp"

#include <filesystem>

#include <dlfcn.h>
#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/report/png/png_module.hpp"
#include "traces/module_file.hpp"

// librsvg and what it needs take .1 s to load and are no part of a plain installation: a module
// holds what calls them, and only a picture in PNG loads it.

namespace stepcast {

void require_png(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(module_file(kPngModule), error))
    throw InputError(path +
                     ": this build draws no PNG (scripts/setup --page installs librsvg; then build "
                     "again); expected a name that ends in .svg");
}

std::string png_of(const std::string& svg) {
  const std::filesystem::path file = module_file(kPngModule);
  void* module = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  const auto draw =
      module == nullptr ? nullptr : reinterpret_cast<DrawPng>(dlsym(module, kDrawPng));
  if (draw == nullptr)
    throw SimulationError(fmt::format("{}: cannot load librsvg: {}", file.string(), dlerror()));
  std::string png;
  std::string error;
  draw(svg, png, error);
  if (!error.empty())
    throw SimulationError("the picture cannot be drawn as PNG: " + error);
  return png;
}

}  // namespace stepcast
