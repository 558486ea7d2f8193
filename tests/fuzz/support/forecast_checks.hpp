#pragma once

#include <cmath>
#include <string>

#include "models/base/fields.hpp"
#include "sim/forecast/forecast.hpp"
#include "tests/fuzz/checks.hpp"

namespace stepcast::fuzz {

/// What every forecast promises, whatever went in: finite and not negative, and parts that add up.
inline void require_sound(const Forecast& forecast) {
  for_each_leaf(forecast, []<class Leaf>(const Leaf& leaf) {
    if constexpr (std::is_floating_point_v<Leaf>)
      require(std::isfinite(leaf), "a forecast holds finite numbers");
  });
  const Seconds time = forecast.iteration_time;
  require(time > Seconds{}, "an iteration takes a time");
  require(forecast.throughput > 0, "samples are trained");
  const Breakdown& parts = forecast.breakdown;
  require(std::abs(total_of(parts) / time - 1) < 1e-6, "the parts of an iteration add up to it");
  for (const Seconds part : {parts.forward, parts.backward, parts.waiting, parts.idle})
    require(part.value > -1e-9 * time.value, "no part of an iteration is negative");
  for (const LinkLoad& link : forecast.links)
    require(finite_and_not_negative(link.bytes.value), "a link carries bytes");
  require(finite_and_not_negative(forecast.memory.total().value), "memory is a size");
}

/// Below "accepts": a simulation that cannot complete is an answer too.
template <class Simulate>
bool answers(Simulate simulate) {
  return accepts([&] {
    try {
      simulate();
    } catch (const SimulationError& error) {
      throw InputError(error.what());
    }
  });
}

}  // namespace stepcast::fuzz
