#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/cli/checks/gradient_check.hpp"
#include "sim/cli/on_one_line.hpp"
#include "sim/cli/output/study_output.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/study/study_log.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/sweep_options.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/picture/scaling_figure.hpp"
#include "sim/report/text/studies/scaling_report.hpp"
#include "sim/study/sweep/study_cost.hpp"
#include "sim/workers/stop.hpp"
#include "sim/workers/workers.hpp"

namespace stepcast {
namespace {

constexpr const char* kExample =
    "stepcast scaling --workload resnet50-rtx2080ti-bs32\n"
    "      --clusters rtx2080ti-16x4-10gbe,rtx2080ti-16x4-ib100 --schedules spd-kfac,dp-kfac\n"
    "      --nodes 1,2,4,8,16 --figure scaling.svg";

/// How schedules scale with the number of nodes, on one or more networks.
class ScalingCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description = "Every schedule on every cluster in every size; a GPU keeps its batch.",
            .examples = {kExample}};
  }

  std::vector<CommandOption> options() override {
    std::vector<CommandOption> options{
        {"--workload", "W", &typed_.run.workload, "name or .json file"},
        {"--clusters,--cluster", "C,...", &typed_.clusters, "names or .json files"},
        {"--schedules", "S,...", &typed_.run.schedules,
         "default: all, without Kronecker factors those of first order\nthat send whole gradients"},
        {"--nodes", "N,...", &nodes_,
         "numbers of nodes (default: of 1,2,4,8,16 those that the clusters\nhave)"},
        {"--gpus-per-node", "G,...", &typed_.gpus_per_node, "resize the nodes to G GPUs"},
        layout_option(typed_.run),
        {"--set", "KEY=VALUE", &typed_.settings, "as of run; may be repeated"},
        {"--fidelity", "F", &typed_.run.fidelity, "analytic, flow (the default) or step"},
        without_gradients_option(without_gradients_)};
    std::ranges::move(
        output_.options({.figure = "the curves, without --schedules eight at most",
                         .csv = "also write every time as a table, each as it comes"}),
        std::back_inserter(options));
    return options;
  }

  int run() override {
    output_.check();
    const StopsBetweenJobs stops;
    if (typed_.clusters.items.empty())
      throw InputError(
          fmt::format("--clusters: expected at least one, for example: {}", on_one_line(kExample)));
    if (typed_.run.layouts.size() > 1)
      throw InputError("--layout: expected one; compare takes several, with --nodes N,...");
    GrowingTable csv;
    const Scaling scaling = found_scaling(csv);
    return output_.write({.text = [&] { return render_scaling(scaling); },
                          .json = [&] { return scaling_json(scaling); },
                          .figure = [&] { return drawn(scaling); },
                          .finish = [&] { csv.finish(); }});
  }

 private:
  Scaling found_scaling(GrowingTable& csv) const {
    const Sweep sweep = plan_scaling(request_of(typed_, kExample), nodes_);
    check_gradients(sweep, without_gradients_);
    warn_of_study(cost_of(sweep, available_cores()), sweep.combinations.size(),
                  sweep.scenarios.front().engine.fidelity, available_cores());
    csv = GrowingTable(output_.csv(), scaling_csv_head());
    Progress progress("size", sweep.combinations.size());
    std::size_t missing = sweep.combinations.size();
    const Scaling scaling = find_scaling(
        sweep, {.workers = available_cores(), .finished = [&progress] { progress.step(); }},
        [&](std::uint32_t number, const ScalingPoint& point) {
          csv.add(number, scaling_csv_row(point));
          --missing;
        });
    if (stop_signal() != 0)
      tell("stepcast: {}: {} of {} sizes are missing\n", stop_in_words(), missing,
           sweep.combinations.size());
    return scaling;
  }

  std::string drawn(const Scaling& scaling) const {
    ScalingFigure figure = figure_of(scaling);
    if (typed_.run.schedules.items.empty())
      keep_fastest(figure);
    if (figure.left_out > 0)
      tell("{}: {}: {}; --schedules draws others\n", output_.figure(), which_curves(figure),
           fmt::join(schedules_of(figure.curves), ", "));
    return svg_of(figure);
  }

  SweepOptions typed_{.settings_are_lists = false};
  std::vector<std::uint32_t> nodes_;  ///< Empty: the usual ones.
  bool without_gradients_ = false;
  StudyOutput output_;
};

}  // namespace

std::unique_ptr<Subcommand> make_scaling_command() {
  return std::make_unique<ScalingCommand>();
}

}  // namespace stepcast
