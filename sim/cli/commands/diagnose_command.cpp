#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/cli/on_one_line.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/json/diagnosis_json.hpp"
#include "sim/report/text/measured/diagnosis_report.hpp"
#include "traces/job/read_job.hpp"
#include "traces/readers/import.hpp"

namespace stepcast {
namespace {

/// Says what holds up a job, from the traces of its ranks.
class DiagnoseCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {
        .name = "diagnose",
        .summary = "Say what holds up a job, from the traces of its ranks",
        .description =
            "Replays the recorded steps of all ranks as recorded, with all work even, and with "
            "that of\none part (rank, stage, kind, ..) as recorded: how much slower the job is "
            "than it could\nbe, which part makes it so, and a verdict: worker, stage, data, "
            "host, network or none.\nInput: a table of operations (CSV, also "
            "gzip-compressed; times in seconds), see traces/README.md.\nJob file: JSON with dp, "
            "pp, "
            "tp, cp, vpp, gpus, hosts (a name a rank) or gpus_per_host; or CSV with\nsuch columns "
            "and a row for each job.",
        .examples = {"stepcast diagnose operations.csv.gz --job jobs.csv",
                     "stepcast diagnose operations.csv --json"}};
  }

  std::vector<CommandOption> options() override {
    return {
        {"FILE", "", &files_, "table of a job's operations"},
        {"--job", "FILE", &job_, "what the traces do not say, JSON or CSV (see above)"},
        {"--slow-from", "S", &slowdown_,
         "slow-down from which on somebody holds up the others (default 1.05)"},
        {"--explained-from", "SHARE", &explained_,
         "share of the waste that a cause must explain (default 0.5)"},
        {"--strict", "", &strict_, "refuse traces if anything is skipped or doubtful"},
        {"--json", "", &json_, "print JSON"},
    };
  }

  int run() override {
    if (files_.empty())
      throw InputError(fmt::format("diagnose: expected a file, for example: {}",
                                   on_one_line(help().examples.front())));
    const std::vector<std::filesystem::path> given(files_.begin(), files_.end());
    ImportReport report;
    const Job job = read_job(given, job_, report);
    if (strict_)
      refuse_doubts(report, given.front().string());
    const Diagnosis diagnosis = diagnose(job, thresholds());
    for (const std::string& line : describe(report))
      tell("{}: {}\n", given.front().string(), line);
    say("{}", json_ ? diagnosis_json(diagnosis) : render_diagnosis(diagnosis));
    return 0;
  }

 private:
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
  std::string job_;
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
