#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/schedule/decentralised/schedules.hpp"
#include "models/schedule/registry.hpp"
#include "sim/cli/chance/chance_options.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/cli/page_file.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/sensitivity.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/engine/engine.hpp"
#include "sim/report/json/json.hpp"
#include "sim/report/text/render.hpp"
#include "sim/report/text/wording.hpp"
#include "sim/study/effects.hpp"
#include "sim/study/protocols/protocol_forecast.hpp"
#include "sim/study/sweep/workers.hpp"
#include "sim/study/validate/plan_export.hpp"
#include "sim/timeline/chrome_trace.hpp"
#include "sim/timeline/gzip.hpp"
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
    return {.name = "run",
            .summary = "Forecast one schedule: step time, where it goes, and why",
            .description = "Prints the steady iteration; --timeline shows every task of it.",
            .examples = {kExample,
                         "stepcast run --workload bert-base-rtx2080ti-bs64 --cluster "
                         "rtx2080ti-16x4-10gbe\n      --schedule dear --nodes 8 --set "
                         "fusion_buffer=50MiB --timeline dear.json.gz",
                         "stepcast run dear-64gpu-10gbe --fidelity analytic --slow "
                         "bernoulli:factor=6,p=1/64 --seeds auto"}};
  }

  std::vector<CommandOption> options() override {
    std::vector<CommandOption> options = options_of(
        request_, {"--schedule", "S", &request_.schedule, "name (see stepcast list schedules)"});
    add_chance_options(options, chance_);
    options.push_back({"--workers", "N", &workers_, "processes for seeds (default: one a core)"});
    options.push_back({"--timeline", "FILE", &timeline_file_,
                       "also write the timeline, for https://ui.perfetto.dev;\ncompressed if the "
                       "name ends in .gz"});
    options.push_back({"--export-plan", "FILE", &plan_file_,
                       "also write the plan with its forecast, for stepcast-probe replay"});
    options.push_back(page_.option());
    options.push_back({"--json", "", &json_, "print JSON"});
    return options;
  }

  int run() override {
    page_.check();
    if (!timeline_file_.empty())
      check_writable(timeline_file_);
    if (!plan_file_.empty())
      check_writable(plan_file_);
    const Scenario scenario = resolved();
    warn_of_size(scenario);
    const bool decides = decides_at_run_time(scenario.schedules.front());
    if (decides && !plan_file_.empty())
      throw InputError("--export-plan: " + scenario.schedules.front() +
                       " has no plan, as its workers decide at run time");
    const auto [plan, timeline, forecast] = result_of(scenario);
    if (!plan_file_.empty())
      write_plan(export_plan(scenario.workload, scenario.cluster, plan, scenario.engine.fidelity,
                             timeline, origin()));
    if (!timeline_file_.empty() && decides)
      write_workers(scenario);
    else if (!timeline_file_.empty())
      write_timeline(scenario.workload, plan, timeline);
    if (page_.is_wanted() && decides)
      page_.write(to_json(forecast));
    else if (page_.is_wanted())
      page_.write({"result", to_json(forecast)},
                  {"timeline", chrome_trace(scenario.workload, plan, timeline)});
    fmt::print("{}", json_ ? to_json(forecast) : render_run(forecast));
    return 0;
  }

 private:
  Scenario resolved() const {
    Scenario scenario = resolve_one_schedule(request_, kExample);
    add_chance(scenario, chance_.slow, chance_.iterations.value_or(0),
               chance_of(chance_, workers_.value_or(available_cores())));
    const Settings settings = scenario.settings;
    return changed(std::move(scenario), settings);
  }

  static ScheduleRun result_of(const Scenario& scenario) {
    const Progress progress("simulating " + gpus_in_words(scenario.cluster.ranks()));
    ScheduleRun run = simulated(scenario, scenario.schedules.front());
    add_notes(run.forecast, scenario);
    if (!scenario.engine.slow_down.is_chance() && run.forecast.protocol.iterations_per_s == 0)
      std::ranges::move(edges_of(scenario, run.forecast.schedule, run.forecast.iteration_time,
                                 run.plan.graph.size() * run.timeline.classes.size()),
                        std::back_inserter(run.forecast.notes));
    return run;
  }

  void write_workers(const Scenario& scenario) const {
    const std::string text = protocol_trace(scenario, scenario.schedules.front());
    write_text_file(timeline_file_, timeline_file_.ends_with(".gz") ? gzip(text) : text);
    tell_timeline();
  }

  void tell_timeline() const {
    fmt::print(stderr, "timeline written to {}; open it at https://ui.perfetto.dev\n",
               timeline_file_);
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
    fmt::print(stderr, "plan written to {}\n", plan_file_);
  }

  RunRequest request_;
  ChanceRequest chance_;
  std::optional<std::uint32_t> workers_;
  std::string timeline_file_;
  std::string plan_file_;
  PageFile page_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_run_command() {
  return std::make_unique<RunCommand>();
}

}  // namespace stepcast
