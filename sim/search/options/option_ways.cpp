#include "sim/search/options/option_ways.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/schedule/period.hpp"
#include "sim/jobs/edits/estimates.hpp"
#include "sim/search/options/estimated_options.hpp"
#include "sim/search/options/plan_options.hpp"
#include "sim/search/options/timed_plans.hpp"

namespace stepcast {
namespace {

/// Where the search for fusions and cuts goes on.
struct Way {
  OptionWay found;
  Plan plan;
  KnownSteps known{};
};

class OptionWays {
 public:
  OptionWays(const ScheduledJob& job, const PlannedRun& run, const EditedStep& begin)
      : job_(job), begin_(begin), simulated_(job), space_(option_space_of(job, run)) {
    space_.step = [this](const Plan& plan) { return simulated_.step_of(plan); };
  }

  EditedStep best_from(const Plan& plan, Bytes memory) {
    std::vector<Way> ways = find_ways(plan, memory);
    EditedStep best;
    Way* best_way = nullptr;
    for (Way& way : ways) {
      EditedStep found = descended(way, LaneDescent::Halves);
      if (best_way && found.step_after >= best.step_after)
        continue;
      best = std::move(found);
      best_way = &way;
    }
    if (pays_to_simulate_all(best_way->plan.graph.size()))
      if (EditedStep found = descended(*best_way, LaneDescent::AllCuts);
          found.step_after < best.step_after)
        best = std::move(found);
    best.tried = count_.tried;
    best.replayed = count_.replayed;
    best.simulated = count_.simulated;
    return best;
  }

 private:
  std::vector<Way> find_ways(const Plan& plan, Bytes memory) {
    // One that does not fit as it is holds no more with other options.
    const Bytes limit = memory > Bytes{} ? std::max(memory, plan.memory.total()) : memory;
    std::vector<Way> ways;
    for (OptionWay& found :
         option_ways_by_estimate(space_, plan.graph.size(), job_.options, limit, count_)) {
      Plan best = unrolled(space_.plan(found.options));
      ways.push_back({.found = std::move(found), .plan = std::move(best)});
    }
    return ways;
  }

  /// From where its options came to; by estimates where simulations are too dear.
  EditedStep descended(Way& way, LaneDescent descent) {
    EditedStep found = begin_;
    found.memory_after = way.plan.memory.total();
    found.options = changed_options(job_.options, way.found.options);
    found.step_before = way.found.before;
    found.accepted = way.found.accepted;
    EditableStep step = simulated_.editable(way.plan);
    if (pays_to_simulate_all(way.plan.graph.size()))
      descend_step(std::move(step), descent, way.known, found);
    else
      edit_step(std::move(step), {}, true, found);
    count_.tried += found.tried;
    count_.replayed += found.replayed;
    count_.simulated += found.simulated;
    return found;
  }

  const ScheduledJob& job_;
  EditedStep begin_;
  EditedStep count_;
  TimedPlans simulated_;
  OptionSpace space_;
};

}  // namespace

void search_option_ways(const ScheduledJob& job, const PlannedRun& run, Bytes memory,
                        EditedStep& result) {
  result = OptionWays(job, run, result).best_from(run.plan, memory);
}

}  // namespace stepcast
