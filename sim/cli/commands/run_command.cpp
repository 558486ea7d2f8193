#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/schedule/period.hpp"
#include "sim/cli/chance_options.hpp"
#include "sim/cli/checks/given_options.hpp"
#include "sim/cli/output/figure_file.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/cli/page_file.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/engine/engine.hpp"
#include "sim/forecast/bottleneck.hpp"
#include "sim/forecast/edges.hpp"
#include "sim/forecast/effects.hpp"
#include "sim/forecast/plan_export.hpp"
#include "sim/report/json/json.hpp"
#include "sim/report/picture/figures.hpp"
#include "sim/report/text/render.hpp"
#include "sim/report/text/studies/edge_report.hpp"
#include "sim/report/text/studies/parts_breakdown_report.hpp"
#include "sim/report/text/wording.hpp"
#include "sim/study/sweep/study_cost.hpp"
#include "sim/timeline/chrome_trace.hpp"
#include "sim/timeline/gzip.hpp"
#include "sim/workers/stop.hpp"
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
    return {.description =
                "Prints step, memory and bottleneck; --verbose adds all tables, --timeline all "
                "tasks.\nThe bottleneck is what would save most if it took no time "
                "(JSON: what_if). That takes\nthree more simulations: where they are "
                "estimated above .3 s, with --slow by chance,\nand for asynchronous "
                "schedules above analytic fidelity, only --verbose looks for it.",
            .examples = {kExample,
                         "stepcast run --workload bert-base-rtx2080ti-bs64 --cluster "
                         "rtx2080ti-16x4-10gbe\n      --schedule dear --nodes 8 --set "
                         "fusion_buffer=50MiB --timeline dear.json.gz",
                         "stepcast run --workload bert-base-rtx2080ti-bs64 --cluster "
                         "rtx2080ti-16x4-10gbe\n      --preset dear-icdcs23",
                         "stepcast run dear-64gpu-10gbe --fidelity analytic --slow "
                         "bernoulli:factor=6,p=1/64 --seeds auto",
                         "stepcast run --workload resnet50-rtx2080ti-bs32 --cluster "
                         "rtx2080ti-16x4-ib100 --schedule\n      spd-kfac --parts ablation",
                         "stepcast run --edge devices.csv"}};
  }

  std::vector<CommandOption> options() override {
    std::vector<CommandOption> options = options_of(
        request_, {"--schedule", "S", &request_.schedule, "name (see stepcast list schedules)"});
    options.push_back(preset_option(request_));
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
    options.push_back(
        {"--parts", "P", &parts_,
         "print the parts of the step instead: exposed, of one forecast, where\ncommunication "
         "counts where no compute runs; or ablation, differences of\nwhole steps with one part "
         "more "
         "switched on each time"});
    options.push_back(output_option("--csv", &csv_, "also write the parts as a table"));
    options.push_back(
        {"--edge", "DEVICES", &edge_,
         "print a round of partitioned edge learning instead of a step: DEVICES,\nwhich share a "
         "radio band, is a CSV table with the columns device,\nwork_flops, speed_flops_per_s, "
         "size_bytes, rate_bytes_per_s (of each\nchannel if it had the whole band) and, if it is "
         "there, start_s (fixed\ntime before the work); blocks and shares are also chosen "
         "together"});
    options.push_back({"--verbose", "", &verbose_,
                       "also print options in force, tables of the breakdown, links, memory\nand "
                       "stages, why, notes and where inputs come from"});
    options.push_back({"--json", "", &json_, "print JSON"});
    return options;
  }

  int run() override {
    figure_.check();
    page_.check();
    check_other_answers();
    if (!edge_.empty())
      return print_edge();
    const Scenario scenario = resolved();
    if (!parts_.empty())
      return print_parts(scenario);
    const ScheduleInfo& schedule = schedule_of(scenario.schedules.front());
    if (schedule.asynchronous && !plan_file_.empty())
      throw InputError("--export-plan: " + schedule.name +
                       " has no plan, as its workers choose at run time whom they wait for");
    write_all(every_step_of(result_of(scenario), scenario), scenario);
    return 0;
  }

 private:
  /// Parts and rounds of edge learning have neither the files of a forecast nor its chance.
  void check_other_answers() const {
    if (!edge_.empty())
      refuse_job();
    if (!csv_.empty() && parts_.empty())
      throw InputError("--csv: expected together with --parts");
    if (!parts_.empty() || !edge_.empty())
      refuse_given(edge_.empty() ? "not with --parts" : "not with --edge",
                   {{"--timeline", !timeline_file_.empty()},
                    {"--export-plan", !plan_file_.empty()},
                    {"--figure", figure_.is_wanted()},
                    {"--page", page_.is_wanted()},
                    {"--slow", !chance_.slow.empty()},
                    {"--seeds", !chance_.seeds.empty()},
                    {"--verbose", verbose_}});
  }

  void refuse_job() const {
    refuse_given("not with --edge, which reads only its table of devices",
                 {{"EXPERIMENT", !request_.experiment.empty()},
                  {"--workload", !request_.workload.empty()},
                  {"--cluster", !request_.cluster.empty()},
                  {"--schedule", !request_.schedule.empty()},
                  {"--preset", !request_.presets.items.empty()},
                  {"--nodes", request_.nodes.has_value()},
                  {"--gpus-per-node", request_.gpus_per_node.has_value()},
                  {"--set", !request_.settings.empty()},
                  {"--layout", !request_.layouts.empty()},
                  {"--fidelity", !request_.fidelity.empty()},
                  {"--engine", !request_.engine.empty()},
                  {"--unfold", request_.unfold},
                  {"--iterations", chance_.iterations.has_value()},
                  {"--workers", workers_.has_value()},
                  {"--parts", !parts_.empty()}});
  }

  int print_edge() const {
    const std::vector<EdgeDevice> devices = read_edge_devices(edge_);
    say("{}", json_ ? edge_json(devices) : render_edge(devices));
    return 0;
  }

  /// Divides the step into the parts that the papers on K-FAC report, or, for another schedule,
  /// into those of every forecast.
  int print_parts(const Scenario& scenario) const {
    constexpr std::uint32_t kMostParts = 7;  // that an ablation switches on, one after the other
    const PartsProtocol protocol = parse_protocol(parts_);
    const std::uint32_t workers = workers_.value_or(available_cores());
    const std::uint32_t forecasts = protocol == PartsProtocol::Ablation ? kMostParts : 1;
    const StopsBetweenJobs stops;
    warn_of_study(cost_of(scenario, scenario.schedules.front(), forecasts, workers), forecasts,
                  scenario.engine.fidelity, workers);
    Progress progress("simulation");
    const PartsBreakdown parts = find_parts_breakdown(
        scenario, protocol, {.workers = workers, .finished = [&progress] { progress.step(); }});
    if (parts.missing > 0)
      tell("stepcast: {}: {} of {} parts are missing\n", stop_in_words(), parts.missing,
           parts.missing + parts.parts.size());
    std::vector<std::function<void()>> files;
    if (!csv_.empty())
      files.emplace_back([&] { write_text_file(csv_, parts_breakdown_csv(parts)); });
    print_then_write(json_ ? parts_breakdown_json(parts) : render_parts_breakdown(parts), files);
    return stop_signal() != 0 ? exit_code_of(stop_signal()) : 0;
  }

  void write_all(const ScheduleRun& run, const Scenario& scenario) const {
    const Workload& of_tasks = run.passes ? *run.passes : scenario.workload;
    std::optional<ExportedPlan> exported;  // before the result is printed: it may be refused
    if (!plan_file_.empty())
      exported = export_plan(of_tasks, scenario.cluster, run.plan, scenario.engine.fidelity,
                             run.timeline, origin());
    std::vector<std::function<void()>> files;
    if (exported)
      files.emplace_back([&] { write_plan(*exported); });
    if (!timeline_file_.empty())
      files.emplace_back([&] { write_timeline(of_tasks, run); });
    if (figure_.is_wanted())
      files.emplace_back([&] { figure_.write(run_figure(run)); });
    if (page_.is_wanted())
      files.emplace_back([&] { write_page(of_tasks, run); });
    print_then_write(json_
                         ? to_json(run.forecast)
                         : render_run(run.forecast, adapters_in_title(scenario.cluster), verbose_),
                     files);
  }

  /// A pipeline is shown by its stages, a job of workers by its result alone.
  void write_page(const Workload& of_tasks, const ScheduleRun& run) const {
    const bool has_stages = !run.planned_passes.empty();
    const PageSource timeline =
        has_stages || run.workers_trace
            ? PageSource{}
            : PageSource{"timeline", chrome_trace(of_tasks, run.plan, run.timeline)};
    page_.write({"result", to_json(run.forecast)}, timeline, has_stages ? run_figure(run) : "");
  }

  Scenario resolved() const {
    Scenario scenario = resolve_one_schedule(request_, kExample);
    add_chance(scenario, chance_.slow, iterations_of(chance_),
               chance_of(chance_, workers_.value_or(available_cores())));
    const Settings settings = scenario.settings;
    return changed(std::move(scenario), settings);
  }

  ScheduleRun result_of(const Scenario& scenario) const {
    const Progress progress("simulating " + gpus_in_words(scenario.cluster.ranks()));
    ScheduleRun run = simulated_with_warning(scenario);
    add_notes(run.forecast, scenario);
    add_edges(run, scenario);
    if (verbose_ || what_if_is_cheap(run, scenario))
      add_what_if(run, scenario);
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

  void tell_timeline() const {
    tell("timeline written to {}; open it at https://ui.perfetto.dev\n", timeline_file_);
  }

  void write_timeline(const Workload& of_tasks, const ScheduleRun& run) const {
    if (run.workers_trace) {
      const std::string text = run.workers_trace();
      write_text_file(timeline_file_, timeline_file_.ends_with(".gz") ? gzip(text) : text);
    } else {
      write_chrome_trace(timeline_file_, of_tasks, run.plan, run.timeline);
    }
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
  ChanceRequest chance_;
  std::optional<std::uint32_t> workers_;
  std::string timeline_file_;
  std::string plan_file_;
  std::string parts_;
  std::string csv_;
  std::string edge_;
  FigureFile figure_;
  PageFile page_;
  bool verbose_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_run_command() {
  return std::make_unique<RunCommand>();
}

}  // namespace stepcast
