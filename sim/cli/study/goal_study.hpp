#pragma once
// Time to a target: `--goal resnet50-imagenet`, or `--epochs horovod=90,spd-kfac=55 --samples N`.

#include <string>
#include <vector>

#include "sim/cli/typed_counts.hpp"
#include "sim/report/text/solution.hpp"
#include "sim/study/sweep/sweep.hpp"

namespace stepcast {

/// A target as typed.
struct GoalOptions {
  std::string goal;  ///< Name or file; empty: the counts are all.
  TypedCounts counts;

  bool is_given() const { return !goal.empty() || !counts.empty() || counts.samples; }
};

std::vector<CommandOption> options_of(GoalOptions& typed);

/// The goal with the counts that were typed; of its ways those of the schedules that are named, if
/// any are. Throws InputError.
Goal goal_of(const GoalOptions& typed, const std::vector<std::string>& schedules);

/// A combination for each way of the goal. What the user sets comes before the options of a way.
/// Throws InputError where the request lists several jobs, and for a goal of another model.
Sweep sweep_of_goal(const Goal& goal, SweepRequest request);

/// The ways whose forecasts are there. The sweep is that of the goal.
std::vector<Solution> solutions_of(const Goal& goal, const std::vector<SweepResult>& results);

std::string render_solutions(const Goal& goal, const Sweep& sweep,
                             const std::vector<Solution>& solutions);
std::string solutions_json(const Goal& goal, const Sweep& sweep,
                           const std::vector<Solution>& solutions);

}  // namespace stepcast
