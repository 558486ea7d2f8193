// A schedule, also one that decides at run time, on the first line; on each other what slows ranks
// down ("slow pareto:alpha=3") or a `--set` argument: three iterations of two seeds.
#include <string>
#include <vector>

#include "models/schedule/decentralised/schedules.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/forecast/scenario.hpp"
#include "tests/fuzz/support/forecast_checks.hpp"
#include "tests/fuzz/support/small_job.hpp"
#include "tests/fuzz/targets.hpp"

namespace stepcast::fuzz {
namespace {

constexpr std::string_view kSlow = "slow ";
constexpr std::size_t kMostLaws = 3;

}  // namespace

bool accepts_chance(std::string_view text) {
  return answers([&] {
    std::vector<std::string> lines = lines_of(text);
    if (lines.empty())
      throw InputError("no schedule");
    const std::string schedule = lines.front();
    schedule_of(schedule);
    lines.erase(lines.begin());
    std::vector<std::string> slow;
    for (const std::string& line : lines)
      if (line.starts_with(kSlow))
        slow.push_back(line.substr(kSlow.size()));
    std::erase_if(lines, [](const std::string& line) { return line.starts_with(kSlow); });
    if (slow.size() > kMostLaws)
      throw InputError("too many laws to be tried often");
    Settings settings = parse_settings(lines);
    require_small(settings);
    Scenario scenario{.original_workload = small_workload(),
                      .original_cluster = small_cluster(),
                      .schedules = {schedule}};
    scenario.engine.fidelity = Fidelity::Analytic;
    add_chance(scenario, slow, 3, {.seeds = 2});
    scenario = changed(std::move(scenario), std::move(settings));
    if (!schedule_of(schedule).asynchronous &&
        planned(scenario, schedule).plan.graph.size() > kMostTasks)
      throw InputError("too large to be tried often");
    require_sound(simulated(scenario, schedule).forecast);
  });
}

}  // namespace stepcast::fuzz
