#include "sim/study/kfac/kfac_breakdown.hpp"

#include <charconv>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/kfac/parts.hpp"
#include "models/schedule/registry.hpp"
#include "sim/engine/steps.hpp"
#include "sim/study/effects.hpp"

namespace stepcast {
namespace {

constexpr const char* kParts = "parts";

void check(const Scenario& scenario) {
  const std::string& schedule = scenario.schedules.front();
  std::vector<std::string> known;
  for (const ScheduleInfo& each : all_schedules())
    if (has_option(each.name, kParts))
      known.push_back(each.name);
  if (!has_option(schedule, kParts))
    throw InputError(fmt::format("breakdown: {} is no K-FAC system; expected one of {}", schedule,
                                 fmt::join(known, ", ")));
  if (scenario.settings.schedule.contains(kParts))
    throw InputError("`set` parts: breakdown sets it itself");
}

std::vector<NamedTime> exposed(const Scenario& scenario) {
  const Plan plan = planned(scenario, scenario.schedules.front()).plan;
  const Timeline timeline = simulate(plan, scenario.cluster, scenario.engine);
  const ClassId slowest = extremes_of(plan, timeline).slowest;
  return kfac_parts_of(plan, window_of(plan, timeline, slowest, latest_ready_of(plan, timeline)));
}

/// The scenario with one part more in each combination.
Sweep sweep_of_parts(const Scenario& scenario) {
  Sweep sweep{.scenarios = {scenario}, .has_lists = true};
  for (const std::string& part : kfac::part_names()) {
    Combination& combination = sweep.combinations.emplace_back();
    combination.cells = {{kParts, part}};
    combination.schedule = scenario.schedules.front();
    combination.settings.schedule[kParts] = part;
  }
  return sweep;
}

std::vector<NamedTime> ablation(const Scenario& scenario, std::uint32_t workers,
                                const std::function<void()>& finished) {
  const Sweep sweep = sweep_of_parts(scenario);
  const auto step_time = [&](const Combination& combination) {
    const Scenario each = scenario_of(sweep, combination);
    const Plan plan = planned(each, combination.schedule).plan;
    return fmt::format("{:.17g}", step_time_of(plan, each.cluster, each.engine).value);
  };
  std::vector<NamedTime> parts;
  Seconds before{};
  for (const std::string& text : for_each_combination(sweep, workers, finished, step_time)) {
    Seconds time{};
    std::from_chars(text.data(), text.data() + text.size(), time.value);
    const std::string& part = sweep.combinations[parts.size()].cells.front().value;
    parts.push_back(
        {part == "all" ? name_of(KfacPart::InverseCommunication) : part, time - before});
    before = time;
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

KfacBreakdown find_kfac_breakdown(const Scenario& scenario, PartsProtocol protocol,
                                  std::uint32_t workers, const std::function<void()>& finished) {
  check(scenario);
  const TuningJob job = job_of(scenario, scenario.schedules.front());
  return {.schedule = scenario.schedules.front(),
          .workload = scenario.workload.name,
          .cluster = scenario.cluster,
          .fidelity = scenario.engine.fidelity,
          .protocol = protocol,
          .parts = protocol == PartsProtocol::Exposed ? exposed(scenario)
                                                      : ablation(scenario, workers, finished),
          .notes = notes_before_simulation(scenario, job, planned(job))};
}

}  // namespace stepcast
