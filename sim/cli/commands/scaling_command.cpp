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
#include "sim/cli/subcommand.hpp"
#include "sim/cli/sweep.hpp"
#include "sim/engine/steps.hpp"
#include "sim/report/picture/svg_chart.hpp"
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

/// Step times of one schedule on one cluster, by size of the cluster.
struct Curve {
  std::string cluster;
  std::string schedule;
  std::vector<Seconds> steps;
};

/// How schedules scale with the number of nodes, on one or more networks.
class ScalingCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.name = "scaling",
            .summary = "Step time against the number of GPUs, as a table and a figure",
            .description =
                "Every schedule on every cluster in every size, the batch of a GPU "
                "staying the same.",
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
        {"--gpus-per-node", "G", &request_.gpus_per_node, "resize the nodes to G GPUs"},
        {"--set", "KEY=VALUE", &request_.settings, "as of run; may be repeated"},
        {"--fidelity", "F", &request_.fidelity, "analytic, flow (the default) or step"},
        {"--figure", "FILE", &figure_, "also draw the curves, as .svg"},
        {"--json", "", &json_, "print JSON"}};
  }

  int run() override {
    if (clusters_.items.empty())
      throw InputError(
          fmt::format("--clusters: expected at least one, for example: {}", on_one_line(kExample)));
    if (!figure_.empty())
      check_figure(figure_);
    if (nodes_.empty())
      nodes_ = usual_nodes();
    const std::vector<Curve> curves = all_curves();
    if (!figure_.empty())
      write_text_file(figure_, svg_of(chart_of(curves)));
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

  std::vector<Curve> all_curves() {
    Progress progress("size", clusters_.items.size() * nodes_.size());
    std::vector<Curve> curves;
    for (const std::string& cluster : clusters_.items)
      std::ranges::move(curves_on(cluster, progress), std::back_inserter(curves));
    return curves;
  }

  std::vector<Curve> curves_on(const std::string& cluster, Progress& progress) {
    std::vector<Curve> curves;
    for (const std::uint32_t nodes : nodes_) {
      request_.cluster = cluster;
      request_.nodes = nodes;
      request_.schedules = schedules_;
      const Scenario scenario = resolve(request_, kExample);
      keep_size_of(scenario.cluster);
      check_options(scenario);
      if (curves.empty())
        for (const std::string& schedule : names_of(scenario))
          curves.push_back({scenario.cluster.name, schedule, {}});
      for (Curve& curve : curves)
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
    noted_.push_back({{cluster, schedule, gpus_of(cluster, scenario.cluster.ranks())},
                      notes_before_simulation(scenario, job, run)});
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

  static std::string gpus_of(const std::string& cluster, std::uint32_t ranks) {
    return fmt::format("{} of {}", gpus_in_words(ranks), cluster);
  }

  // A column stands for one number of GPUs.
  void keep_size_of(const Cluster& cluster) {
    if (gpus_per_node_ == 0)
      gpus_per_node_ = cluster.gpus_per_node;
    if (gpus_per_node_ != cluster.gpus_per_node)
      throw InputError(
          fmt::format("--clusters: expected as many GPUs in every node, found {} of {} and {}",
                      cluster.name, cluster.gpus_per_node, gpus_per_node_));
  }

  static std::vector<std::string> names_of(const Scenario& scenario) {
    std::vector<std::string> names = scenario.schedules;
    if (names.empty())
      for (const ScheduleInfo& schedule :
           scenario.workload.kfac ? all_schedules() : first_order_schedules())
        names.push_back(schedule.name);
    return names;
  }

  std::string table_of(const std::vector<Curve>& curves) const {
    Table table{.columns = {{"cluster", Align::Left}, {"schedule", Align::Left}}};
    for (const std::uint32_t nodes : nodes_)
      table.columns.push_back({gpus_in_words(nodes * gpus_per_node_) + " ms"});
    for (const Curve& curve : curves) {
      std::vector<std::string> row{curve.cluster, curve.schedule};
      for (const Seconds step : curve.steps)
        row.push_back(milliseconds(step, 1));
      table.rows.push_back(std::move(row));
    }
    return render_in_parts(table, 2) + notes().text(kMostNotes);
  }

  LineChart chart_of(const std::vector<Curve>& curves) const {
    LineChart chart{.title = fmt::format("Step time of {}", request_.workload),
                    .x_label = "GPUs",
                    .y_label = "step ms"};
    for (const std::uint32_t nodes : nodes_)
      chart.positions.push_back(std::to_string(nodes * gpus_per_node_));
    const std::size_t schedules = curves.size() / clusters_.items.size();
    for (std::size_t i = 0; i < curves.size(); ++i) {
      ChartLine line{.name = curves[i].schedule,
                     .member = i % schedules,
                     .group = i / schedules,
                     .values = {}};
      for (const Seconds step : curves[i].steps)
        line.values.push_back(step.value * 1e3);
      chart.lines.push_back(std::move(line));
    }
    if (clusters_.items.size() == 1)
      chart.title += " on " + curves.front().cluster;
    else
      for (std::size_t i = 0; i < clusters_.items.size(); ++i)
        chart.groups.push_back(curves[i * schedules].cluster);
    return chart;
  }

  std::string json_of(const std::vector<Curve>& curves) const {
    nlohmann::ordered_json json{{"version", STEPCAST_VERSION},
                                {"workload", request_.workload},
                                {"fidelity", name_of(fidelity())}};
    for (const std::uint32_t nodes : nodes_)
      json["gpus"].push_back(nodes * gpus_per_node_);
    for (const Curve& curve : curves) {
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
  std::vector<std::uint32_t> nodes_;  ///< Empty: usual_nodes().
  std::uint32_t gpus_per_node_ = 0;   ///< Of all clusters; 0: not known yet.
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
