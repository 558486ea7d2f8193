#include <optional>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/schedule/passes.hpp"
#include "models/workload/transformer/transformer_text.hpp"
#include "sim/cli/checks/given_options.hpp"
#include "sim/cli/edit_options.hpp"
#include "sim/cli/on_one_line.hpp"
#include "sim/cli/output/study_output.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_request.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/cli/told_job.hpp"
#include "sim/forecast/effects.hpp"
#include "sim/jobs/edits/job_steps.hpp"
#include "sim/jobs/edits/replicated_step.hpp"
#include "sim/report/json/optimisation_json.hpp"
#include "sim/report/text/studies/optimisation_report.hpp"
#include "sim/search/options/recorded_fit.hpp"
#include "sim/search/options/schedule_edits.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

constexpr const char* kExample =
    "stepcast optimise --workload bert-large-rtx2080ti-bs32 --cluster rtx2080ti-16x4-10gbe";

/// Edits a step, recorded or planned, until none makes it faster.
class OptimiseCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description =
                "Of a schedule (default ddp): tries the sizes in which gradients travel and their "
                "order, then fuses\n"
                "and cuts communications; of one that cuts the model, options that train the same "
                "(partition,\n"
                "recompute, zero, micro_batch ..), then stage by stage. Of FILES, the traces of a "
                "job's ranks: edits\n"
                "the recorded steps and replays them. Says every accepted edit with its gain, and "
                "what bounds the\n"
                "step in the end.\n"
                "\n" +
                help_of_edits(),
            .examples = {kExample, std::string(kExample) + "\n      --nodes 4 --bucket 5MiB --json",
                         std::string(kExample) + "\n      --schedule ps --memory 11GiB",
                         "stepcast optimise --workload transformer:model=gpt-22b,device=a100 "
                         "--cluster dgx-a100\n      --nodes 8 --layout tp=8,pp=4 --schedule 1f1b "
                         "--edit \"scale stage=3 kind=backward by=0.5\"",
                         "stepcast optimise profiles/ --edit mixed-precision --edit \"remove "
                         "kind=copies\"",
                         "stepcast optimise operations.csv --edit \"scale rank=3 kind=forward* "
                         "by=0.8\" --no-search"}};
  }

  std::vector<CommandOption> options() override {
    return {
        {"FILE", "", &files_, "table of a job's operations, or a trace for each rank; or a folder"},
        {"--job", "FILE", &job_, "of FILES: what they do not say, as of diagnose"},
        {"--workload", "W", &request_.workload, "name (see stepcast list workloads) or .json file"},
        {"--cluster", "C", &request_.cluster, "name (see stepcast list clusters) or .json file"},
        {"--schedule", "S", &request_.schedule,
         "edit the plan of this one (default ddp; see stepcast list)"},
        layout_option(request_),
        {"--nodes", "N", &request_.nodes, "resize the cluster to N nodes"},
        {"--gpus-per-node", "G", &request_.gpus_per_node, "resize its nodes to G GPUs"},
        {"--set", "KEY=VALUE", &request_.settings, "as of run"},
        {"--fidelity", "F", &request_.fidelity, "analytic, flow (the default) or step"},
        {"--bucket", "SIZE", &bucket_,
         "of the default schedule: its buckets close at this size (25MiB)"},
        {"--first-bucket", "SIZE", &first_bucket_, "the same for the first one (1MiB)"},
        edit_option(edits_),
        edit_file_option(edits_),
        {"--no-search", "", &no_search_, "apply these and look for no others"},
        {"--memory", "SIZE", &memory_,
         "of a schedule: what a GPU may hold, at most what it has (the default);\nrecomputes, "
         "accumulates or shares for it; of FILES with --holds"},
        {"--holds", "SIZES", &holds_,
         "of FILES: what a GPU holds, its activations, what recomputation keeps:\n"
         "total=14GiB,activations=9GiB,recomputed=2GiB"},
        {"--strict", "", &strict_, "refuse traces if anything is skipped or doubtful"},
        {"--json", "", &json_, "print JSON"}};
  }

  int run() override {
    if (!files_.empty())
      return optimise_job();
    if (!holds_.empty())
      throw InputError("--holds is of FILES: a schedule says what a GPU of its plan holds");
    const bool by_default = request_.schedule.empty();
    if (by_default)
      take_default_schedule();
    else
      refuse_buckets("--schedule");
    return optimise_schedule(by_default);
  }

 private:
  void take_default_schedule() {
    request_.schedule = "ddp";
    begin_with("--bucket", bucket_, "bucket");
    begin_with("--first-bucket", first_bucket_, "first_bucket");
  }

  void begin_with(const char* option, const std::string& size, const char* setting) {
    if (size.empty())
      return;
    of_option(option, [&] { return parse_bytes(size); });
    request_.settings.push_back(fmt::format("{}={}", setting, size));
  }

  int optimise_schedule(bool by_default) {
    const Scenario scenario = resolve_one_schedule(request_, kExample);
    const Progress progress("optimising");
    warn_of_cost(planned(scenario, request_.schedule).plan, scenario);
    if (by_default && gradients_in_ready_order(scenario.workload).empty())
      throw InputError(scenario.workload.name + ": expected a workload with gradients, found none");
    EditedStep result{.subject = scenario.workload.name,
                      .cluster = scenario.cluster.name,
                      .schedule = request_.schedule,
                      .gpus = scenario.cluster.ranks()};
    const StopsBetweenJobs stops;
    edit_schedule(job_of(scenario, request_.schedule), requests_of(edits_), !no_search_, budget(),
                  result);
    add_likely_ranges(result, scenario.workload.device, scenario.cluster,
                      experts_in(scenario.workload));
    add_caveats(result, scenario.cluster);
    return told(result);
  }

  static void add_caveats(EditedStep& result, const Cluster& cluster) {
    for (const std::string& caveat : cluster.provenance.caveats)
      result.notes.push_back("caveat of the cluster: " + caveat);
  }

  /// What a GPU may hold; 0: no matter.
  Bytes budget() const {
    if (memory_.empty())
      return {};
    const Bytes budget = of_option("--memory", [&] { return parse_bytes(memory_); });
    if (budget == Bytes{})
      throw InputError("--memory: expected a size above zero, found " + in_quotes(memory_));
    return budget;
  }

  int told(const EditedStep& result) const {
    say("{}", json_ ? edited_step_json(result) : render_edited_step(result));
    return end_of_study("other edits may gain more");
  }

  int optimise_job() {
    refuse_buckets("FILES");
    refuse_given("FILES are a recorded job, beside which nothing is planned",
                 {{"--workload", !request_.workload.empty()},
                  {"--cluster", !request_.cluster.empty()},
                  {"--layout", !request_.layouts.empty()},
                  {"--nodes", request_.nodes.has_value()},
                  {"--gpus-per-node", request_.gpus_per_node.has_value()},
                  {"--schedule", !request_.schedule.empty()},
                  {"--set", !request_.settings.empty()},
                  {"--fidelity", !request_.fidelity.empty()}});
    if (memory_.empty() != holds_.empty())
      throw InputError(
          holds_.empty()
              ? "--memory: what a GPU holds is not read from traces: expected --holds "
                "total=SIZE,activations=SIZE beside it"
              : "--holds: expected --memory SIZE beside it, which is what a GPU may hold");
    const Progress progress("optimising");
    const Job job = told_job(files_, job_, strict_);
    RecordedSteps recorded = editable_steps(job);
    EditedStep result{.subject = job.name,
                      .gpus = job.gpus,
                      .recorded = recorded.recorded,
                      .step_error = recorded.error,
                      .pace = recorded.pace};
    const StopsBetweenJobs stops;
    edit_recording(std::move(recorded.step), requests_of(edits_), !no_search_, told_memory(),
                   result);
    return told(result);
  }

  std::optional<MemoryWish> told_memory() const {
    if (memory_.empty())
      return std::nullopt;
    const RecordedMemory memory =
        of_option("--holds", [&] { return recorded_memory_of(split_key_values(holds_)); });
    return MemoryWish{memory, budget()};
  }

  void refuse_buckets(const char* beside) const {
    refuse_given(
        fmt::format("expected none beside {}; there is the edit \"bucket-size size=\"", beside),
        {{"--bucket", !bucket_.empty()}, {"--first-bucket", !first_bucket_.empty()}});
  }

  RunRequest request_;
  std::vector<std::string> files_;
  TypedEdits edits_;
  std::string job_;
  std::string bucket_, first_bucket_, memory_, holds_;
  bool no_search_ = false, strict_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_optimise_command() {
  return std::make_unique<OptimiseCommand>();
}

}  // namespace stepcast
