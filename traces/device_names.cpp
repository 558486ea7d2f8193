#include "traces/device_names.hpp"

#include <algorithm>

#include "traces/catalog.hpp"
#include "traces/readers/stepcast/device_reader.hpp"

namespace stepcast {

std::optional<std::string> find_device_called(const std::string& profiler_name) {
  for (const std::string& device : list_names(CatalogKind::Device)) {
    const auto names = read_profiler_names(find_file(CatalogKind::Device, device));
    if (std::ranges::find(names, profiler_name) != names.end())
      return device;
  }
  return std::nullopt;
}

}  // namespace stepcast
