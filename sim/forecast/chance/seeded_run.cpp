#include "sim/forecast/chance/seeded_run.hpp"

#include <algorithm>

#include "models/base/archive.hpp"
#include "models/schedule/period.hpp"
#include "sim/engine/steps.hpp"

// Each seed is simulated for its times alone; the iteration to show is found among all of them and
// simulated once more, as no timeline of another is kept. Cost: seeds + 1 simulations.

namespace stepcast {
namespace {

struct Shown {
  std::uint64_t seed = 0;
  std::uint32_t iteration = 0;
  Seconds time{-1};
  Seconds worst{};
};

Shown to_show(const std::vector<SeedResult>& results, Seconds mean) {
  Shown shown;
  for (std::size_t seed = 0; seed < results.size(); ++seed) {
    std::vector<Seconds> times = from_bytes<std::vector<Seconds>>(results[seed].details);
    shown.worst = std::max(shown.worst, times.back());
    times.pop_back();
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (times[i] > shown.time && times[i] <= mean * (1 + 1e-9)) {
        shown.seed = seed;
        shown.iteration = static_cast<std::uint32_t>(i);
        shown.time = times[i];
      }
    }
  }
  return shown;
}

}  // namespace

SeededRun simulate_seeds(Plan& plan, const Cluster& cluster, const EngineOptions& engine,
                         const Chance& chance) {
  if (!engine.slow_down.is_chance())
    return {.timeline = simulate_steps(plan, cluster, engine), .spread = {}};
  plan = unrolled(plan);
  EngineOptions options = engine;
  if (options.iterations == 0)
    options.iterations = Chance::kIterations;
  const auto results = run_seeds(chance, [&](std::uint64_t seed) {
    EngineOptions own = options;
    own.slow_down.seed = seed;
    const Timeline timeline = simulate(plan, cluster, own);
    std::vector<Seconds> times = timeline.iteration_times;
    times.push_back(timeline.worst_iteration_time);  // behind them, for to_show()
    return SeedResult{.time = timeline.mean_iteration_time().value, .details = bytes_of(times)};
  });
  SeededRun run{.timeline = {}, .spread = spread_of(results, options.iterations)};
  const Shown shown = to_show(results, run.spread.mean);
  options.slow_down.seed = shown.seed;
  options.iterations = shown.iteration + 1;
  run.timeline = simulate(plan, cluster, options);
  run.timeline.iteration_time = run.timeline.iteration_times.back();
  run.timeline.mean_excess = run.spread.mean - run.timeline.iteration_time;
  run.timeline.worst_iteration_time = shown.worst;
  return run;
}

}  // namespace stepcast
