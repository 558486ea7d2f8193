#include "sim/forecast/chance/seeds.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "models/base/archive.hpp"
#include "models/base/error.hpp"
#include "models/base/ranges.hpp"
#include "models/base/text.hpp"
#include "sim/workers/workers.hpp"

namespace stepcast {
namespace {

constexpr double kEnough = 0.01;
constexpr std::uint32_t kFirstSeeds = 128;  // the least at which P95 has an interval is 72
constexpr std::uint32_t kBlock = 8;         // seeds that a process takes at once, at most

using Job = std::function<SeedResult(std::uint64_t)>;

// Seeds results.size() .. end - 1, behind the others.
void add_seeds(std::vector<SeedResult>& results, std::uint32_t end, std::uint32_t workers,
               const Job& job) {
  const auto first = static_cast<std::uint32_t>(results.size());
  if (workers == 1) {
    for (std::uint32_t seed = first; seed < end; ++seed)
      results.push_back(job(seed));
    return;
  }
  const std::uint32_t size = std::min(kBlock, (end - first + workers - 1) / workers);
  const auto block = [&](std::uint32_t number) {
    std::vector<SeedResult> found;
    const std::uint32_t begin = first + number * size;
    for (std::uint32_t seed = begin; seed < std::min(end, begin + size); ++seed)
      found.push_back(job(seed));
    return bytes_of(found);
  };
  const std::uint32_t blocks = (end - first + size - 1) / size;
  for (const std::string& bytes : run_on_workers(blocks, workers, block, [] {}))
    std::ranges::move(from_bytes<std::vector<SeedResult>>(bytes), std::back_inserter(results));
}

std::vector<double> sorted_times(const std::vector<SeedResult>& results) {
  std::vector<double> times;
  for (const SeedResult& result : results)
    times.push_back(result.time);
  std::ranges::sort(times);
  return times;
}

bool is_enough(const std::vector<SeedResult>& results) {
  const std::vector<double> times = sorted_times(results);
  return half_width(times, 0.5).value_or(1) < kEnough &&
         half_width(times, 0.95).value_or(1) < kEnough;
}

std::string interval_of(const char* name, const SeedQuantile& quantile) {
  if (quantile.low <= Seconds{} || quantile.high <= Seconds{})
    return fmt::format("{} {} (too few seeds for an interval)", name,
                       format_seconds(quantile.value));
  return fmt::format("{} {} ({} to {})", name, format_seconds(quantile.value),
                     format_seconds(quantile.low), format_seconds(quantile.high));
}

}  // namespace

std::vector<SeedResult> run_seeds(const Chance& chance, const Job& job) {
  std::vector<SeedResult> results;
  if (chance.seeds > 0) {
    add_seeds(results, chance.seeds, chance.workers, job);
    return results;
  }
  for (std::uint32_t count = kFirstSeeds; count <= Chance::kMostSeeds; count *= 2) {
    add_seeds(results, count, chance.workers, job);
    if (is_enough(results))
      break;
  }
  return results;
}

SeedSpread spread_of(const std::vector<SeedResult>& results, std::uint32_t iterations) {
  const std::vector<double> times = sorted_times(results);
  double sum = 0;
  for (const double time : times)
    sum += time;
  const Seconds mean{sum / static_cast<double>(times.size())};
  if (!(mean <= kLongestWork))
    throw InputError(
        fmt::format("`slow`: an iteration takes {:.4g} s on average, more than the "
                    "{:.0e} s that are simulated",
                    mean.value, kLongestWork.value));
  return {.seeds = static_cast<std::uint32_t>(times.size()),
          .iterations = iterations,
          .mean = mean,
          .p50 = estimate_quantile<Seconds>(times, 0.5),
          .p95 = estimate_quantile<Seconds>(times, 0.95)};
}

Note note_on(const SeedSpread& spread) {
  return {NoteKind::Scope, "seeds",
          fmt::format("{} seeds of {} iterations each: the iteration time is their mean; of the "
                      "seeds' means, with 95 % intervals, {}, {}.",
                      spread.seeds, spread.iterations, interval_of("P50", spread.p50),
                      interval_of("P95", spread.p95))};
}

}  // namespace stepcast
