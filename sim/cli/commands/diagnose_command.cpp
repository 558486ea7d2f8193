#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "sim/cli/on_one_line.hpp"
#include "sim/cli/output/figure_file.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/cli/page_file.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/cli/told_job.hpp"
#include "sim/jobs/diagnose/diagnosis_parts.hpp"
#include "sim/jobs/diagnose/job_workload.hpp"
#include "sim/jobs/diagnose/recorded_slow_downs.hpp"
#include "sim/report/json/job_timeline.hpp"
#include "sim/report/picture/figures.hpp"
#include "sim/report/text/measured/diagnosis_report.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/stepcast/slow_downs_file.hpp"
#include "traces/formats/stepcast/workload_file.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

/// Says what holds up a job, from the traces of its ranks.
class DiagnoseCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {
        .description =
            "Replays the recorded steps of all ranks as recorded, with all work even, and with "
            "that of\none part (rank, stage, kind, ..) as recorded: how much slower the job is "
            "than it could\nbe, which part makes it so, and a verdict: worker, stage, data, "
            "host, network, uneven\ncollectives, checkpoints or none.\n"
            "Input: a table of operations (CSV, also "
            "gzip-compressed; times in seconds), a trace of\nPyTorch's, TensorFlow's or "
            "MXNet's profiler, a Chakra graph, an export of Nsight Systems (SQLite)\nor BytePS's "
            "comm.json for each rank, or Horovod's timeline; see traces/README.md.\nJob file: JSON "
            "with dp, pp, tp, cp, vpp, micro_batches, gpus, hosts (a name a rank) or\n"
            "gpus_per_host; or CSV with such columns and a row for each job. For --workload, of a\n"
            "pipeline whose traces hold no sizes: gradient_bytes, parameter_bytes (of a rank, a\n"
            "number for each stage), message_bytes (of a micro-batch), tied_bytes; or "
            "recorded_on,\n"
            "a cluster on whose network sizes are those that take the recorded "
            "time.",
        .examples = {"stepcast diagnose operations.csv.gz --job jobs.csv",
                     "stepcast diagnose operations.csv --json",
                     "stepcast diagnose profiles/ --cluster dgx-a100",
                     "stepcast diagnose profiles/ --workload mine.json --ideal"}};
  }

  std::vector<CommandOption> options() override {
    return {
        {"FILE", "", &files_, "table of a job's operations, or a trace for each rank; or a folder"},
        {"--job", "FILE", &job_, "what the traces do not say, JSON or CSV (see above)"},
        {"--slow-from", "S", &slowdown_,
         "slow-down from which on somebody holds up the others (default 1.05)"},
        {"--explained-from", "SHARE", &explained_,
         "share of the waste that a cause must explain (default 0.5)"},
        {"--against", "FILE", &against_,
         "another run of the job to compare with; several for its ranks"},
        {"--cluster", "C", &cluster_,
         "what bus bandwidth this network has for the job's collectives"},
        figure_.option("the ranks as a heat map"),
        output_option("--slow-downs", &slow_downs_,
                      "also write how unevenly ranks compute, step by step, as .csv\nfor --slow "
                      "recorded:file=FILE"),
        output_option("--timeline", &timeline_,
                      "also write a step of all ranks on one clock, for https://ui.perfetto.dev"),
        output_option("--workload", &workload_,
                      "also write the job's step as a workload for compare and others, .json"),
        {"--ideal", "", &ideal_, "of --workload: without delays, every kernel as long as its kind"},
        page_.option(),
        {"--strict", "", &strict_, "refuse traces if anything is skipped or doubtful"},
        {"--json", "", &json_, "print JSON"},
    };
  }

  int run() override {
    if (files_.empty())
      throw InputError(fmt::format("diagnose: expected a file, for example: {}",
                                   on_one_line(help().examples.front())));
    figure_.check();
    if (ideal_ && workload_.empty())
      throw InputError("--ideal: expected --workload FILE with it");
    page_.check();
    const std::optional<Cluster> cluster =
        cluster_.empty() ? std::nullopt : std::optional(load_cluster(cluster_));
    const Job job = told_job(files_, job_, strict_);
    Diagnosis diagnosis = diagnose(job, thresholds());
    if (cluster)
      add_cluster_bandwidths(*cluster, diagnosis);
    doubt_replay(diagnosis);
    std::optional<Diagnosis> other;
    if (!against_.empty()) {
      other = diagnose(told_job(against_, job_, strict_), thresholds());
      refuse_other_job(diagnosis, *other);
    }
    std::optional<Workload> workload;  // before anything is written: it may be refused
    if (!workload_.empty())
      workload = workload_of(job, ideal_);
    write_all(job, diagnosis, other ? &*other : nullptr, workload ? &*workload : nullptr);
    return 0;
  }

 private:
  void write_all(const Job& job, const Diagnosis& diagnosis, const Diagnosis* other,
                 const Workload* workload) const {
    std::vector<std::function<void()>> files;
    if (figure_.is_wanted())
      files.emplace_back([&] { figure_.write(diagnosis_svg(diagnosis)); });
    if (!slow_downs_.empty())
      files.emplace_back([&] { write_text_file(slow_downs_, to_csv(slow_downs_of(job))); });
    if (!timeline_.empty())
      files.emplace_back([&] { write_job_trace(timeline_, job); });
    if (workload != nullptr)
      files.emplace_back([&] { write_workload(*workload); });
    if (page_.is_wanted())
      files.emplace_back([&] { page_.write(diagnosis_json(diagnosis, other)); });
    print_then_write(json_ ? diagnosis_json(diagnosis, other)
                           : render_diagnosis(diagnosis) +
                                 (other != nullptr ? render_comparison(diagnosis, *other) : ""),
                     files);
  }

  /// Of a pipeline, tells where its sizes come from.
  void write_workload(const Workload& workload) const {
    write_text_file(workload_, to_json_text(workload));
    if (workload.pipeline)
      for (const std::string& note : workload.provenance.notes)
        tell("{}: {}\n", workload_, note);
  }

  void doubt_replay(const Diagnosis& diagnosis) const {
    if (diagnosis.doubts.empty())
      return;
    const std::string text =
        fmt::format("{}: {}", files_.front(), fmt::join(diagnosis.doubts, "; "));
    if (strict_)
      throw InputError(text);
    tell("{}\n", text);
  }

  void refuse_other_job(const Diagnosis& job, const Diagnosis& other) const {
    const auto layout = [](const Diagnosis& each) {
      return fmt::format("{} ranks, {} recorded, {} stages x {} data-parallel groups", each.gpus,
                         each.ranks.size(), each.stages, each.groups);
    };
    if (layout(job) != layout(other))
      throw InputError(
          fmt::format("--against {}: not another run of this job: expected {}, found {}",
                      against_.front(), layout(job), layout(other)));
  }

  VerdictThresholds thresholds() const {
    VerdictThresholds thresholds;
    if (slowdown_ && *slowdown_ < 1)
      throw InputError(
          fmt::format("--slow-from: expected a slow-down from 1 on, found {}", *slowdown_));
    if (explained_ && (*explained_ <= 0 || *explained_ > 1))
      throw InputError(fmt::format("--explained-from: expected a share above 0, up to 1, found {}",
                                   *explained_));
    thresholds.slowdown = slowdown_.value_or(thresholds.slowdown);
    thresholds.explained = explained_.value_or(thresholds.explained);
    return thresholds;
  }

  std::vector<std::string> files_;
  std::vector<std::string> against_;
  FigureFile figure_;
  std::string timeline_;
  std::string slow_downs_;
  std::string job_;
  std::string workload_;
  std::string cluster_;
  bool ideal_ = false;
  PageFile page_;
  std::optional<double> slowdown_;
  std::optional<double> explained_;
  bool strict_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_diagnose_command() {
  return std::make_unique<DiagnoseCommand>();
}

}  // namespace stepcast
