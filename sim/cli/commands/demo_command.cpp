#include <array>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/schedule/list/presets.hpp"
#include "sim/cli/called_as.hpp"
#include "sim/cli/checks/gradient_check.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/json/json.hpp"
#include "sim/report/text/demo_report.hpp"
#include "sim/report/text/table.hpp"
#include "sim/timeline/chrome_trace.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

constexpr std::array kWorkloads{"resnet50-rtx2080ti-bs64", "densenet201-rtx2080ti-bs32",
                                "inceptionv4-rtx2080ti-bs64", "bert-base-rtx2080ti-bs64",
                                "bert-large-rtx2080ti-bs32"};
constexpr std::array kClusters{"rtx2080ti-16x4-10gbe", "rtx2080ti-16x4-ib100"};
constexpr std::array kSchedules{"bsp", "wfbp", "ddp", "horovod", "dear"};

/// DeAR and its baseline as its authors ran them: a buffer found by ten trials, of which 25 MiB is
/// only the first, and a host ahead of its device.
std::string_view preset_of(std::string_view schedule) {
  return schedule == "dear" ? "dear-icdcs23" : schedule == "horovod" ? "horovod-icdcs23" : "";
}

constexpr const char* kTimelineFile = "out/demo-timeline.json.gz";

/// "{0}": the program as it was called, so that a user who has it on no PATH can paste the lines.
constexpr const char* kNext =
    "Next\n"
    "  {0} compare --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe\n"
    "  {0} run --workload bert-base-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe \\\n"
    "      --schedule dear --set cluster.nic.bandwidth=25Gbps\n"
    "  {0} list\n";

Scenario scenario_of(const char* workload, const char* cluster) {
  return resolve({.workload = workload, .cluster = cluster}, "stepcast demo");
}

/// "rtx2080ti-16x4-10gbe" is called "10gbe".
std::string network_of(const std::string& cluster) {
  return cluster.substr(cluster.rfind('-') + 1);
}

Forecast forecast_as_published(Scenario scenario, const char* schedule) {
  if (const Preset* preset = find_preset(preset_of(schedule)))
    scenario.settings.schedule = preset->options;
  return forecast_of(scenario, schedule);
}

/// Simulates again the case to look at, and writes its timeline.
void write_timeline(const std::string& file, const Forecast& forecast) {
  Scenario scenario = scenario_of(forecast.workload.c_str(), forecast.cluster.c_str());
  scenario.settings.schedule = forecast.options;
  const Plan plan = planned(scenario, forecast.schedule).plan;
  write_chrome_trace(file, scenario.workload, plan,
                     simulate(plan, scenario.cluster, scenario.engine));
}

/// The folder of the default file is made; that of a file that the user names must exist.
void make_default_folder() {
  std::error_code error;
  fs::create_directories(fs::path(kTimelineFile).parent_path(), error);
  if (error)
    throw InputError(fmt::format("{}: cannot be written: {}", kTimelineFile, error.message()));
}

/// Five models on two networks with 64 GPUs under five schedules.
class DemoCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description =
                "Shows what DeAR would gain over BSP, WFBP, PyTorch-DDP and Horovod, "
                "and writes one timeline.",
            .examples = {"stepcast demo", "stepcast demo --timeline /tmp/dear.json.gz"}};
  }

  std::vector<CommandOption> options() override {
    return {output_option("--timeline", &timeline_file_,
                          fmt::format("where to write the timeline; default: {}", kTimelineFile)),
            {"--json", "", &json_, "print JSON"}};
  }

  int run() override {
    if (!timeline_file_.empty())
      check_writable(timeline_file_);
    const Demo demo{
        .shown = {"dear", "DeAR"}, .reference = {"horovod", "Horovod"}, .cases = all_cases()};
    const Forecast& shown = greatest_gain(demo).of(demo.shown);
    if (json_)
      print_json(demo.cases);
    else
      print_report(demo);
    std::fflush(stdout);
    const bool is_written = write_timeline_of(shown);
    if (!json_ && is_written)
      say("\nTimeline of {} on {} under {}\n  {}\n  open it at https://ui.perfetto.dev\n",
          shown.workload, shown.cluster, shown.schedule, timeline_file_);
    if (!json_)
      say("\n{}", fmt::format(kNext, called_as()));
    return 0;
  }

 private:
  /// Whether the timeline is there. Nobody asked for the one in the default place, so that the demo
  /// is complete without it.
  bool write_timeline_of(const Forecast& shown) {
    const bool is_wanted = !timeline_file_.empty();
    try {
      if (!is_wanted) {
        make_default_folder();
        timeline_file_ = kTimelineFile;
      }
      write_timeline(timeline_file_, shown);
      return true;
    } catch (const InputError& error) {
      if (is_wanted)
        throw;
      tell("stepcast: the timeline was not written: {}; --timeline FILE names another place\n",
           error.what());
      return false;
    }
  }

  static std::vector<DemoCase> all_cases() {
    Progress progress("forecasting", kWorkloads.size() * kClusters.size() * kSchedules.size());
    std::vector<DemoCase> cases;
    for (const char* cluster : kClusters) {
      for (const char* workload : kWorkloads) {
        const Scenario scenario = scenario_of(workload, cluster);
        check_gradients(scenario, kSchedules.size(), false);
        DemoCase& each = cases.emplace_back();
        each.model = scenario.workload.model;
        each.network = network_of(cluster);
        for (const char* schedule : kSchedules) {
          each.forecasts.push_back(forecast_as_published(scenario, schedule));
          progress.step();
        }
      }
    }
    return cases;
  }

  static void print_report(const Demo& demo) {
    say("{}", wrap("Forecast of one training step on 64 RTX 2080 Ti (16 nodes of 4), at "
                   "flow fidelity. dear and horovod as published: presets dear-icdcs23 (its buffer "
                   "found by ten trials) and horovod-icdcs23. dear/best and dear/horovod: DeAR's "
                   "speed-up over the fastest other schedule and over Horovod.",
                   0));
    say("\n{}\nReading\n", demo_table(demo));
    for (const std::string& sentence : demo_reading(demo))
      say("{}", wrap("- " + sentence, 2));
  }

  static void print_json(const std::vector<DemoCase>& cases) {
    std::string text;
    for (const DemoCase& each : cases) {
      text += text.empty() ? "" : ",\n";
      text += compare_json(each.forecasts);
    }
    say("{{\"comparisons\": [\n{}]}}\n", text);
  }

  std::string timeline_file_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_demo_command() {
  return std::make_unique<DemoCommand>();
}

}  // namespace stepcast
