#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "models/schedule/registry.hpp"
#include "sim/cli/effects.hpp"
#include "sim/cli/on_one_line.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/scaling_figure.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/sweep.hpp"
#include "sim/engine/steps.hpp"
#include "sim/report/text/shared_notes.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"
#include "traces/json/strict_json.hpp"

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
    return {.name = "scaling",
            .summary = "Step time against the number of GPUs, as a table and a figure",
            .description = "Every schedule on every cluster in every size; a GPU keeps its batch.",
            .examples = {kExample}};
  }

  std::vector<CommandOption> options() override {
    return {
        {"--workload", "W", &request_.workload, "name or .json file"},
        {"--clusters,--cluster", "C,...", &clusters_, "names or .json files"},
        {"--schedules", "S,...", &schedules_,
         "default: all, without Kronecker factors those of first order\nthat send whole gradients"},
        {"--nodes", "N,...", &nodes_,
         "numbers of nodes (default: of 1,2,4,8,16 those that the clusters\nhave)"},
        {"--gpus-per-node", "G,...", &gpus_per_node_, "resize the nodes to G GPUs"},
        {"--set", "KEY=VALUE", &request_.settings, "as of run; may be repeated"},
        {"--fidelity", "F", &request_.fidelity, "analytic, flow (the default) or step"},
        {"--figure", "FILE", &figure_,
         "also draw the curves, as .svg; without --schedules eight at most"},
        {"--json", "", &json_, "print JSON"}};
  }

  int run() override {
    if (clusters_.items.empty())
      throw InputError(
          fmt::format("--clusters: expected at least one, for example: {}", on_one_line(kExample)));
    if (!figure_.empty())
      check_figure(figure_);
    sizes_ = sizes();
    const std::vector<ScalingCurve> curves = all_curves();
    if (!figure_.empty())
      draw(curves);
    fmt::print("{}", json_ ? json_of(curves) : table_of(curves));
    return 0;
  }

 private:
  // More nodes than a cluster has are forecast only where the user asks for them.
  std::vector<std::uint32_t> usual_nodes() {
    std::vector<std::uint32_t> nodes{1, 2, 4, 8, 16};
    for (const std::string& cluster : clusters_.items) {
      request_.cluster = cluster;
      const std::uint32_t most = resolve(request_, kExample).cluster.nodes;
      std::erase_if(nodes, [most](std::uint32_t count) { return count > most; });
    }
    return nodes;
  }

  /// Of all clusters, as a column stands for one number of GPUs.
  std::uint32_t common_gpus_per_node() {
    std::uint32_t common = 0;
    for (const std::string& name : clusters_.items) {
      request_.cluster = name;
      const Cluster cluster = resolve(request_, kExample).cluster;
      common = common == 0 ? cluster.gpus_per_node : common;
      if (common != cluster.gpus_per_node)
        throw InputError(
            fmt::format("--clusters: expected as many GPUs in every node, found {} of {} and {}",
                        cluster.name, cluster.gpus_per_node, common));
    }
    return common;
  }

  std::vector<ScalingSize> sizes() {
    const std::vector<std::uint32_t> gpus_per_node =
        gpus_per_node_.empty() ? std::vector{common_gpus_per_node()} : gpus_per_node_;
    std::vector<ScalingSize> sizes;
    for (const std::uint32_t nodes : nodes_.empty() ? usual_nodes() : nodes_)
      for (const std::uint32_t gpus : gpus_per_node)
        sizes.push_back({nodes, gpus});
    return sizes;
  }

  std::vector<ScalingCurve> all_curves() {
    Progress progress("size", clusters_.items.size() * sizes_.size());
    std::vector<ScalingCurve> curves;
    for (const std::string& cluster : clusters_.items)
      std::ranges::move(curves_on(cluster, progress), std::back_inserter(curves));
    return curves;
  }

  std::vector<ScalingCurve> curves_on(const std::string& cluster, Progress& progress) {
    std::vector<ScalingCurve> curves;
    for (const ScalingSize& size : sizes_) {
      request_.cluster = cluster;
      request_.nodes = size.nodes;
      if (!gpus_per_node_.empty())
        request_.gpus_per_node = size.gpus_per_node;
      request_.schedules = schedules_;
      const Scenario scenario = resolve(request_, kExample);
      check_options(scenario);
      if (curves.empty())
        for (const std::string& schedule : names_of(scenario))
          curves.push_back({scenario.cluster.name, schedule, {}});
      for (ScalingCurve& curve : curves)
        curve.steps.push_back(step_time(scenario, curve.schedule));
      progress.step();
    }
    return curves;
  }

  static void check_options(const Scenario& scenario) {
    for (const auto& [option, value] : scenario.settings.schedule)
      require_option(names_of(scenario), option, value);
  }

  Seconds step_time(Scenario scenario, const std::string& schedule) {
    scenario.settings.schedule = options_in(scenario.settings, schedule);
    const TuningJob job = job_of(scenario, schedule);
    const PlannedRun run = planned(job);
    const std::string& cluster = scenario.cluster.name;
    const std::string size =
        fmt::format("{} of {}", gpus_in_words(scenario.cluster.ranks()), cluster);
    noted_.push_back({{cluster, schedule, size}, notes_before_simulation(scenario, job, run)});
    const Seconds time = step_time_of(run.plan, scenario.cluster, scenario.engine);
    idle_settings_.push_back({{schedule}, changes_without_effect(scenario, schedule, time)});
    return time;
  }

  /// Of the settings those that changed nothing in any size; of those that are not the schedule's
  /// own, in any curve. That an option does not matter to one GPU is no news.
  SharedNotes notes() const {
    std::vector<NotedForecast> noted = noted_;
    for (std::size_t i = 0; i < noted.size(); ++i)
      for (const std::string& note : idle_settings_[i].notes)
        if (is_common(note, idle_settings_[i].labels))
          noted[i].notes.push_back(note);
    return shared_notes_of(noted);
  }

  bool is_common(const std::string& note, const std::vector<std::string>& schedule) const {
    const bool of_all = note.starts_with("cluster.") || note.starts_with("straggler.");
    return std::ranges::all_of(idle_settings_, [&](const NotedForecast& each) {
      return (!of_all && each.labels != schedule) || std::ranges::count(each.notes, note) > 0;
    });
  }

  Fidelity fidelity() const {
    return request_.fidelity.empty() ? Fidelity::Flow : parse_fidelity(request_.fidelity);
  }

  static std::vector<std::string> names_of(const Scenario& scenario) {
    std::vector<std::string> names = scenario.schedules;
    if (names.empty())
      for (const ScheduleInfo& schedule :
           scenario.workload.kfac ? all_schedules() : first_order_schedules())
        names.push_back(schedule.name);
    return names;
  }

  std::string table_of(const std::vector<ScalingCurve>& curves) const {
    Table table{.columns = {{"cluster", Align::Left}, {"schedule", Align::Left}}};
    for (const ScalingSize& size : sizes_)
      table.columns.push_back({label_of(size, sizes_) + " ms"});
    for (const ScalingCurve& curve : curves) {
      std::vector<std::string> row{curve.cluster, curve.schedule};
      for (const Seconds step : curve.steps)
        row.push_back(milliseconds(step, 1));
      table.rows.push_back(std::move(row));
    }
    return render_in_parts(table, 2) + notes().text(kMostNotes);
  }

  void draw(const std::vector<ScalingCurve>& curves) const {
    ScalingFigure figure{.workload = request_.workload, .sizes = sizes_, .curves = curves};
    if (schedules_.items.empty())
      keep_fastest(figure);
    write_text_file(figure_, svg_of(figure));
    if (figure.left_out > 0)
      fmt::print(stderr, "{}: {}: {}; --schedules draws others\n", figure_, which_curves(figure),
                 fmt::join(schedules_of(figure.curves), ", "));
  }

  std::string json_of(const std::vector<ScalingCurve>& curves) const {
    nlohmann::ordered_json json{{"version", STEPCAST_VERSION},
                                {"workload", request_.workload},
                                {"fidelity", name_of(fidelity())}};
    for (const ScalingSize& size : sizes_) {
      json["gpus"].push_back(size.gpus());
      json["gpus_per_node"].push_back(size.gpus_per_node);
    }
    for (const ScalingCurve& curve : curves) {
      nlohmann::ordered_json entry{{"cluster", curve.cluster}, {"schedule", curve.schedule}};
      for (const Seconds step : curve.steps)
        entry["iteration_time_s"].push_back(step.value);
      json["curves"].push_back(std::move(entry));
    }
    json["notes"] = notes().sentences();
    return json.dump(2) + "\n";
  }

  RunRequest request_;
  CommaList clusters_;
  CommaList schedules_;
  std::vector<std::uint32_t> nodes_;          ///< Empty: usual_nodes().
  std::vector<std::uint32_t> gpus_per_node_;  ///< Empty: the clusters' own.
  std::vector<ScalingSize> sizes_;
  std::vector<NotedForecast> noted_;
  std::vector<NotedForecast> idle_settings_;  ///< Those without effect, beside noted_.
  std::string figure_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_scaling_command() {
  return std::make_unique<ScalingCommand>();
}

}  // namespace stepcast
