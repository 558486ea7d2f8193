#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/decentralised/schedules.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/schedule/period.hpp"
#include "sim/cli/chance_options.hpp"
#include "sim/cli/layout_option.hpp"
#include "sim/cli/output/figure_file.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/cli/page_file.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/engine/engine.hpp"
#include "sim/forecast/edges.hpp"
#include "sim/forecast/effects.hpp"
#include "sim/forecast/hybrid/hybrid_effects.hpp"
#include "sim/forecast/hybrid/hybrid_forecast.hpp"
#include "sim/forecast/plan_export.hpp"
#include "sim/forecast/protocol_forecast.hpp"
#include "sim/report/json/hybrid_json.hpp"
#include "sim/report/json/json.hpp"
#include "sim/report/picture/run_figure.hpp"
#include "sim/report/text/hybrid_report.hpp"
#include "sim/report/text/render.hpp"
#include "sim/report/text/wording.hpp"
#include "sim/timeline/chrome_trace.hpp"
#include "sim/timeline/gzip.hpp"
#include "sim/workers/workers.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

constexpr const char* kExample =
    "stepcast run --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --schedule "
    "dear";

/// Forecasts one schedule: plan, simulate, report.
class RunCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description = "Prints the steady iteration; --timeline shows every task of it.",
            .examples = {kExample,
                         "stepcast run --workload bert-base-rtx2080ti-bs64 --cluster "
                         "rtx2080ti-16x4-10gbe\n      --schedule dear --nodes 8 --set "
                         "fusion_buffer=50MiB --timeline dear.json.gz",
                         "stepcast run --workload bert-base-rtx2080ti-bs64 --cluster "
                         "rtx2080ti-16x4-10gbe\n      --preset dear-icdcs23",
                         "stepcast run dear-64gpu-10gbe --fidelity analytic --slow "
                         "bernoulli:factor=6,p=1/64 --seeds auto"}};
  }

  std::vector<CommandOption> options() override {
    std::vector<CommandOption> options = options_of(
        request_, {"--schedule", "S", &request_.schedule, "name (see stepcast list schedules)"});
    options.push_back(preset_option(request_));
    options.push_back(layout_option(layout_));
    add_chance_options(options, chance_);
    options.push_back({"--workers", "N", &workers_, "processes for seeds (default: one a core)"});
    options.push_back(
        output_option("--timeline", &timeline_file_,
                      "also write the timeline, for https://ui.perfetto.dev;\ncompressed if the "
                      "name ends in .gz"));
    options.push_back(
        output_option("--export-plan", &plan_file_,
                      "also write the plan with its forecast, for stepcast-probe replay"));
    options.push_back(figure_.option("where the step goes and what ran when"));
    options.push_back(page_.option());
    options.push_back({"--json", "", &json_, "print JSON"});
    return options;
  }

  int run() override {
    figure_.check();
    page_.check();
    add_layout(layout_, request_);
    const Experiment experiment = experiment_of(request_);
    require_job(experiment, kExample);
    require_cut(layout_, experiment);
    if (is_hybrid(experiment)) {
      HybridScenario scenario = hybrid_scenario_of(experiment, !request_.unfold);
      add_slow_downs(scenario.engine.slow_down, chance_.slow);
      check_slow_ranks(scenario.engine.slow_down, scenario.cluster);
      scenario.engine.slow_down.ranks_per_node = scenario.cluster.gpus_per_node;
      scenario.engine.iterations = iterations_of(chance_);
      scenario.chance = chance_of(chance_, workers_.value_or(available_cores()));
      scenario.planned = [&](const Plan& plan) {
        warn_of_cost(plan, scenario.cluster, scenario.engine);
      };
      return run_hybrid(scenario);
    }
    const Scenario scenario = resolved();
    const bool decides = decides_at_run_time(scenario.schedules.front());
    if (decides && !plan_file_.empty())
      throw InputError("--export-plan: " + scenario.schedules.front() +
                       " has no plan, as its workers decide at run time");
    write_all(every_step_of(result_of(scenario), scenario), scenario, decides);
    return 0;
  }

 private:
  void write_all(const ScheduleRun& run, const Scenario& scenario, bool decides) const {
    const Workload& of_tasks = run.passes ? *run.passes : scenario.workload;
    std::optional<ExportedPlan> exported;  // before the result is printed: it may be refused
    if (!plan_file_.empty())
      exported = export_plan(of_tasks, scenario.cluster, run.plan, scenario.engine.fidelity,
                             run.timeline, origin());
    std::vector<std::function<void()>> files;
    if (exported)
      files.emplace_back([&] { write_plan(*exported); });
    if (!timeline_file_.empty())
      files.emplace_back([&] {
        decides ? write_workers(scenario) : write_timeline(of_tasks, run.plan, run.timeline);
      });
    if (figure_.is_wanted())
      files.emplace_back([&] {
        figure_.write(decides ? run_figure(run.forecast)
                              : run_figure(run.forecast, run.plan, run.timeline));
      });
    if (page_.is_wanted())
      files.emplace_back([&] {
        decides ? page_.write(to_json(run.forecast))
                : page_.write({"result", to_json(run.forecast)},
                              {"timeline", chrome_trace(of_tasks, run.plan, run.timeline)});
      });
    print_then_write(json_ ? to_json(run.forecast)
                           : render_run(run.forecast, adapters_in_title(scenario.cluster)),
                     files);
  }

  int run_hybrid(const HybridScenario& scenario) const {
    if (!plan_file_.empty())
      throw InputError("--export-plan: expected a schedule that does not cut the model");
    const HybridResult result = [&] {
      const Progress progress("simulating " + gpus_in_words(scenario.cluster.ranks()));
      HybridResult simulated = hybrid_result_of(scenario);
      std::ranges::move(changes_without_effect(scenario, simulated),
                        std::back_inserter(simulated.hybrid.forecast.notes));
      return simulated;
    }();
    std::vector<std::function<void()>> files;
    if (!timeline_file_.empty())
      files.emplace_back([&] { write_timeline(result.passes, result.plan, result.timeline); });
    if (figure_.is_wanted())
      files.emplace_back([&] { figure_.write(pipeline_figure(result)); });
    if (page_.is_wanted())
      files.emplace_back([&] {
        page_.write({"result", to_json(result.hybrid.forecast)},
                    {"timeline", chrome_trace(result.passes, result.plan, result.timeline)});
      });
    print_then_write(json_ ? hybrid_json(result.hybrid)
                           : render_hybrid(result.hybrid, adapters_in_title(scenario.cluster)),
                     files);
    return 0;
  }

  Scenario resolved() const {
    Scenario scenario = resolve_one_schedule(request_, kExample);
    add_chance(scenario, chance_.slow, iterations_of(chance_),
               chance_of(chance_, workers_.value_or(available_cores())));
    const Settings settings = scenario.settings;
    return changed(std::move(scenario), settings);
  }

  static ScheduleRun result_of(const Scenario& scenario) {
    const Progress progress("simulating " + gpus_in_words(scenario.cluster.ranks()));
    const std::string& schedule = scenario.schedules.front();
    if (decides_at_run_time(schedule))
      warn_of_protocol(scenario);
    else if (fusion_search_of(job_of(scenario, schedule)).empty())
      warn_of_cost(planned(scenario, schedule).plan, scenario);
    ScheduleRun run = simulated(scenario, scenario.schedules.front());
    add_notes(run.forecast, scenario);
    add_edges(run, scenario);
    return run;
  }

  /// Where something shows the steps one by one, those that were jumped over, too.
  ScheduleRun every_step_of(ScheduleRun run, const Scenario& scenario) const {
    const bool shows_steps =
        !plan_file_.empty() || !timeline_file_.empty() || figure_.is_wanted() || page_.is_wanted();
    if (!shows_steps || repeats_of(run.plan).empty())
      return run;
    const Progress progress("simulating every step of a period");
    run.plan = unrolled(run.plan);
    run.timeline = simulate(run.plan, scenario.cluster, scenario.engine);
    return run;
  }

  void write_workers(const Scenario& scenario) const {
    const std::string text = protocol_trace(scenario, scenario.schedules.front());
    write_text_file(timeline_file_, timeline_file_.ends_with(".gz") ? gzip(text) : text);
    tell_timeline();
  }

  void tell_timeline() const {
    tell("timeline written to {}; open it at https://ui.perfetto.dev\n", timeline_file_);
  }

  void write_timeline(const Workload& workload, const Plan& plan, const Timeline& timeline) const {
    write_chrome_trace(timeline_file_, workload, plan, timeline);
    tell_timeline();
  }

  Origin origin() const {
    Origin origin{.command = "run --export-plan", .changes = {}};
    for (const std::string& setting : request_.settings)
      origin.changes.push_back("--set " + setting);
    return origin;
  }

  void write_plan(const ExportedPlan& plan) const {
    write_text_file(plan_file_, to_json_text(plan));
    tell("plan written to {}\n", plan_file_);
  }

  RunRequest request_;
  std::string layout_;
  ChanceRequest chance_;
  std::optional<std::uint32_t> workers_;
  std::string timeline_file_;
  std::string plan_file_;
  FigureFile figure_;
  PageFile page_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_run_command() {
  return std::make_unique<RunCommand>();
}

}  // namespace stepcast
