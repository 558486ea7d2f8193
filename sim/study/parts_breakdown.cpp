#include "sim/study/parts_breakdown.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

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
        "`protocol` ablation: {} has no option that switches parts of its step off; expected "
        "exposed, or one of {}",
        scenario.schedules.front(), fmt::join(known, ", ")));
  if (!info.option.empty() && scenario.settings.schedule.contains(info.option))
    throw InputError(fmt::format("`set` {}: breakdown sets it itself", info.option));
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

/// Parts from times of iterations with one part more each time, in whatever order these come: a
/// part is there as soon as all before it are.
class GrowingParts {
 public:
  GrowingParts(const PartsInfo& info, std::size_t count,
               const std::function<void(const NamedTime&)>& came)
      : info_(info), times_(count), came_(came) {}

  void add(std::uint32_t number, Seconds time) {
    times_[number] = time;
    while (parts_.size() < times_.size() && times_[parts_.size()]) {
      const std::size_t next = parts_.size();
      const Seconds before = next > 0 ? *times_[next - 1] : Seconds{};
      parts_.push_back({info_.parts[next].name, *times_[next] - before});
      if (came_)
        came_(parts_.back());
    }
  }

  const std::vector<NamedTime>& parts() const { return parts_; }

 private:
  const PartsInfo& info_;
  std::vector<std::optional<Seconds>> times_;
  std::vector<NamedTime> parts_;
  const std::function<void(const NamedTime&)>& came_;
};

void add_exposed(PartsBreakdown& breakdown, const Scenario& scenario,
                 const std::function<void(const NamedTime&)>& came) {
  breakdown.parts = exposed(scenario);
  if (came)
    std::ranges::for_each(breakdown.parts, came);
}

/// Of the parts that can be switched on, which come first.
void add_ablation(PartsBreakdown& breakdown, const Scenario& scenario, StudyRules rules,
                  const std::function<void(const NamedTime&)>& came) {
  const Sweep sweep = sweep_of_parts(scenario);
  GrowingParts growing(info_of(scenario), sweep.combinations.size(), came);
  rules.keeps_whole_jobs = true;
  rules.came = [&](std::uint32_t number, const std::string& bytes) {
    growing.add(number, from_bytes<Seconds>(bytes));
  };
  find_each<Seconds>(sweep, rules, [&](std::uint32_t number) {
    const Combination& combination = sweep.combinations[number];
    const Scenario each = scenario_of(sweep, combination);
    const Plan plan = planned(each, combination.schedule).plan;
    return step_time_of(plan, each.cluster, each.engine);
  });
  if (growing.parts().empty())
    throw Stopped(stop_signal());
  breakdown.parts = growing.parts();
  breakdown.missing = sweep.combinations.size() - breakdown.parts.size();
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
                                    const StudyRules& rules,
                                    const std::function<void(const NamedTime&)>& came) {
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
    add_ablation(breakdown, scenario, rules, came);
  else
    add_exposed(breakdown, scenario, came);
  if (breakdown.missing == 0)
    breakdown.likely = likely_step(shipped_range(breakdown.schedule, scenario.workload.device,
                                                 scenario.cluster, experts_in(scenario.workload)),
                                   total_of(breakdown.parts));
  return breakdown;
}

}  // namespace stepcast
