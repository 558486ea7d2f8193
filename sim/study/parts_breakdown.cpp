#include "sim/study/parts_breakdown.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/enum_name.hpp"
#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/engine/steps.hpp"
#include "sim/forecast/effects.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

const PartsInfo& info_of(const Scenario& scenario) {
  return schedule_of(scenario.schedules.front()).parts;
}

void check(const Scenario& scenario, PartsProtocol protocol) {
  const PartsInfo& info = info_of(scenario);
  std::vector<std::string> known;
  for (const ScheduleInfo& each : all_schedules())
    if (!each.parts.parts.empty())
      known.push_back(each.name);
  if (info.parts.empty() && protocol == PartsProtocol::Ablation)
    throw InputError(fmt::format(
        "`parts` ablation: {} has no option that switches parts of its step off; expected "
        "exposed, or one of {}",
        scenario.schedules.front(), fmt::join(known, ", ")));
  if (!info.option.empty() && scenario.settings.schedule.contains(info.option))
    throw InputError(fmt::format("`set` {}: parts ablation sets it itself", info.option));
}

/// Returns the parts that the schedule divides its step into, or those of every forecast.
std::vector<NamedTime> exposed(const Scenario& scenario) {
  const std::string& schedule = scenario.schedules.front();
  if (info_of(scenario).parts.empty())
    return breakdown_rows(plain_forecast_of(scenario, schedule).breakdown);
  Plan plan = planned(scenario, schedule).plan;
  const Timeline timeline = simulate_steps(plan, scenario.cluster, scenario.engine);
  const ClassId slowest = extremes_of(plan, timeline).slowest;
  std::vector<NamedTime> parts = parts_of(
      info_of(scenario), plan, window_of(plan, timeline, slowest, latest_ready_of(plan, timeline)));
  parts.back().time += timeline.mean_excess;
  scale(parts, 1.0 / steps_of(plan));
  return parts;
}

void add_note_on_period(Notes& notes, const Plan& plan) {
  if (steps_of(plan) > 1)
    notes.push_back(
        {NoteKind::Scope, "iterations",
         fmt::format("A period of {} training steps: times are means of a step.", steps_of(plan))});
}

/// The scenario with one part more in each combination.
Sweep sweep_of_parts(const Scenario& scenario) {
  Sweep sweep{.scenarios = {scenario}, .has_lists = true};
  const PartsInfo& info = info_of(scenario);
  for (const PartInfo& part : info.parts) {
    if (part.setting.empty())
      continue;
    Combination& combination = sweep.combinations.emplace_back();
    combination.baseline = static_cast<std::uint32_t>(sweep.combinations.size() - 1);
    combination.cells = {{info.option, part.setting}};
    combination.schedule = scenario.schedules.front();
    combination.settings.schedule[info.option] = part.setting;
  }
  return sweep;
}

/// Finds the parts that can be switched on, which come first, as far as all before them are there.
void add_ablation(PartsBreakdown& breakdown, const Scenario& scenario, const StudyRules& rules) {
  const Sweep sweep = sweep_of_parts(scenario);
  const auto steps = find_each<Seconds>(sweep, rules, [&](std::uint32_t number) {
    const Combination& combination = sweep.combinations[number];
    const Scenario each = scenario_of(sweep, combination);
    const Plan plan = planned(each, combination.schedule).plan;
    return step_time_of(plan, each.cluster, each.engine);
  });
  Seconds before{};
  for (const auto& [number, step] : steps) {
    if (number != breakdown.parts.size())
      break;
    breakdown.parts.push_back({info_of(scenario).parts[number].name, step - before});
    before = step;
  }
  if (breakdown.parts.empty())
    throw Stopped(stop_signal());
  breakdown.missing = sweep.combinations.size() - breakdown.parts.size();
}

}  // namespace

PartsProtocol parse_protocol(const std::string& name) {
  for (const PartsProtocol protocol : {PartsProtocol::Exposed, PartsProtocol::Ablation})
    if (name == name_of(protocol))
      return protocol;
  throw InputError(fmt::format("`parts`: expected exposed or ablation, found {}", in_quotes(name)));
}

const char* name_of(PartsProtocol protocol) {
  return name_among({"exposed", "ablation"}, protocol);
}

PartsBreakdown find_parts_breakdown(const Scenario& scenario, PartsProtocol protocol,
                                    const StudyRules& rules) {
  check(scenario, protocol);
  const ScheduledJob job = job_of(scenario, scenario.schedules.front());
  PartsBreakdown breakdown{.schedule = scenario.schedules.front(),
                           .workload = scenario.workload.name,
                           .cluster = scenario.cluster,
                           .fidelity = scenario.engine.fidelity,
                           .protocol = protocol,
                           .parts = {},
                           .note = info_of(scenario).note,
                           .notes = {}};
  if (info_of(scenario).parts.empty()) {
    breakdown.notes = notes_before_simulation(scenario, job);
  } else {
    const PlannedRun whole = planned(job);
    breakdown.notes = notes_before_simulation(scenario, job, whole);
    add_note_on_period(breakdown.notes, whole.plan);
  }
  if (protocol == PartsProtocol::Ablation)
    add_ablation(breakdown, scenario, rules);
  else
    breakdown.parts = exposed(scenario);
  if (breakdown.missing == 0)
    breakdown.likely = likely_step(shipped_range(breakdown.schedule, scenario.workload.device,
                                                 scenario.cluster, experts_in(scenario.workload)),
                                   total_of(breakdown.parts));
  return breakdown;
}

}  // namespace stepcast
