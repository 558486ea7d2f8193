#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "models/base/fields.hpp"

namespace stepcast {

/// A version as SimGrid numbers its own: 33201 is 3.32.1.
using SimGridVersion = std::uint32_t;

/// "3.32", or "3.32.1" where the patch is not 0.
std::string version_in_words(SimGridVersion version);

/// What carried the clock and the flows of a simulation.
struct EngineUse {
  bool simgrid = false;  ///< SimGrid, from the first event to the last; else StepCast's own engine.
  std::uint64_t activities = 0;  ///< Flows and timers that SimGrid simulated.
  SimGridVersion version = 0;    ///< Where it simulated any.
};

auto fields_of(Is<EngineUse> auto& use) {
  auto& [simgrid, activities, version] = use;
  return std::tie(simgrid, activities, version);
}

}  // namespace stepcast
