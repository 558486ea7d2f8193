#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/registry.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/report/json.hpp"
#include "sim/report/render.hpp"

namespace stepcast {
namespace {

constexpr const char* kExample =
    "stepcast compare --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe";

bool has_option(const std::string& schedule, const std::string& option) {
  return std::ranges::count(schedule_of(schedule).options, option, &OptionInfo::name) > 0;
}

/// Every option must belong to a schedule of the comparison.
void check_options(const Scenario& scenario) {
  std::vector<std::string> known;
  for (const std::string& schedule : scenario.schedules) {
    for (const OptionInfo& option : schedule_of(schedule).options)
      known.push_back(option.name);
  }
  for (const auto& [name, value] : scenario.settings.schedule) {
    if (std::ranges::find(known, name) == known.end())
      throw InputError(fmt::format("--set {}={}: none of the schedules has an option {}{}", name,
                                   value, in_quotes(name), did_you_mean(name, known)));
  }
}

/// The scenario with only the options that the schedule has.
Scenario restricted_to(Scenario scenario, const std::string& schedule) {
  std::erase_if(scenario.settings.schedule,
                [&](const auto& option) { return !has_option(schedule, option.first); });
  return scenario;
}

/// Forecasts several schedules of the same job, one row each.
class CompareCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.name = "compare",
            .summary = "Forecast several schedules of one job, side by side",
            .description =
                "Speed-ups are against the first schedule. An option set with --set "
                "applies to the schedules\nthat have it.",
            .examples = {kExample, "stepcast compare dear-64gpu-10gbe --nodes 8",
                         "stepcast compare --workload bert-base-rtx2080ti-bs64 --cluster "
                         "rtx2080ti-16x4-ib100\n      --schedules horovod,dear --set "
                         "cluster.nic.bandwidth=25Gbps"}};
  }

  std::vector<CommandOption> options() override {
    std::vector<CommandOption> options = options_of(
        request_, {"--schedules", "S,...", &request_.schedules, "default: all schedules"});
    options.push_back({"--json", "", &json_, "print JSON"});
    return options;
  }

  int run() override {
    Scenario scenario = resolve(request_, kExample);
    if (scenario.schedules.empty()) {
      for (const ScheduleInfo& schedule : first_order_schedules())
        scenario.schedules.push_back(schedule.name);
    }
    check_options(scenario);
    std::vector<Forecast> forecasts;
    for (const std::string& schedule : scenario.schedules)
      forecasts.push_back(forecast_of(restricted_to(scenario, schedule), schedule));
    fmt::print("{}", json_ ? compare_json(forecasts) : render_compare(forecasts));
    return 0;
  }

 private:
  RunRequest request_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_compare_command() {
  return std::make_unique<CompareCommand>();
}

}  // namespace stepcast
