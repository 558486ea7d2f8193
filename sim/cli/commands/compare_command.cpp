#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/cli/chance/chance_options.hpp"
#include "sim/cli/checks/gradient_check.hpp"
#include "sim/cli/page_file.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/study/study_log.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/sweep_options.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/json/json.hpp"
#include "sim/report/text/render.hpp"
#include "sim/report/text/studies/gate_report.hpp"
#include "sim/report/text/sweep_report.hpp"
#include "sim/study/effects.hpp"
#include "sim/study/gate/gate.hpp"
#include "sim/study/stop.hpp"
#include "sim/study/sweep/workers.hpp"

namespace stepcast {
namespace {

constexpr const char* kExample =
    "stepcast compare --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe";

/// The rows as if they had been written and read again.
std::vector<WrittenResult> written_rows(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  std::vector<WrittenResult> results;
  for (const SweepRow& row : rows) {
    results.push_back(written(row.forecast));
    for (const auto& [name, value] : row.cells)
      if (sweep.has_lists)
        results.back().combination[name] = value;
  }
  return results;
}

/// Forecasts several schedules of the same job, or of several jobs, one row each.
class CompareCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.name = "compare",
            .summary = "Forecast several schedules of one job, side by side",
            .description =
                "Speed-ups are against the first schedule. An option set with --set "
                "applies to the schedules\nthat have it. Workloads, clusters, node counts and "
                "values of --set may be lists: every\ncombination gets a row of one table.",
            .examples = {kExample, "stepcast compare dear-64gpu-10gbe --nodes 8",
                         "stepcast compare --workload bert-base-rtx2080ti-bs64 --cluster "
                         "rtx2080ti-16x4-ib100\n      --schedules horovod,dear --set "
                         "cluster.nic.bandwidth=25Gbps",
                         "stepcast compare dear-64gpu-10gbe --schedules dear --nodes 4,8,16 "
                         "--set\n      fusion_buffer=5MiB,25MiB,100MiB"}};
  }

  std::vector<CommandOption> options() override {
    std::vector<CommandOption> options =
        options_of(typed_, {"--schedules", "S,...", &typed_.run.schedules,
                            "default: all of first order that send whole gradients"});
    options.push_back(without_gradients_option(without_gradients_));
    add_chance_options(options, chance_);
    options.push_back({"--workers", "N", &workers_, "processes (default: one a core)"});
    for (CommandOption& option : options_of(files_))
      options.push_back(std::move(option));
    options.push_back(
        {"--against", "FILE", &against_, "earlier results (--json) to print changes to"});
    options.push_back(page_.option());
    options.push_back({"--json", "", &json_, "print JSON"});
    return options;
  }

  int run() override {
    page_.check();
    check_study_files(files_);
    const std::vector<WrittenResult> before = earlier_results();
    SweepRequest request = request_of(typed_, kExample);
    request.slow = chance_.slow;
    request.iterations = chance_.iterations.value_or(0);
    request.chance = chance_of(chance_, 1);  // the rows are shared out already
    const Sweep sweep = plan_sweep(request);
    check_gradients(sweep, without_gradients_);
    const StopsBetweenJobs stops;
    StudyLog log(sweep, files_);
    const std::vector<SweepResult> results = results_of(sweep, log);
    print(sweep, results, before);
    log.finish();
    return exit_code_of(results);
  }

 private:
  static constexpr double kNoteworthy = 0.02;

  std::vector<WrittenResult> earlier_results() const {
    if (against_.empty())
      return {};
    if (json_)
      throw InputError("--against: prints a table, not JSON; compare two files with stepcast gate");
    return read_results(against_);
  }

  std::vector<SweepResult> results_of(const Sweep& sweep, StudyLog& log) const {
    Progress progress("forecast", sweep.combinations.size() - log.known().size());
    return sweep_results(sweep, {.workers = workers_.value_or(available_cores()),
                                 .keep_going = files_.keep_going,
                                 .known = log.known(),
                                 .finished = [&](std::uint32_t number, const SweepResult& result) {
                                   progress.step();
                                   log.add(number, result);
                                 }});
  }

  void print(const Sweep& sweep, const std::vector<SweepResult>& results,
             const std::vector<WrittenResult>& before) const {
    const std::vector<SweepRow> rows = rows_of(sweep, results);
    const std::string refused = render_refused(sweep, results);
    if (rows.empty() && !refused.empty())
      throw InputError(fmt::format("no combination has a forecast; the first: {}",
                                   refused.substr(0, refused.find("\nNo forecast"))));
    if (rows.empty())
      return;
    if (page_.is_wanted())
      page_.write(text_of(sweep, rows, true));
    if (json_)
      say("{}", with_refused(text_of(sweep, rows, true), sweep, results));
    else
      say("{}{}{}", text_of(sweep, rows, false), refused.empty() ? "" : "\n", refused);
    if (!before.empty())
      say("\n{}", render_gate(compare_results(before, written_rows(sweep, rows), kNoteworthy)));
    const std::size_t missing = sweep.combinations.size() - rows.size();
    if (stop_signal() != 0)
      tell("stepcast: stopped by a signal: {} of {} forecasts are missing\n", missing,
           sweep.combinations.size());
  }

  static int exit_code_of(const std::vector<SweepResult>& results) {
    if (stop_signal() != 0)
      return stepcast::exit_code_of(stop_signal());
    return std::ranges::any_of(results, &SweepResult::died) ? 1 : 0;
  }

  static std::string text_of(const Sweep& sweep, const std::vector<SweepRow>& rows, bool json) {
    if (sweep.has_lists)
      return json ? sweep_json(rows) : render_sweep(rows);
    std::vector<Forecast> forecasts;
    for (const SweepRow& row : rows)
      forecasts.push_back(row.forecast);
    drop_notes_of_single_rows(forecasts);
    return json ? compare_json(forecasts) : render_compare(forecasts);
  }

  SweepOptions typed_;
  ChanceRequest chance_;
  std::optional<std::uint32_t> workers_;
  bool without_gradients_ = false;
  StudyFiles files_;
  std::string against_;
  PageFile page_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_compare_command() {
  return std::make_unique<CompareCommand>();
}

}  // namespace stepcast
