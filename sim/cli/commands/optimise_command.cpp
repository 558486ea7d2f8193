#include <cstdio>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/json/optimisation_json.hpp"
#include "sim/report/text/studies/optimisation_report.hpp"

namespace stepcast {
namespace {

constexpr const char* kExample =
    "stepcast optimise --workload bert-large-rtx2080ti-bs32 --cluster rtx2080ti-16x4-10gbe";

/// Edits the buckets of a data-parallel step until none makes it faster.
class OptimiseCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {
        .name = "optimise",
        .summary = "Find the gradient buckets with the shortest step",
        .description =
            "Begins with the buckets of DistributedDataParallel and fuses, splits and moves them "
            "where that\nmakes the simulated step shorter: which edits, what each gains, and what "
            "bounds the step in\nthe end. All-reduces run in order on one stream beside the "
            "backward pass.",
        .examples = {kExample, std::string(kExample) + "\n      --nodes 4 --bucket 5MiB --json"}};
  }

  std::vector<CommandOption> options() override {
    return {
        {"--workload", "W", &request_.workload, "name (see stepcast list workloads) or .json file"},
        {"--cluster", "C", &request_.cluster, "name (see stepcast list clusters) or .json file"},
        {"--nodes", "N", &request_.nodes, "resize the cluster to N nodes"},
        {"--gpus-per-node", "G", &request_.gpus_per_node, "resize its nodes to G GPUs"},
        {"--set", "KEY=VALUE", &request_.settings, "as of run, but for options of schedules"},
        {"--fidelity", "F", &request_.fidelity, "analytic, flow (the default) or step"},
        {"--bucket", "SIZE", &bucket_, "the buckets to begin with close at this size (25MiB)"},
        {"--first-bucket", "SIZE", &first_bucket_, "the same for the first one (1MiB)"},
        {"--json", "", &json_, "print JSON"}};
  }

  int run() override {
    const Scenario scenario = resolve(request_, kExample);
    refuse_options(scenario.settings);
    BucketLimits limits;
    limits.size = size_of("--bucket", bucket_, limits.size);
    limits.first = size_of("--first-bucket", first_bucket_, limits.first);
    const Progress progress("optimising");
    const Optimisation found =
        optimise_buckets(scenario.workload, scenario.cluster, scenario.engine, limits);
    say("{}", json_ ? optimisation_json(found) : render_optimisation(found));
    return 0;
  }

 private:
  /// There is no schedule whose options they could be.
  static void refuse_options(const Settings& settings) {
    static const std::vector<std::string> known{"step_time", "batch", "global_batch",
                                                "batch_fixed_part"};
    if (settings.schedule.empty())
      return;
    const auto& [key, value] = *settings.schedule.begin();
    const bool is_bucket = key == "bucket" || key == "first_bucket";
    throw InputError(fmt::format(
        "--set {}={}: unknown key; expected one of the workload or cluster, such as "
        "cluster.nic.bandwidth{}",
        key, value,
        is_bucket ? "; the buckets are --bucket and --first-bucket" : did_you_mean(key, known)));
  }

  static Bytes size_of(const char* option, const std::string& text, Bytes fallback) {
    if (text.empty())
      return fallback;
    try {
      return parse_bytes(text);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", option, error.what()));
    }
  }

  RunRequest request_;
  std::string bucket_;
  std::string first_bucket_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_optimise_command() {
  return std::make_unique<OptimiseCommand>();
}

}  // namespace stepcast
