#include <algorithm>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/cli/checks/given_options.hpp"
#include "sim/cli/edit_options.hpp"
#include "sim/cli/on_one_line.hpp"
#include "sim/cli/output/figure_file.hpp"
#include "sim/cli/output/study_output.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/cli/page_file.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/sweep_options.hpp"
#include "sim/cli/tell.hpp"
#include "sim/forecast/scenario.hpp"
#include "sim/report/picture/figures.hpp"
#include "sim/report/text/studies/plan_report.hpp"
#include "sim/workers/stop.hpp"
#include "sim/workers/workers.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

constexpr const char* kExample =
    "stepcast plan --workload transformer:model=gpt-22b --clusters dgx-a100,dgx-h100\n"
    "      --gpus 64,128,256 --global-batch 256 --tokens 3e10 --deadline 96h";

/// Which cluster, how many GPUs, which layout and schedule.
class PlanCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description =
                "Bounds every candidate, simulates those that can be the best of a size, and tells "
                "the\nbest with reasons. Best: fastest; with --deadline cheapest of those in time.",
            .examples = {kExample,
                         "stepcast plan --workload bert-large-rtx2080ti-bs32 --clusters "
                         "rtx2080ti-16x4-10gbe\n      --gpus 16,32,64 --samples 1e7 --budget 500 "
                         "--figure plan.svg",
                         "stepcast plan --workload transformer:model=llama-2-70b --clusters "
                         "dgx-a100 --gpus 256\n      --global-batch 512 --set tp=8 --set "
                         "recompute=none,full --csv layouts.csv"}};
  }

  std::vector<CommandOption> options() override {
    std::vector<CommandOption> all = job_options();
    for (CommandOption& option : other_options())
      all.push_back(std::move(option));
    return all;
  }

  int run() override {
    page_.check();
    PlanRequest request = resolved();
    request.costs = [&](const CostEstimate& cost, std::size_t simulations) {
      warn_of_study(cost, simulations, request.fidelity, available_cores());
    };
    const StopsBetweenJobs stops;
    const CapacityPlan plan = found(request);
    std::vector<std::function<void()>> files;
    if (figure_.is_wanted())
      files.emplace_back([&] { figure_.write(plan_figure(plan)); });
    if (!csv_.empty())
      files.emplace_back([&] { write_text_file(csv_, plan_csv(plan)); });
    if (page_.is_wanted())
      files.emplace_back([&] { page_.write(plan_json(plan)); });
    print_then_write(json_ ? plan_json(plan) : render_plan(plan), files);
    return end_of_study(fmt::format("{} candidates are simulated, {} are left open",
                                    plan.choices.size(), plan.open));
  }

 private:
  static CapacityPlan found(const PlanRequest& request) {
    Progress progress("simulation");
    return find_plan(request, available_cores(), [&progress] { progress.step(); });
  }

  std::vector<CommandOption> job_options() {
    return {
        {"--workload", "W", &workload_,
         "name or .json file, or a transformer in line, whose device is that\nof each cluster"},
        {"--clusters,--cluster", "C,...", &clusters_, "names or .json files"},
        {"--gpus", "N,...", &gpus_,
         "sizes: full nodes, or a part of one (default: as many as each\ncluster has)"},
        {"--global-batch", "B", &global_batch_,
         "samples of a step (default: the workload's batch on every GPU)"},
        {"--samples", "N", &samples_, "of the whole job, such as 1.28e8 (default 1e6)"},
        {"--tokens", "N", &tokens_, "of the whole job, in place of --samples: 3e11"},
        {"--goal", "G", &goal_,
         "target whose epochs of SGD are the job, in place of --samples:\na name (see stepcast "
         "list goals) or .json file"},
        {"--deadline", "T", &deadline_, "of the job, such as 72h"},
        {"--budget", "M", &budget_, "in the currency of the prices"},
        {"--max-gpus", "N", &most_gpus_, "leave out larger sizes"},
        {"--max-memory-per-gpu", "SIZE", &memory_,
         "such as 70GiB (default: what it has but\nthe reserve)"},
        {"--memory-reserve", "SHARE", &reserve_,
         "of a GPU's memory, which stays free for the context, NCCL and\nfragments (default 6%)"},
        {"--min-utilisation", "SHARE", &utilisation_,
         "of the peak (transformers), or scaling efficiency: 40%"}};
  }

  std::vector<CommandOption> other_options() {
    return {{"--schedules", "S,...", &schedules_,
             "default: data-parallel ones, for transformers also pipelines"},
            {"--set", "KEY=VALUE,...", &settings_,
             "values to choose from of an option of the schedules; or one of\ncluster.<field>; "
             "may be repeated"},
            {"--prices", "P", &prices_, "list in configs/prices, or .json file"},
            {"--node-mtbf", "T", &node_mtbf_, "mean time between faults of a node: 20000h"},
            {"--checkpoint", "T", &checkpoint_, "for which the job stands still; with --node-mtbf"},
            {"--restart", "T", &restart_, "from a fault until it computes; with --node-mtbf"},
            {"--fidelity", "F", &fidelity_, "analytic (the default), flow or step"},
            {"--simulate", "N", &simulate_,
             "candidates to simulate at most, before the best are changed\n(default 200, or two of "
             "each size)"},
            output_option("--csv", &csv_, "also write all that was simulated"),
            figure_.option("cost and memory against time"),
            page_.option(),
            {"--json", "", &json_, "print JSON"}};
  }

  static void require_above_zero(const char* option, std::optional<double> value,
                                 const char* example) {
    if (value && !(*value > 0))
      throw InputError(fmt::format("{}: expected a number above 0 such as {}, found {:g}", option,
                                   example, *value));
  }

  void check_job() const {
    if (workload_.empty() || clusters_.items.empty())
      throw InputError(fmt::format(
          "{}: expected {}, for example: {}", workload_.empty() ? "--workload" : "--clusters",
          workload_.empty() ? "one" : "at least one", on_one_line(kExample)));
    if (samples_.has_value() + tokens_.has_value() + !goal_.empty() > 1)
      throw InputError("give one of --samples, --tokens and --goal");
    require_above_zero("--samples", samples_, "1.28e8");
    require_above_zero("--tokens", tokens_, "3e11");
    require_above_zero("--budget", budget_, "5000");
    if (deadline_ && !(deadline_->value > 0))
      throw InputError("--deadline: expected a time above 0 such as 72h, found 0");
    figure_.check();
  }

  PlanRequest resolved() const {
    check_job();
    PlanRequest request{.workload = workload_,
                        .clusters = clusters_.items,
                        .gpus = sizes(),
                        .global_batch = global_batch_,
                        .samples = samples_,
                        .tokens = tokens_,
                        .goal = goal_,
                        .deadline = deadline_,
                        .budget = budget_,
                        .schedules = schedules_.items,
                        .prices = prices_,
                        .faults = faults()};
    if (!memory_.empty())
      request.most_memory = of_option("--max-memory-per-gpu", [&] { return parse_bytes(memory_); });
    if (request.most_memory == Bytes{})
      throw InputError("--max-memory-per-gpu: expected a size above zero such as 70GiB, found 0");
    if (!utilisation_.empty())
      request.least_utilisation = share_in("--min-utilisation", utilisation_, "above 0 to 1", "40%",
                                           [](double share) { return share > 0 && share <= 1; });
    request.memory_reserve = share_in("--memory-reserve", reserve_, "from 0 to below 1", "6%",
                                      [](double share) { return share >= 0 && share < 1; });
    if (!fidelity_.empty())
      request.fidelity = parse_fidelity(fidelity_);
    if (simulate_)
      request.most_simulated = *simulate_;
    read_settings(request);
    return request;
  }

  std::vector<std::uint32_t> sizes() const {
    std::vector<std::uint32_t> sizes = gpus_;
    if (most_gpus_ && sizes.empty())
      throw InputError("--max-gpus: expected --gpus beside it");
    if (most_gpus_)
      std::erase_if(sizes, [&](std::uint32_t size) { return size > *most_gpus_; });
    if (most_gpus_ && sizes.empty())
      throw InputError(fmt::format("--max-gpus {}: every size of --gpus is larger", *most_gpus_));
    return sizes;
  }

  static double share_in(const char* option, const std::string& text, const char* range,
                         const char* example, bool (*is_right)(double)) {
    const double share = of_option(option, [&] { return parse_number(text); });
    if (!is_right(share))
      throw InputError(fmt::format("{}: expected a share {} such as {}, found {}", option, range,
                                   example, in_quotes(text)));
    return share;
  }

  PlanFaults faults() const {
    if (!node_mtbf_)
      refuse_given("expected --node-mtbf beside it", {{"--checkpoint", checkpoint_.has_value()},
                                                      {"--restart", restart_.has_value()}});
    if (!node_mtbf_)
      return {};
    if (!checkpoint_ || !restart_)
      throw InputError(
          fmt::format("--node-mtbf: expected {} beside it",
                      given_among({{"--checkpoint", !checkpoint_}, {"--restart", !restart_}})));
    refuse_given("expected a time above 0", {{"--node-mtbf", !(node_mtbf_->value > 0)},
                                             {"--checkpoint", !(checkpoint_->value > 0)}});
    return {.node_mtbf = *node_mtbf_, .costs = {*checkpoint_, *restart_}};
  }

  void read_settings(PlanRequest& request) const {
    SweepOptions typed;
    typed.settings = settings_;
    typed.run.workload = workload_;
    typed.run.cluster = clusters_.items.front();
    std::vector<std::string> of_cluster;
    for (const SweepAxis& axis : request_of(typed, kExample).axes) {
      if (axis.name.starts_with("cluster.") && axis.values.size() == 1)
        of_cluster.push_back(axis.name + "=" + axis.values.front());
      else if (axis.name.starts_with("cluster."))
        throw InputError(
            fmt::format("--set {}: expected one value; give several --clusters", axis.name));
      else
        request.options.push_back({axis.name, axis.values});
    }
    request.settings = parse_settings(of_cluster);
  }

  std::string workload_, goal_, prices_ = "rented-2024", fidelity_, memory_, utilisation_, csv_;
  // Assumed: an allocator holds more than what is allocated, and the context and NCCL take some.
  std::string reserve_ = "6%";
  FigureFile figure_;
  CommaList clusters_, schedules_;
  std::vector<std::uint32_t> gpus_;
  std::optional<std::uint32_t> global_batch_, most_gpus_, simulate_;
  std::optional<double> samples_, tokens_, budget_;
  std::optional<Seconds> deadline_, node_mtbf_, checkpoint_, restart_;
  std::vector<std::string> settings_;
  PageFile page_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_plan_command() {
  return std::make_unique<PlanCommand>();
}

}  // namespace stepcast
