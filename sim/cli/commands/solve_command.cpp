#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/cli/chance_options.hpp"
#include "sim/cli/checks/gradient_check.hpp"
#include "sim/cli/on_one_line.hpp"
#include "sim/cli/output/study_output.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/cli/typed_counts.hpp"
#include "sim/forecast/step_forecast.hpp"
#include "sim/report/text/solution.hpp"
#include "sim/report/text/wording.hpp"
#include "sim/workers/stop.hpp"
#include "sim/workers/workers.hpp"
#include "traces/readers/stepcast/goal_reader.hpp"

namespace stepcast {
namespace {

constexpr const char* kExample =
    "stepcast solve resnet50-imagenet --workload resnet50-rtx2080ti-bs32\n"
    "      --cluster rtx2080ti-16x4-ib100";

/// Training time to a target, end to end.
class SolveCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description =
                "GOAL names a file of epochs or iterations that ways of training take to a "
                "target\n(shipped: see traces/published/goals; format: stepcast schema goal). "
                "--epochs or --iterations\ngive your own, with GOAL in place of its count of that "
                "way. A step is forecast and\nmultiplied: StepCast does not forecast convergence.",
            .examples = {kExample,
                         "stepcast solve --epochs horovod=90,spd-kfac=55 --samples 1281167\n"
                         "      --workload resnet50-rtx2080ti-bs32 --cluster rtx2080ti-16x4-ib100 "
                         "--set\n      inverse_interval=10"}};
  }

  std::vector<CommandOption> options() override {
    std::vector<CommandOption> options = options_of(
        request_, {"--schedules", "S,...", &request_.schedules, "default: all of the goal"});
    // The bare argument is a goal here.
    options.front() = {"GOAL", "", &goal_, "name or file of a goal"};
    options.push_back({"--epochs", "S=N,...", &counts_.epochs,
                       "epochs of each way: its schedule, or its label in GOAL"});
    options.push_back({"--iterations", "S=N,...", &counts_.iterations, "iterations of each way"});
    options.push_back(
        {"--samples", "N", &counts_.samples, "samples of an epoch, where epochs are counted"});
    options.push_back({"--slow", "LAW", &chance_.slow, "see stepcast run --help"});
    options.push_back({"--seeds", "N|auto", &chance_.seeds, "where it draws (default 100)"});
    options.push_back(without_gradients_option(without_gradients_));
    options.push_back({"--json", "", &json_, "print JSON"});
    return options;
  }

  int run() override {
    const Goal goal = this->goal();
    const CommaList wanted = std::exchange(request_.schedules, {});
    Scenario scenario = resolve(request_, kExample);
    add_chance(scenario, chance_.slow, 0, chance_of(chance_, available_cores()));
    const Settings settings = scenario.settings;
    scenario = changed(std::move(scenario), settings);
    check_model(goal, scenario.workload);
    check_gradients(scenario, goal.attempts.size(), without_gradients_);
    const StopsBetweenJobs stops;
    const std::vector<Solution> solutions = solutions_of(goal, wanted, scenario);
    say("{}", text_of(goal, scenario, solutions));
    return end_of_study(fmt::format("{} ways are there", solutions.size()));
  }

 private:
  Goal goal() const {
    if (!goal_.empty())
      return with_counts(load_goal(goal_), counts_);
    if (counts_.empty())
      throw InputError(
          fmt::format("expected a GOAL ({}), --epochs or --iterations, for example: {}",
                      fmt::join(goal_names(), ", "), on_one_line(kExample)));
    return goal_of(counts_);
  }

  static void check_model(const Goal& goal, const Workload& workload) {
    if (!goal.model.empty() && goal.model != workload.model)
      throw InputError(
          fmt::format("solve: goal {} counts steps of {}; expected a workload of that model, found "
                      "{}, which is of {}",
                      goal.name, goal.model, workload.name, workload.model));
  }

  // Settings apply to the schedules that have the option, and come before those of the goal.
  static ScheduleOptions options_of_attempt(const Attempt& attempt, const Scenario& scenario) {
    ScheduleOptions options = attempt.options;
    const ScheduleOptions known =
        effective_options(schedule_of(attempt.schedule, scenario.settings.schedule), {});
    for (const auto& [name, value] : scenario.settings.schedule)
      if (known.contains(name))
        options[name] = value;
    return options;
  }

  /// Ways that differ in their counts only have the step in common.
  using StepsOfWays = std::map<std::pair<std::string, ScheduleOptions>, StepForecast>;

  static std::vector<Solution> solutions_of(const Goal& goal, const CommaList& wanted,
                                            const Scenario& scenario) {
    for (const std::string& name : wanted.items)
      if (std::ranges::find(goal.attempts, name, &Attempt::schedule) == goal.attempts.end())
        throw InputError(fmt::format(
            "--schedules: the goal counts no steps of {}; give them with --iterations {}=N or "
            "--epochs {}=N",
            name, name, name));
    Progress progress("way", wanted.items.empty() ? goal.attempts.size() : 0);
    StepsOfWays steps;
    std::vector<Solution> solutions;
    for (const Attempt& attempt : goal.attempts)
      if (wanted.items.empty() || std::ranges::count(wanted.items, attempt.schedule) > 0) {
        if (stop_signal() != 0 && !solutions.empty())
          break;
        solutions.push_back(solution_of(attempt, goal, step_of(attempt, scenario, steps)));
        progress.step();
      }
    return solutions;
  }

  static const StepForecast& step_of(const Attempt& attempt, const Scenario& scenario,
                                     StepsOfWays& known) {
    ScheduleOptions options = options_of_attempt(attempt, scenario);
    const auto found = known.find({attempt.schedule, options});
    if (found != known.end())
      return found->second;
    const Scenario of_way = scenario_of_way(attempt.schedule, options, scenario);
    StepForecast step = step_forecast(of_way, attempt.schedule,
                                      [&](const Plan& plan) { warn_of_cost(plan, of_way); });
    return known.emplace(std::pair(attempt.schedule, std::move(options)), std::move(step))
        .first->second;
  }

  // A global batch is divided by the ranks that train, and by passes, in each way for itself.
  static Scenario scenario_of_way(const std::string& schedule, const ScheduleOptions& options,
                                  Scenario scenario) {
    scenario.schedules = {schedule};
    Settings settings = scenario.settings;
    settings.schedule = options;
    return changed(std::move(scenario), std::move(settings));
  }

  static Solution solution_of(const Attempt& attempt, const Goal& goal, const StepForecast& step) {
    Solution solution{.label = attempt.label,
                      .schedule = attempt.schedule,
                      .epochs = attempt.epochs.value_or(0),
                      .step = step.time,
                      .likely = step.likely,
                      .provenance = attempt.provenance,
                      .notes = step.notes,
                      .given = attempt.given};
    solution.iterations = attempt.iterations.value_or(
        iterations_of(solution.epochs, static_cast<double>(goal.samples), step.samples));
    return solution;
  }

  std::string text_of(const Goal& goal, const Scenario& scenario,
                      const std::vector<Solution>& solutions) const {
    if (json_)
      return solutions_json(goal.target, scenario.workload.name, scenario.cluster.name,
                            name_of(scenario.engine.fidelity), solutions);
    return render_solutions(
        fmt::format("{}: {}", goal.target,
                    setup_of(scenario.workload.name, scenario.cluster.name, scenario.cluster.nodes,
                             scenario.cluster.gpus_per_node)),
        solutions);
  }

  RunRequest request_;
  bool without_gradients_ = false;
  std::string goal_;
  TypedCounts counts_;
  ChanceRequest chance_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_solve_command() {
  return std::make_unique<SolveCommand>();
}

}  // namespace stepcast
