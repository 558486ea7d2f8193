#include <algorithm>
#include <iterator>

#include "models/base/error.hpp"
#include "sim/cli/study/part_file.hpp"
#include "sim/cli/study/study_log.hpp"
#include "sim/cli/study/study_output.hpp"
#include "sim/cli/subcommand.hpp"

namespace stepcast {
namespace {

/// Puts a study together that was done in parts, and prints it as if it had been done at once.
class MergeCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description =
                "PART are files that compare --shard wrote, in any order. Prints what the "
                "comparison would have\nprinted in one process, to the last byte. Shards that are "
                "missing or there twice are named.",
            .examples = {"stepcast compare dear-64gpu-10gbe --nodes 4,8 --shard 1/2 -o part-1",
                         "stepcast merge part-1 part-2", "stepcast merge part-* --json"}};
  }

  std::vector<CommandOption> options() override {
    std::vector<CommandOption> options{
        {"PART", "", &files_, "part of a study; as many as there are shards"},
        output_option("--csv", &csv_, "also write the results as a table"),
        {"--partial", "", &partial_, "print what is there where shards are missing"}};
    std::ranges::move(view_.options(), std::back_inserter(options));
    return options;
  }

  int run() override {
    view_.check();
    const MergedStudy study = merged_study(files_, partial_);
    if (!study.keep_going)
      refuse_refused(study);
    const StudyFiles files{.csv = csv_, .keep_going = study.keep_going};
    StudyLog log(study.sweep, files);
    for (std::uint32_t i = 0; i < study.results.size(); ++i)
      if (const SweepResult& each = study.results[i]; each.forecast || !each.refusal.empty())
        log.add(i, each);
    print_study(study.sweep, study.results, view_);
    log.finish();
    return exit_code_of(study.results);
  }

 private:
  // As the comparison itself ends where nobody asked it to keep going.
  static void refuse_refused(const MergedStudy& study) {
    for (std::size_t i = 0; i < study.results.size(); ++i) {
      const SweepResult& result = study.results[i];
      if (!result.forecast && !result.died && !result.refusal.empty())
        throw InputError(study.sweep.has_lists
                             ? name_of(study.sweep.combinations[i]) + ": " + result.refusal
                             : result.refusal);
    }
  }

  std::vector<std::string> files_;
  std::string csv_;
  bool partial_ = false;
  StudyView view_;
};

}  // namespace

std::unique_ptr<Subcommand> make_merge_command() {
  return std::make_unique<MergeCommand>();
}

}  // namespace stepcast
