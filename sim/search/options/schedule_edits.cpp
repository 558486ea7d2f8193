#include "sim/search/options/schedule_edits.hpp"

#include <fmt/format.h>

#include "models/base/text.hpp"
#include "sim/jobs/edits/estimates.hpp"
#include "sim/jobs/edits/planned_step.hpp"
#include "sim/jobs/edits/replicated_step.hpp"
#include "sim/search/options/memory_fit.hpp"
#include "sim/search/options/option_ways.hpp"
#include "sim/search/options/pipeline_options.hpp"
#include "sim/search/options/plan_options.hpp"

namespace stepcast {

void edit_schedule(Scenario scenario, const std::string& schedule, std::vector<EditRequest> asked,
                   bool search, Bytes budget, EditedStep& result) {
  if (schedule_of(schedule).partitions_model())
    return edit_pipeline(job_of(scenario, schedule), asked, search, budget, result);
  FittedStep fitted = fitted_step(scenario, schedule, budget);
  result.device_memory = scenario.cluster.device.memory;
  result.memory_limit = budget;
  result.memory_before = fitted.before;
  if (asked.empty() && fitted.change.empty() && search) {
    const Bytes limit = memory_limit(budget, scenario.cluster);
    if (pays_to_estimate(fitted.plan, scenario.engine)) {
      search_option_ways(scenario, schedule, limit, result);
      return note_memory(result);
    }
    scenario = with_best_options(scenario, schedule, limit, result);
    fitted = fitted_step(scenario, schedule, budget);
  }
  result.memory_after = fitted.after;
  asked.insert(asked.begin(), fitted.edits.begin(), fitted.edits.end());
  EditableStep step =
      editable_step(fitted.plan, fitted.scenario.workload, scenario.cluster, scenario.engine);
  ReplicatedPlans larger(fitted.scenario, schedule);
  step.replicated = [&](std::uint32_t ranks) { return larger.at(ranks); };
  edit_step(std::move(step), asked, search, result);
  if (!fitted.change.empty())
    result.notes.push_back(fmt::format("{} instead of {} a GPU by {}; the step took {} before",
                                       format_bytes(fitted.after), format_bytes(fitted.before),
                                       fitted.change, format_seconds(fitted.step)));
  note_memory(result);
}

}  // namespace stepcast
