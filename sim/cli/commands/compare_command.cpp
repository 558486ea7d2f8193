#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/cli/chance_options.hpp"
#include "sim/cli/checks/given_options.hpp"
#include "sim/cli/checks/gradient_check.hpp"
#include "sim/cli/checks/limits.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/cli/page_file.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/study/goal_study.hpp"
#include "sim/cli/study/study_log.hpp"
#include "sim/cli/study/study_pieces.hpp"
#include "sim/cli/study/study_view.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/sweep_options.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/text/studies/gate_report.hpp"
#include "sim/study/crossover/boundaries.hpp"
#include "sim/study/gate/gate.hpp"
#include "sim/study/sweep/study_cost.hpp"
#include "sim/workers/stop.hpp"
#include "sim/workers/workers.hpp"
#include "traces/json/strict_json.hpp"

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
    return {
        .description =
            "Speed-ups are against the first schedule. An option set with --set "
            "applies to the schedules\nthat have it. Workloads, clusters, node counts and "
            "values of --set may be lists: every\ncombination gets a row of one table; --across "
            "and --map make columns of one of them. --goal\nmultiplies steps by the number that "
            "each schedule takes to a target: StepCast does not\nforecast convergence.",
        .examples = {kExample, "stepcast compare dear-64gpu-10gbe --nodes 8",
                     "stepcast compare --workload bert-base-rtx2080ti-bs64 --cluster "
                     "rtx2080ti-16x4-ib100\n      --schedules horovod,dear --set "
                     "cluster.nic.bandwidth=25Gbps",
                     "stepcast compare --workload bert-base-rtx2080ti-bs64 --cluster "
                     "rtx2080ti-16x4-10gbe\n      --schedules ddp --preset "
                     "horovod-0.21,dear-icdcs23",
                     "stepcast compare dear-64gpu-10gbe --schedules dear --nodes 4,8,16 "
                     "--set\n      fusion_buffer=5MiB,25MiB,100MiB",
                     "stepcast compare --workload resnet50-rtx2080ti-bs32 --cluster\n      "
                     "rtx2080ti-16x4-10gbe,rtx2080ti-16x4-ib100 --schedules spd-kfac,dp-kfac "
                     "--nodes\n      1,2,4,8,16 --across nodes --figure scaling.svg",
                     "stepcast compare --workload vgg16-rtx2080ti-bs32 --cluster "
                     "rtx2080ti-16x4-10gbe --schedules\n      ddp,topka2a,gtopk --set "
                     "density=0.001,0.01,0.1 --map density --fidelity analytic",
                     "stepcast compare --workload resnet50-rtx2080ti-bs32 --cluster "
                     "rtx2080ti-16x4-ib100\n      --goal resnet50-imagenet",
                     "stepcast compare five-dnns --across schedule"}};
  }

  std::vector<CommandOption> options() override {
    std::vector<CommandOption> options =
        options_of(typed_, {"--schedules", "S,...", &typed_.run.schedules,
                            "default: all of first order that send whole gradients"});
    options.push_back(preset_option(typed_.run));
    options.push_back(without_gradients_option(without_gradients_));
    add_chance_options(options, chance_);
    options.push_back({"--workers", "N", &workers_, "processes (default: one a core)"});
    for (CommandOption& option : options_of(files_))
      options.push_back(std::move(option));
    for (CommandOption& option : options_of(goal_))
      options.push_back(std::move(option));
    options.push_back({"--shard", "I/N", &shard_,
                       "forecast every N-th combination only, from the I-th on, and\nwrite a part "
                       "for stepcast merge"});
    options.push_back(
        output_option("-o,--output", &part_file_, "file for --shard; default: standard output"));
    options.push_back(
        {"--against", "FILE", &against_, "earlier results (--json) to print changes to"});
    for (CommandOption& option : view_.options())
      options.push_back(std::move(option));
    return options;
  }

  int run() override {
    view_.check();
    check_study_files(files_);
    check_shard();
    const std::vector<WrittenResult> before = earlier_results();
    SweepRequest request = request_of(typed_, kExample);
    request.slow = chance_.slow;
    request.iterations = iterations_of(chance_);
    request.chance = chance_of(chance_, 1);  // the rows are shared out already
    const StopsBetweenJobs stops;
    if (goal_.is_given())
      return run_goal(std::move(request));
    if (!shard_.empty())
      return run_shard(std::move(request));
    if (is_only_json() && has_lists(request))
      return run_in_pieces(std::move(request));
    const Sweep sweep = plan_sweep(request);
    view_.check(sweep);
    check_gradients(sweep, without_gradients_);
    StudyLog log(sweep, files_);
    if (log.known().empty())  // else nobody knows what is left
      warn_of_cost(sweep);
    const std::vector<SweepResult> results = results_of(sweep, log);
    print(sweep, results, before, log);
    return stop_signal() != 0 ? exit_code_of(stop_signal()) : exit_code_of(results);
  }

 private:
  static constexpr double kNoteworthy = 0.02;

  std::vector<WrittenResult> earlier_results() const {
    if (against_.empty())
      return {};
    if (view_.json)
      throw InputError("--against: prints a table, not JSON; compare two files with stepcast gate");
    return read_results(against_);
  }

  void warn_of_cost(const Sweep& sweep) const {
    const std::uint32_t workers = workers_.value_or(available_cores());
    const std::size_t more = view_.map == "density" ? forecasts_of(sweep) : 0;
    const std::size_t forecasts = sweep.combinations.size() + more;
    const auto cost = cost_of(sweep, workers, more, memory_allowed());
    if (cost)
      refuse_beyond(memory_allowed(), *cost, fmt::format("{} forecasts", forecasts));
    warn_of_study(cost, forecasts, sweep.scenarios.front().engine.fidelity, workers);
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
             const std::vector<WrittenResult>& before, StudyLog& log) const {
    const auto against = [&](const std::vector<SweepRow>& rows) {
      return before.empty()
                 ? ""
                 : "\n" +
                       render_gate(compare_results(before, written_rows(sweep, rows), kNoteworthy));
    };
    const std::vector<SweepRow> rows = print_study(sweep, results, view_,
                                                   {.finish = [&] { log.finish(); },
                                                    .boundaries = boundaries_of(sweep, results),
                                                    .text = against});
    tell_missing(sweep.combinations.size() - rows.size(), sweep.combinations.size());
  }

  /// Returns the boundaries of the jobs that have forecasts, as far as no signal stops the search.
  std::vector<JobBoundaries> boundaries_of(const Sweep& sweep,
                                           const std::vector<SweepResult>& results) const {
    if (view_.map != "density")
      return {};
    Sweep there = sweep;
    auto result = results.begin();
    std::erase_if(there.combinations, [&](const auto&) { return !(result++)->forecast; });
    if (there.combinations.empty())
      return {};
    std::vector<JobBoundaries> found;
    try {
      Progress progress("boundary");
      found = find_boundaries(there, {.workers = workers_.value_or(available_cores()),
                                      .finished = [&progress] { progress.step(); }});
    } catch (const Stopped&) {
    }
    if (stop_signal() != 0)
      tell("stepcast: {}: boundaries are missing, those of {} jobs are there\n", stop_in_words(),
           found.size());
    return found;
  }

  /// Forecasts the ways of a goal, and multiplies them by the steps that they take.
  int run_goal(SweepRequest request) const {
    check_goal();
    const Goal goal = goal_of(goal_, typed_.run.schedules.items);
    const Sweep sweep = sweep_of_goal(goal, std::move(request));
    check_gradients(sweep, without_gradients_);
    warn_of_cost(sweep);
    StudyLog log(sweep, files_);
    const std::vector<SweepResult> results = results_of(sweep, log);
    const std::vector<Solution> solutions = solutions_of(goal, results);
    tell_missing(results.size() - solutions.size(), results.size());
    print_then_write(view_.json ? solutions_json(goal, sweep, solutions)
                                : render_solutions(goal, sweep, solutions),
                     {[&] { log.finish(); }});
    return stop_signal() != 0 ? exit_code_of(stop_signal()) : exit_code_of(results);
  }

  void check_goal() const {
    refuse_given("not with --goal, --epochs, --steps and --samples, which print hours to a target",
                 {{"--shard", !shard_.empty()},
                  {"--against", !against_.empty()},
                  {"--page", view_.page.is_wanted()},
                  {"--figure", view_.figure.is_wanted()},
                  {"--across", !view_.across.empty()},
                  {"--map", !view_.map.empty()},
                  {"--preset", !typed_.run.presets.items.empty()},
                  {"--resume", !files_.resume.empty()},
                  {"--keep-going", files_.keep_going}});
  }

  static void tell_missing(std::size_t missing, std::size_t of) {
    if (stop_signal() != 0 && missing == of)
      throw Stopped(stop_signal());
    if (stop_signal() != 0)
      tell("stepcast: {}: {} of {} forecasts are missing\n", stop_in_words(), missing, of);
  }

  /// Nothing is asked for that needs all forecasts at once.
  bool is_only_json() const {
    return view_.is_only_json() && against_.empty() && files_.csv.empty() &&
           files_.json_lines.empty() && files_.resume.empty();
  }

  PieceRules piece_rules() const {
    return {.workers = workers_.value_or(available_cores()),
            .keep_going = files_.keep_going,
            .check = [this, first = true](const Sweep& piece) mutable {
              view_.check(piece);
              check_gradients(piece, without_gradients_);
              if (std::exchange(first, false))
                warn_of_cost(piece);
            }};
  }

  int run_in_pieces(SweepRequest request) const {
    PiecedStudy study = study_json_in_pieces(std::move(request), piece_rules());
    if (study.missing < study.whole)
      say_text(std::move(study.text));
    tell_missing(study.missing, study.whole);
    return stop_signal() != 0 ? exit_code_of(stop_signal()) : study.died ? 1 : 0;
  }

  /// Forecasts a part of the study and writes it down for `merge`.
  int run_shard(SweepRequest request) const {
    PiecedStudy part = part_in_pieces(std::move(request), parse_shard(shard_), piece_rules());
    if (stop_signal() != 0)
      throw Stopped(stop_signal());  // an unfinished part would pass for the whole one
    if (part_file_.empty())
      say_text(std::move(part.text));
    else
      write_text_file(part_file_, part.text);
    return 0;
  }

  void check_shard() const {
    if (!part_file_.empty() && shard_.empty())
      throw InputError("--output: expected together with --shard");
    if (shard_.empty())
      return;
    parse_shard(shard_);
    refuse_given(
        "not with --shard, which writes a part of a study; stepcast merge prints the whole",
        {{"--json", view_.json},
         {"--page", view_.page.is_wanted()},
         {"--figure", view_.figure.is_wanted()},
         {"--across", !view_.across.empty()},
         {"--map", !view_.map.empty()},
         {"--against", !against_.empty()},
         {"--csv", !files_.csv.empty()},
         {"--json-lines", !files_.json_lines.empty()},
         {"--resume", !files_.resume.empty()}});
  }

  SweepOptions typed_;
  ChanceRequest chance_;
  std::optional<std::uint32_t> workers_;
  bool without_gradients_ = false;
  StudyFiles files_;
  GoalOptions goal_;
  std::string against_;
  std::string shard_;
  std::string part_file_;
  StudyView view_;
};

}  // namespace

std::unique_ptr<Subcommand> make_compare_command() {
  return std::make_unique<CompareCommand>();
}

}  // namespace stepcast
