#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/cli/on_one_line.hpp"
#include "sim/cli/output/study_output.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/study/trial_log.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/forecast/effects.hpp"
#include "sim/forecast/tuning/tune.hpp"
#include "sim/report/picture/figures.hpp"
#include "sim/report/text/tuning_report.hpp"
#include "sim/study/sweep/inputs_key.hpp"
#include "sim/study/sweep/study_cost.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

constexpr const char* kExample =
    "stepcast tune dear-64gpu-10gbe --schedule dear --option fusion_buffer";

/// Searches the best value of one option.
class TuneCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description = description(),
            .examples = {kExample,
                         std::string(kExample) + "\n      --strategy exhaustive --csv curve.csv",
                         "stepcast tune --workload bert-base-rtx2080ti-bs64 --cluster "
                         "rtx2080ti-16x4-10gbe\n      --schedule horovod --option cycle --low "
                         "0.1ms --high 20ms"}};
  }

  std::vector<CommandOption> options() override {
    std::vector<CommandOption> options = options_of(
        request_, {"--schedule", "S", &request_.schedule, "name (see stepcast list schedules)"});
    std::ranges::move(search_options(), std::back_inserter(options));
    std::ranges::move(output_.options("the time of each trial"), std::back_inserter(options));
    return options;
  }

  int run() override {
    output_.check();
    check_study_files(files_);
    read_numbers();
    const Scenario scenario = resolve_one_schedule(request_, kExample);
    const ScheduledJob job = job_of(scenario, scenario.schedules.front());
    const StopsBetweenJobs stops;
    const SearchRange range = range_of(job, tuning_);
    const std::uint32_t trials = tuning_.trials.value_or(kUsualTrials);
    warn_of_study(cost_of(scenario, scenario.schedules.front(), trials, 1), trials,
                  scenario.engine.fidelity, 1);
    TrialLog log(files_, tuning_.option, range.kind, inputs_text(job));
    const Tuning tuning = tuned(job, log);
    ScheduledJob best = job;
    best.options[tuning.option] = tuning.best_trial().text;
    const auto notes = notes_before_simulation(scenario, best);
    return output_.write({.text = [&] { return render_tuning(job, tuning, notes); },
                          .json = [&] { return tuning_json(job, tuning, notes); },
                          .figure = [&] { return tuning_figure(tuning); },
                          .finish = [&] { log.finish(); }});
  }

 private:
  static constexpr std::uint32_t kUsualTrials = 10;

  Tuning tuned(const ScheduledJob& job, TrialLog& log) {
    Progress progress("trial");
    tuning_.known = [&](const std::string& text) { return log.known(text); };
    tuning_.tried = [&](const Trial& trial) {
      progress.step();
      log.add(trial);
    };
    return tune(job, tuning_);
  }

  static std::string description() {
    std::string text = "Strategies:";
    for (const StrategyInfo& strategy : all_strategies())
      text += fmt::format("\n  {:<11} {}", strategy.name, strategy.summary);
    return text;
  }

  std::vector<CommandOption> search_options() {
    return {
        {"--option", "NAME", &tuning_.option, "the option to tune (see stepcast show SCHEDULE)"},
        {"--strategy", "NAME", &tuning_.strategy, "default: bo"},
        {"--trials", "N", &tuning_.trials, "simulations at most (default 10; exhaustive: 4096)"},
        {"--low", "VALUE", &tuning_.low, "begin of the range (sizes: 1MiB; binary: 0B)"},
        {"--high", "VALUE", &tuning_.high,
         "end of the range (sizes: 256MiB; binary: the model's size)"},
        {"--first", "VALUE", &tuning_.first, "where bo begins (sizes: 25MiB)"},
        {"--scale", "NAME", &scale_,
         "linear or log (the default for ranges above zero that span a\nfactor of ten)"},
        {"--seed", "N", &seed_, "of random (default 1)"},
        {"--xi", "X", &xi_,
         "what bo asks of an improvement, in standard deviations of\nthe times (default 0.1)"},
        output_option("--csv", &files_.csv, "also write the trials, each as it comes"),
        output_option("--json-lines", &files_.json_lines,
                      "also write a line of JSON for each trial as it comes"),
        {"--resume", "FILE", &files_.resume,
         "go on from a file of --json-lines: simulate only what it lacks,\nand append it there"}};
  }

  void read_numbers() {
    if (tuning_.option.empty())
      throw InputError(fmt::format("no option given; name one with --option, for example: {}",
                                   on_one_line(kExample)));
    if (!scale_.empty() && scale_ != "linear" && scale_ != "log")
      throw InputError(fmt::format("--scale: expected linear or log, found \"{}\"", scale_));
    if (!scale_.empty())
      tuning_.logarithmic = scale_ == "log";
    if (xi_ && !(*xi_ >= 0))
      throw InputError(fmt::format("--xi: expected a number from 0 on, found {}", *xi_));
    check_uses();
    tuning_.seed = seed_.value_or(tuning_.seed);
    tuning_.xi = xi_.value_or(tuning_.xi);
  }

  // A number that the strategy ignores must not look as if it had mattered.
  void check_uses() const {
    if (seed_)
      check_use("seed");
    if (xi_)
      check_use("xi");
    if (!tuning_.first.empty())
      check_use("first");
  }

  void check_use(const std::string& number) const {
    const StrategyInfo& chosen = strategy_of(tuning_.strategy);
    if (std::ranges::count(chosen.uses, number) > 0)
      return;
    for (const StrategyInfo& other : all_strategies())
      if (std::ranges::count(other.uses, number) > 0)
        throw InputError(fmt::format("--{}: the strategy {} does not use it, only {} does", number,
                                     chosen.name, other.name));
  }

  RunRequest request_;
  TuningRequest tuning_;
  std::string scale_;
  std::optional<std::uint32_t> seed_;
  std::optional<double> xi_;
  StudyFiles files_;
  StudyOutput output_;
};

}  // namespace

std::unique_ptr<Subcommand> make_tune_command() {
  return std::make_unique<TuneCommand>();
}

}  // namespace stepcast
