#include "sim/study/parts_breakdown.hpp"

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/registry.hpp"
#include "sim/engine/steps.hpp"
#include "sim/study/effects.hpp"

namespace stepcast {
namespace {

const PartsInfo& info_of(const Scenario& scenario) {
  return schedule_of(scenario.schedules.front()).parts;
}

void check(const Scenario& scenario) {
  const PartsInfo& info = info_of(scenario);
  std::vector<std::string> known;
  for (const ScheduleInfo& each : all_schedules())
    if (!each.parts.parts.empty())
      known.push_back(each.name);
  if (info.parts.empty())
    throw InputError(
        fmt::format("breakdown: {} does not divide its step into parts; expected one of {}",
                    scenario.schedules.front(), fmt::join(known, ", ")));
  if (scenario.settings.schedule.contains(info.option))
    throw InputError(fmt::format("`set` {}: breakdown sets it itself", info.option));
}

std::vector<NamedTime> exposed(const Scenario& scenario) {
  const Plan plan = planned(scenario, scenario.schedules.front()).plan;
  const Timeline timeline = simulate(plan, scenario.cluster, scenario.engine);
  const ClassId slowest = extremes_of(plan, timeline).slowest;
  return parts_of(info_of(scenario), plan,
                  window_of(plan, timeline, slowest, latest_ready_of(plan, timeline)));
}

/// The scenario with one part more in each combination.
Sweep sweep_of_parts(const Scenario& scenario) {
  Sweep sweep{.scenarios = {scenario}, .has_lists = true};
  const PartsInfo& info = info_of(scenario);
  for (const PartInfo& part : info.parts) {
    if (part.setting.empty())
      continue;
    Combination& combination = sweep.combinations.emplace_back();
    combination.cells = {{info.option, part.setting}};
    combination.schedule = scenario.schedules.front();
    combination.settings.schedule[info.option] = part.setting;
  }
  return sweep;
}

/// Of the parts that can be switched on, which come first.
std::vector<NamedTime> ablation(const Scenario& scenario, const StudyRules& rules) {
  const Sweep sweep = sweep_of_parts(scenario);
  const auto step_time = [&](std::uint32_t number) {
    const Combination& combination = sweep.combinations[number];
    const Scenario each = scenario_of(sweep, combination);
    const Plan plan = planned(each, combination.schedule).plan;
    return step_time_of(plan, each.cluster, each.engine);
  };
  std::vector<NamedTime> parts;
  Seconds before{};
  for (const Found<Seconds>& time : find_each<Seconds>(sweep, rules, step_time)) {
    parts.push_back({info_of(scenario).parts[parts.size()].name, time.result - before});
    before = time.result;
  }
  return parts;
}

}  // namespace

PartsProtocol parse_protocol(const std::string& name) {
  for (const PartsProtocol protocol : {PartsProtocol::Exposed, PartsProtocol::Ablation})
    if (name == name_of(protocol))
      return protocol;
  throw InputError(
      fmt::format("`protocol`: expected exposed or ablation, found {}", in_quotes(name)));
}

const char* name_of(PartsProtocol protocol) {
  switch (protocol) {
    case PartsProtocol::Exposed:
      return "exposed";
    case PartsProtocol::Ablation:
      return "ablation";
  }
  return "";
}

PartsBreakdown find_parts_breakdown(const Scenario& scenario, PartsProtocol protocol,
                                    const StudyRules& rules) {
  check(scenario);
  const TuningJob job = job_of(scenario, scenario.schedules.front());
  return {
      .schedule = scenario.schedules.front(),
      .workload = scenario.workload.name,
      .cluster = scenario.cluster,
      .fidelity = scenario.engine.fidelity,
      .protocol = protocol,
      .parts = protocol == PartsProtocol::Exposed ? exposed(scenario) : ablation(scenario, rules),
      .note = info_of(scenario).note,
      .notes = notes_before_simulation(scenario, job, planned(job))};
}

}  // namespace stepcast
