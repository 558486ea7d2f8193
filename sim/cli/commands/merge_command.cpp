#include <algorithm>
#include <iterator>

#include "models/base/error.hpp"
#include "sim/cli/study/merged_json.hpp"
#include "sim/cli/study/merged_study.hpp"
#include "sim/cli/study/study_log.hpp"
#include "sim/cli/study/study_view.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/workers/stop.hpp"
#include "sim/workers/workers.hpp"

namespace stepcast {
namespace {

/// Puts a study together that was done in parts, and prints it as if it had been done at once.
class MergeCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description =
                "PART are files that compare --shard wrote, in any order. Prints what the "
                "comparison would have\nprinted in one process, to the last byte, but for the "
                "boundaries of --map density. Shards that\nare missing or there twice are named.",
            .examples = {"stepcast compare dear-64gpu-10gbe --nodes 4,8 --shard 1/2 -o part-1",
                         "stepcast merge part-1 part-2", "stepcast merge part-* --json"}};
  }

  std::vector<CommandOption> options() override {
    std::vector<CommandOption> options{
        {"PART", "", &files_, "part of a study; as many as there are shards"},
        output_option("--csv", &csv_, "also write the results as a table"),
        {"--workers", "N", &workers_, "processes that read parts (default: one a core)"},
        {"--partial", "", &partial_, "print what is there where shards are missing"}};
    std::ranges::move(view_.options(), std::back_inserter(options));
    return options;
  }

  int run() override {
    view_.check();
    MergedStudy study(files_, partial_);
    if (view_.is_only_json() && study.has_lists() && csv_.empty())
      return print_in_pieces();
    const MergedStudy::Held held = study.held();
    view_.check(held.sweep);
    if (!study.keep_going())
      for (std::size_t i = 0; i < held.results.size(); ++i)
        refuse_refused(study, held.sweep.combinations[i], held.results[i]);
    const StudyFiles files{.csv = csv_, .keep_going = study.keep_going()};
    StudyLog log(held.sweep, files);
    for (std::uint32_t i = 0; i < held.results.size(); ++i)
      if (const SweepResult& each = held.results[i]; each.forecast || !each.refusal.empty())
        log.add(i, each);
    print_study(held.sweep, held.results, view_, {.finish = [&] { log.finish(); }});
    if (view_.map == "density")  // parts hold forecasts, not the jobs to search
      tell(
          "stepcast: --map density: boundaries are found by stepcast compare alone, without "
          "--shard\n");
    return exit_code_of(held.results);
  }

 private:
  // As the comparison itself ends where nobody asked it to keep going.
  static void refuse_refused(const MergedStudy& study, const Combination& combination,
                             const SweepResult& result) {
    if (!result.forecast && !result.died && !result.refusal.empty())
      throw InputError(study.has_lists() ? name_of(combination) + ": " + result.refusal
                                         : result.refusal);
  }

  int print_in_pieces() const {
    const StopsBetweenJobs stops;
    MergedJson merged = merged_json(files_, partial_, workers_.value_or(available_cores()));
    say_text(std::move(merged.text));
    return merged.died ? 1 : 0;
  }

  std::vector<std::string> files_;
  std::string csv_;
  std::optional<std::uint32_t> workers_;
  bool partial_ = false;
  StudyView view_;
};

}  // namespace

std::unique_ptr<Subcommand> make_merge_command() {
  return std::make_unique<MergeCommand>();
}

}  // namespace stepcast
