#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/base/fields.hpp"
#include "models/base/note.hpp"
#include "models/base/quantile_interval.hpp"
#include "models/base/units.hpp"

namespace stepcast {

/// How often a forecast with chance is repeated.
struct Chance {
  /// Of simulations, each with draws of its own; 0: as many as it takes until the 95 % intervals of
  /// P50 and P95 are within 1 % to both sides.
  std::uint32_t seeds = kSeeds;
  std::uint32_t workers = 1;  ///< Processes. The result is the same for any number.
  bool asked = false;         ///< The user named the seeds: fewer must not do.

  static constexpr std::uint32_t kSeeds = 100;
  static constexpr std::uint32_t kMostSeeds = 4096;  ///< Where they are chosen.
  static constexpr std::uint32_t kIterations = 20;   ///< Of a seed where nobody says.
};

using SeedQuantile = QuantileEstimate<Seconds>;

/// How the mean iteration time differs from seed to seed.
struct SeedSpread {
  std::uint32_t seeds = 0;  ///< 0: no chance, one simulation.
  std::uint32_t iterations = 0;
  Seconds mean{};
  SeedQuantile p50{};
  SeedQuantile p95{};
};

auto fields_of(Is<SeedSpread> auto& spread) {
  auto& [seeds, iterations, mean, p50, p95] = spread;
  return std::tie(seeds, iterations, mean, p50, p95);
}

/// What came of one seed.
struct SeedResult {
  double time = 0;      ///< What decides when there are enough.
  std::string details;  ///< Whatever the caller wants back.
};

auto fields_of(Is<SeedResult> auto& result) {
  auto& [time, details] = result;
  return std::tie(time, details);
}

/// The results of seeds 0, 1, ... in this order, for any number of workers the same. `job` must
/// depend on nothing but its seed.
std::vector<SeedResult> run_seeds(const Chance& chance,
                                  const std::function<SeedResult(std::uint64_t seed)>& job);

SeedSpread spread_of(const std::vector<SeedResult>& results, std::uint32_t iterations);

/// A sentence on seeds, iterations and how far the quantiles are known.
Note note_on(const SeedSpread& spread);

}  // namespace stepcast
