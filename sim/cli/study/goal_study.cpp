#include "sim/cli/study/goal_study.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/forecast/effects.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {
namespace {

void keep_schedules(Goal& goal, const std::vector<std::string>& schedules) {
  for (const std::string& name : schedules)
    if (std::ranges::find(goal.attempts, name, &Attempt::schedule) == goal.attempts.end())
      throw InputError(fmt::format(
          "--schedules: the goal counts no steps of {0}; give them with --steps {0}=N or --epochs "
          "{0}=N",
          name));
  if (!schedules.empty())
    std::erase_if(goal.attempts, [&](const Attempt& attempt) {
      return std::ranges::find(schedules, attempt.schedule) == schedules.end();
    });
}

void check_model(const Goal& goal, const Workload& workload) {
  if (!goal.model.empty() && goal.model != workload.model)
    throw InputError(
        fmt::format("--goal: {} counts steps of {}; expected a workload of that model, found {}, "
                    "which is of {}",
                    goal.name, goal.model, workload.name, workload.model));
}

Solution solution_of(const Attempt& attempt, const Goal& goal, const Forecast& forecast) {
  Solution solution{.label = attempt.label,
                    .schedule = attempt.schedule,
                    .epochs = attempt.epochs.value_or(0),
                    .step = forecast.iteration_time,
                    .likely = likely_step_of(forecast),
                    .provenance = attempt.provenance,
                    .notes = notes_on_mean(forecast),
                    .given = attempt.given};
  solution.iterations = attempt.iterations.value_or(
      iterations_of(solution.epochs, static_cast<double>(goal.samples),
                    forecast.throughput * forecast.iteration_time.value));
  const ProtocolReport& protocol = forecast.protocol;
  if (const auto all = static_cast<double>(protocol.training_iterations); all > 0) {
    solution.rounds =
        std::round(solution.iterations * (static_cast<double>(protocol.rounds) / all));
    if (std::abs(solution.iterations - all) > 0.5)
      solution.notes.push_back(
          {NoteKind::Scope, "stages",
           fmt::format("Its stages have {} iterations, and {:.0f} are counted: the step and the "
                       "rounds are those of the stages.",
                       protocol.training_iterations, solution.iterations)});
  }
  return solution;
}

/// Beside a way that trains in stages, one whose ranks are in step communicates in every iteration.
void count_rounds(std::vector<Solution>& solutions) {
  if (std::ranges::all_of(solutions, [](const Solution& each) { return each.rounds == 0; }))
    return;
  for (Solution& solution : solutions)
    if (solution.rounds == 0 && schedule_of(solution.schedule).trains_in_step())
      solution.rounds = std::round(solution.iterations);
}

}  // namespace

std::vector<CommandOption> options_of(GoalOptions& typed) {
  return {
      {"--goal", "G", &typed.goal,
       "target of training, name or file (see stepcast list goals): prints\nhours to it, by the "
       "epochs or iterations that each schedule takes"},
      {"--epochs", "S=N,...", &typed.counts.epochs,
       "epochs to a target of each schedule, or label in --goal, in place\nof those of a goal"},
      {"--steps", "S=N,...", &typed.counts.iterations, "iterations to it of each, the same"},
      {"--samples", "N", &typed.counts.samples, "samples of an epoch, where epochs are counted"}};
}

Goal goal_of(const GoalOptions& typed, const std::vector<std::string>& schedules) {
  Goal goal =
      typed.goal.empty() ? goal_of(typed.counts) : with_counts(load_goal(typed.goal), typed.counts);
  keep_schedules(goal, schedules);
  return goal;
}

Sweep sweep_of_goal(const Goal& goal, SweepRequest request) {
  std::set<std::string> schedules;
  for (const Attempt& attempt : goal.attempts)
    schedules.insert(attempt.schedule);
  request.base.schedules.assign(schedules.begin(), schedules.end());
  Sweep sweep = plan_sweep(request);
  if (sweep.combinations.size() > schedules.size())
    throw InputError("--goal: expected one job, found lists: a target is of one");
  check_model(goal, sweep.scenarios.front().workload);
  const std::vector<Combination> of_schedules = std::move(sweep.combinations);
  sweep.combinations.clear();
  for (const Attempt& attempt : goal.attempts) {
    const auto planned = std::ranges::find(of_schedules, attempt.schedule, &Combination::schedule);
    Combination& way = sweep.combinations.emplace_back(*planned);
    ScheduleOptions& options = way.settings.schedule;
    options.insert(attempt.options.begin(), attempt.options.end());
    for (const auto& [name, value] : sweep.scenarios.front().settings.schedule)
      if (!planned->settings.schedule.contains(name))
        options.insert_or_assign(name, value);
  }
  sweep.has_lists = true;  // ways that differ: no settings are tried one by one
  sweep.whole = static_cast<std::uint32_t>(sweep.combinations.size());
  return sweep;
}

std::vector<Solution> solutions_of(const Goal& goal, const std::vector<SweepResult>& results) {
  std::vector<Solution> solutions;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].forecast)
      solutions.push_back(solution_of(goal.attempts[i], goal, *results[i].forecast));
  count_rounds(solutions);
  return solutions;
}

std::string render_solutions(const Goal& goal, const Sweep& sweep,
                             const std::vector<Solution>& solutions) {
  const Scenario scenario = scenario_of(sweep, sweep.combinations.front());
  return render_solutions(
      fmt::format("{}: {}", goal.target,
                  setup_of(scenario.workload.name, scenario.cluster.name, scenario.cluster.nodes,
                           scenario.cluster.gpus_per_node)),
      solutions);
}

std::string solutions_json(const Goal& goal, const Sweep& sweep,
                           const std::vector<Solution>& solutions) {
  const Scenario scenario = scenario_of(sweep, sweep.combinations.front());
  return solutions_json(goal.target, scenario.workload.name, scenario.cluster.name,
                        name_of(scenario.engine.fidelity), solutions);
}

}  // namespace stepcast
