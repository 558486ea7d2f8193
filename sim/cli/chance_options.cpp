#include "sim/cli/chance_options.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kMostSeeds = 100'000;
constexpr std::uint32_t kMostIterations = 1'000'000;

}  // namespace

void add_chance_options(std::vector<CommandOption>& options, ChanceRequest& request) {
  options.push_back(
      {"--slow", "LAW", &request.slow,
       "slow ranks down, all laws at once; may be repeated: rank=3,factor=5\n"
       "bernoulli:factor=6,p=1/16 lognormal:sigma=0.14 exponential:mean=0.1\n"
       "pareto:alpha=3 episodes:factor=2,every=1000,least=10,most=100 (in\niterations), each with "
       "per=rank|node|all, drawn=step|once, on=network\n(transfers and links); "
       "recorded:file=FILE.csv "
       "(by diagnose --slow-downs)\nor a shipped job, as bytedance-se"});
  options.push_back({"--seeds", "N|auto", &request.seeds,
                     "simulations with draws of their own (default 100); auto: until\nP50 and P95 "
                     "are known to 1 %"});
  options.push_back({"--iterations", "K", &request.iterations,
                     "iterations of each simulation (default: until they repeat; 20 where\n--slow "
                     "draws)"});
}

std::uint32_t iterations_of(const ChanceRequest& request) {
  const std::uint32_t iterations = request.iterations.value_or(0);
  if (iterations > kMostIterations)
    throw InputError(
        fmt::format("--iterations: expected at most {}, found {}", kMostIterations, iterations));
  return iterations;
}

Chance chance_of(const ChanceRequest& request, std::uint32_t workers) {
  Chance chance{.workers = workers};
  if (request.seeds.empty())
    return chance;
  if (request.slow.empty())
    throw InputError("--seeds: nothing is drawn without --slow LAW");
  chance.asked = true;
  if (request.seeds == "auto") {
    chance.seeds = 0;
    return chance;
  }
  try {
    chance.seeds = parse_count(request.seeds, 1);
  } catch (const InputError& error) {
    throw InputError(fmt::format("--seeds: {} (or auto)", error.what()));
  }
  if (chance.seeds > kMostSeeds)
    throw InputError(
        fmt::format("--seeds: expected at most {} (or auto), found {}", kMostSeeds, chance.seeds));
  return chance;
}

}  // namespace stepcast
