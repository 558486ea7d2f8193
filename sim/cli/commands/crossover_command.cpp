#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/cli/checks/gradient_check.hpp"
#include "sim/cli/output/study_output.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/study/study_log.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/report/text/studies/crossover_report.hpp"
#include "sim/study/sweep/study_cost.hpp"
#include "sim/workers/stop.hpp"
#include "sim/workers/workers.hpp"

namespace stepcast {
namespace {

using namespace literals;

constexpr const char* kExample =
    "stepcast crossover --workload vgg16-rtx2080ti-bs32 --cluster rtx2080ti-16x4-10gbe";

/// Shows where a scheme of compressed gradients is the fastest.
class CrossoverCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description =
                "Forecasts every schedule at every density, number of nodes and bandwidth, and "
                "finds the densities at\nwhich the order changes. Beside them: where it would "
                "change if bytes alone counted,\nand what moves it.",
            .examples = {kExample,
                         std::string(kExample) + "\n      --nodes 2,8,16 --figure crossover.svg",
                         "stepcast crossover --workload bert-large-rtx2080ti-bs32 --cluster "
                         "rtx2080ti-16x4-10gbe\n      --schedules dear,topka2a,omgs --density "
                         "0.001,0.01,0.1 --bandwidth 10Gbps --json"}};
  }

  std::vector<CommandOption> options() override {
    std::vector<CommandOption> options = options_of(
        request_, {"--schedules", "S,...", &request_.schedules,
                   "the first is what speed-ups are against (ddp, topk-allgather,\ntopka2a, gtopk, "
                   "ok-topk)"});
    for (CommandOption& option : options)
      if (option.name == "--nodes")
        option = {"--nodes", "N,...", &nodes_, "numbers of nodes (the cluster's)"};
      else if (option.name == "--gpus-per-node")
        option = {"--gpus-per-node", "G,...", &gpus_per_node_, "GPUs in each (the cluster's)"};
      else if (option.name == "--fidelity")
        option.meaning = "analytic (the default without an experiment file), flow or step";
    options.push_back({"--density", "D,...", &densities_,
                       "selected parts of the gradient (0.001 to 0.5 in nine steps)"});
    options.push_back({"--bandwidth", "B,...", &bandwidths_,
                       "of a node's NIC (1Gbps to 100Gbps in seven steps)"});
    options.push_back(without_gradients_option(without_gradients_));
    options.push_back({"--workers", "N", &workers_, "processes (default: one a core)"});
    std::ranges::move(output_.options({.figure = "heat maps",
                                       .csv = "also write every forecast as a table, as they come",
                                       .figure_names = "--figure,--svg"}),
                      std::back_inserter(options));
    return options;
  }

  int run() override {
    output_.check();
    const StopsBetweenJobs stops;
    const CrossoverGrid asked = grid();
    warn_of_cost(asked);
    GrowingTable csv;
    const Crossover crossover = crossover_of(asked, csv);
    return output_.write({.text = [&] { return render_crossover(crossover); },
                          .json = [&] { return crossover_json(crossover); },
                          .figure = [&] { return crossover_svg(crossover); },
                          .finish = [&] { csv.finish(); }});
  }

 private:
  /// As if all simulations were of the first schedule on the most GPUs.
  void warn_of_cost(const CrossoverGrid& grid) const {
    Scenario largest = grid.scenario;
    largest.cluster.nodes = std::ranges::max(grid.nodes);
    largest.cluster.gpus_per_node = std::ranges::max(grid.gpus_per_node);
    const std::size_t forecasts = simulations_of(grid);
    const std::uint32_t workers = workers_.value_or(available_cores());
    warn_of_study(
        cost_of(largest, largest.schedules.front(), static_cast<double>(forecasts), workers),
        forecasts, largest.engine.fidelity, workers);
  }

  Crossover crossover_of(const CrossoverGrid& grid, GrowingTable& csv) const {
    Progress progress("crossover", plan_crossover(grid).combinations.size());
    csv = GrowingTable(output_.csv(), crossover_csv_head());
    return find_crossover(grid,
                          {.workers = workers_.value_or(available_cores()),
                           .finished = [&progress] { progress.step(); }},
                          [&](std::uint32_t network, const Crossover& of, const CrossoverRow& row) {
                            csv.add(network, crossover_csv_rows(of, row));
                          });
  }

  CrossoverGrid grid() {
    set_default_fidelity();
    CrossoverGrid grid{.scenario = resolve(request_, kExample),
                       .densities = densities_,
                       .nodes = nodes_,
                       .gpus_per_node = gpus_per_node_,
                       .bandwidths = bandwidths_};
    if (grid.scenario.schedules.empty())
      grid.scenario.schedules = {"ddp", "topk-allgather", "topka2a", "gtopk", "ok-topk"};
    check_gradients(grid.scenario, grid.scenario.schedules.size(), without_gradients_);
    std::ranges::sort(grid.densities);
    if (grid.nodes.empty())
      grid.nodes = {grid.scenario.cluster.nodes};
    if (grid.gpus_per_node.empty())
      grid.gpus_per_node = {grid.scenario.cluster.gpus_per_node};
    check_settings(grid.scenario.settings);
    check_densities(grid);
    check_ranks(grid);
    return grid;
  }

  // Communication of the default schedules never meets other communication, so that closed forms
  // are as good as flows and much cheaper. An experiment file says what it wants.
  void set_default_fidelity() {
    if (request_.fidelity.empty() && request_.experiment.empty())
      request_.fidelity = "analytic";
  }

  // What is swept takes no setting, which would be ignored.
  void check_settings(const Settings& settings) const {
    const auto refuse = [](const auto& given, const std::string& name, const std::string& key,
                           const char* option) {
      if (const auto found = given.find(name); found != given.end())
        throw InputError(fmt::format("--set {}={}: is swept; give {} the values to forecast", key,
                                     found->second, option));
    };
    refuse(settings.schedule, "density", "density", "--density");
    refuse(settings.cluster, "nic.bandwidth", "cluster.nic.bandwidth", "--bandwidth");
    if (!nodes_.empty())
      refuse(settings.cluster, "nodes", "cluster.nodes", "--nodes");
    if (!gpus_per_node_.empty())
      refuse(settings.cluster, "gpus_per_node", "cluster.gpus_per_node", "--gpus-per-node");
  }

  static void check_densities(const CrossoverGrid& grid) {
    for (const double density : grid.densities)
      if (!(density > 0 && density <= 1))
        throw InputError(
            fmt::format("--density: expected numbers above 0 and at most 1, found {:g}", density));
  }

  static void check_ranks(const CrossoverGrid& grid) {
    constexpr std::uint32_t kMostRanks = 16384;
    const std::uint32_t gpus = std::ranges::max(grid.gpus_per_node);
    for (const std::uint32_t nodes : grid.nodes)
      if (nodes > kMostRanks / gpus)
        throw InputError(fmt::format("--nodes {}: expected at most {} GPUs", nodes, kMostRanks));
  }

  RunRequest request_;
  bool without_gradients_ = false;
  std::vector<double> densities_{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5};
  std::vector<std::uint32_t> nodes_;
  std::vector<std::uint32_t> gpus_per_node_;
  std::vector<BytesPerSecond> bandwidths_{1.0_Gbps,  2.5_Gbps,  5.0_Gbps,  10.0_Gbps,
                                          25.0_Gbps, 50.0_Gbps, 100.0_Gbps};
  std::optional<std::uint32_t> workers_;
  StudyOutput output_;
};

}  // namespace

std::unique_ptr<Subcommand> make_crossover_command() {
  return std::make_unique<CrossoverCommand>();
}

}  // namespace stepcast
