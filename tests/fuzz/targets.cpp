#include "tests/fuzz/targets.hpp"

#include <algorithm>
#include <string>

#include "models/base/error.hpp"

namespace stepcast::fuzz {

std::span<const Target> targets() {
  static constexpr Target kTargets[] = {
      {"architecture", accepts_architecture},
      {"cluster", accepts_cluster},
      {"device", accepts_device},
      {"experiment", accepts_experiment},
      {"hardware", accepts_hardware},
      {"pipedream", accepts_pipedream},
      {"plan", accepts_plan},
      {"settings", accepts_settings},
      {"workload", accepts_workload},
  };
  return kTargets;
}

const Target& target_of(std::string_view name) {
  const auto found = std::ranges::find(targets(), name,
                                       [](const Target& t) -> std::string_view { return t.name; });
  if (found == targets().end()) {
    throw InputError("no fuzz target is called " + std::string(name));
  }
  return *found;
}

}  // namespace stepcast::fuzz
