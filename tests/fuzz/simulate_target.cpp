// A schedule on the first line, a `--set` argument on each other: plan, engine, forecast.
#include <string>
#include <vector>

#include "models/schedule/list/registry.hpp"
#include "tests/fuzz/support/forecast_checks.hpp"
#include "tests/fuzz/support/small_job.hpp"
#include "tests/fuzz/targets.hpp"

namespace stepcast::fuzz {

bool accepts_simulate(std::string_view text) {
  return answers([&] {
    std::vector<std::string> lines = lines_of(text);
    if (lines.empty())
      throw InputError("no schedule");
    const std::string schedule = lines.front();
    schedule_of(schedule);
    lines.erase(lines.begin());
    const Settings settings = parse_settings(lines);
    require_small(settings);
    const Cluster cluster = with_settings(small_cluster(), settings);
    const Workload workload = with_settings(small_workload(), resolved_batch(settings, cluster));
    const Plan plan = build_plan(schedule, workload, cluster, settings.schedule);
    if (plan.graph.size() > kMostTasks)
      throw InputError("too large to be tried often");
    for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow}) {
      const EngineOptions engine{.fidelity = fidelity, .stragglers = settings.stragglers};
      require_sound(make_forecast(workload, cluster, plan, settings.schedule, fidelity,
                                  simulate(plan, cluster, engine)));
    }
  });
}

}  // namespace stepcast::fuzz
