#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/cli/crossover.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/workers.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

constexpr const char* kExample =
    "stepcast crossover --workload vgg16-rtx2080ti-bs32 --cluster rtx2080ti-16x4-10gbe";

/// Runs `parse` on each item; errors begin with the option and the item.
template <class Parse>
auto parsed(const char* option, const CommaList& list, Parse parse) {
  std::vector<decltype(parse(list.items.front()))> values;
  for (const std::string& item : list.items) {
    try {
      values.push_back(parse(item));
    } catch (const InputError& error) {
      throw InputError(fmt::format("{} {}: {}", option, item, error.what()));
    }
  }
  return values;
}

double parse_density(const std::string& text) {
  const double density = parse_number(text);
  if (density <= 0 || density > 1)
    throw InputError(
        fmt::format("expected a number above 0 and at most 1, found {}", in_quotes(text)));
  return density;
}

/// Shows where a scheme of compressed gradients is the fastest.
class CrossoverCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {
        .name = "crossover",
        .summary = "Map which gradient compression wins, by density, ranks and bandwidth",
        .description =
            "Forecasts every schedule at every density, number of nodes and bandwidth, and "
            "finds the densities at\nwhich the order changes. Beside them: where it would "
            "change if bytes alone counted,\nand what moves it.",
        .examples = {kExample, std::string(kExample) + "\n      --nodes 2,8,16 --svg crossover.svg",
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
      else if (option.name == "--fidelity")
        option.meaning = "analytic (the default without an experiment file), flow or step";
    options.push_back({"--density", "D,...", &densities_, "selected parts of the gradient"});
    options.push_back({"--bandwidth", "B,...", &bandwidths_,
                       "of a node's NIC (1Gbps to 100Gbps in seven steps)"});
    options.push_back({"--workers", "N", &workers_, "processes (default: one a core)"});
    options.push_back({"--svg", "FILE", &svg_file_, "also draw heat maps"});
    options.push_back({"--csv", "FILE", &csv_file_, "also write every forecast as a table"});
    options.push_back({"--json", "", &json_, "print JSON"});
    return options;
  }

  int run() override {
    for (const std::string* file : {&svg_file_, &csv_file_})
      if (!file->empty())
        check_writable(*file);
    const Crossover crossover = find_crossover(grid(), workers_.value_or(available_cores()));
    if (!svg_file_.empty())
      write_text_file(svg_file_, crossover_svg(crossover));
    if (!csv_file_.empty())
      write_text_file(csv_file_, crossover_csv(crossover));
    fmt::print("{}", json_ ? crossover_json(crossover) : render_crossover(crossover));
    return 0;
  }

 private:
  CrossoverGrid grid() {
    set_defaults();
    CrossoverGrid grid{
        .scenario = resolve(request_, kExample),
        .densities = parsed("--density", densities_, parse_density),
        .nodes =
            parsed("--nodes", nodes_, [](const std::string& text) { return parse_count(text, 1); }),
        .bandwidths = parsed("--bandwidth", bandwidths_,
                             [](const std::string& text) { return parse_bandwidth(text); })};
    if (grid.scenario.schedules.empty())
      grid.scenario.schedules = {"ddp", "topk-allgather", "topka2a", "gtopk", "ok-topk"};
    std::ranges::sort(grid.densities);
    if (grid.nodes.empty())
      grid.nodes = {grid.scenario.cluster.nodes};
    check_ranks(grid);
    return grid;
  }

  // Communication of the default schedules never meets other communication, so that closed forms
  // are as good as flows and much cheaper. An experiment file says what it wants.
  void set_defaults() {
    if (request_.fidelity.empty() && request_.experiment.empty())
      request_.fidelity = "analytic";
    if (densities_.items.empty())
      densities_.items = {"0.001", "0.002", "0.005", "0.01", "0.02", "0.05", "0.1", "0.2", "0.5"};
    if (bandwidths_.items.empty())
      bandwidths_.items = {"1Gbps", "2.5Gbps", "5Gbps", "10Gbps", "25Gbps", "50Gbps", "100Gbps"};
  }

  static void check_ranks(const CrossoverGrid& grid) {
    constexpr std::uint32_t kMostRanks = 16384;
    for (const std::uint32_t nodes : grid.nodes)
      if (nodes > kMostRanks / grid.scenario.cluster.gpus_per_node)
        throw InputError(fmt::format("--nodes {}: expected at most {} GPUs", nodes, kMostRanks));
  }

  RunRequest request_;
  CommaList densities_;
  CommaList nodes_;
  CommaList bandwidths_;
  std::optional<std::uint32_t> workers_;
  std::string svg_file_;
  std::string csv_file_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_crossover_command() {
  return std::make_unique<CrossoverCommand>();
}

}  // namespace stepcast
