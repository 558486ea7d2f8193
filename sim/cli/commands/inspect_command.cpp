#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "sim/cli/on_one_line.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/text/measured/trace_report.hpp"

namespace stepcast {
namespace {

/// Says what a trace holds before anything is made of it.
class InspectCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description = fmt::format(
                "Steps, device time by category, collectives with their sizes, overlap. Several "
                "files, or a folder:\nthe ranks of a job are put on one clock, with who waits for "
                "whom in collectives.\nFormats, found by content, also gzip-compressed:\n{}.",
                fmt::join(trace_formats(), ", ")),
            .examples = {"stepcast inspect trace.json.gz", "stepcast inspect rank*.json --json",
                         "stepcast inspect profiles/"}};
  }

  std::vector<CommandOption> options() override {
    return {
        {"FILE", "", &files_, "trace to read; several, or a folder: one for each rank"},
        {"--strict", "", &import_.strict, "refuse a trace if anything is skipped or doubtful"},
        {"--json", "", &json_, "print JSON: a list, one entry a file"},
    };
  }

  int run() override {
    if (files_.empty())
      throw InputError(fmt::format("inspect: expected a file, for example: {}",
                                   on_one_line(help().examples.front())));
    const std::vector<std::filesystem::path> given(files_.begin(), files_.end());
    const std::vector<Inspected> all = inspect_all(files_in(given));
    const RankComparison comparison = compare(all);
    say("{}", json_ ? json_text(all, comparison) : text(all, comparison));
    return 0;
  }

 private:
  struct Inspected {
    std::filesystem::path path;
    TraceSummary summary;
    ImportReport report;
  };

  std::vector<Inspected> inspect_all(const std::vector<std::filesystem::path>& paths) const {
    Progress progress("trace", paths.size());
    std::vector<Inspected> all;
    for (const auto& path : paths) {
      all.push_back(inspect(path));
      progress.step();
    }
    return all;
  }

  Inspected inspect(const std::filesystem::path& path) const {
    Inspected inspected{.path = path};
    inspected.summary = inspect_trace(std::span(&path, 1), import_, inspected.report);
    if (!json_)
      for (const std::string& line : describe(inspected.report))
        tell("{}: {}\n", path.string(), line);
    return inspected;
  }

  /// Of the files that may be ranks of one job; nothing if there is one at most.
  static RankComparison compare(const std::vector<Inspected>& all) {
    std::vector<RankRecord> records;
    for (const Inspected& inspected : all)
      if (inspected.summary.rank)
        records.push_back(*inspected.summary.rank);
    return compare_ranks(records);
  }

  static std::string text(const std::vector<Inspected>& all, const RankComparison& comparison) {
    std::string text;
    for (const Inspected& inspected : all)
      text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", inspected.path.string(),
                          render_trace(inspected.summary));
    const bool compared = !comparison.ranks.empty() || !comparison.why_not.empty();
    return compared ? fmt::format("{}\n{}", text, render_ranks(comparison)) : text;
  }

  static std::string json_text(const std::vector<Inspected>& all,
                               const RankComparison& comparison) {
    const auto ranks_given = static_cast<std::size_t>(std::ranges::count_if(
        all, [](const Inspected& inspected) { return inspected.summary.rank.has_value(); }));
    std::string text;
    std::size_t ranks = 0;
    for (const Inspected& inspected : all) {
      const bool compared = inspected.summary.rank && !comparison.ranks.empty();
      text += fmt::format("{}{}", text.empty() ? "" : ",\n",
                          trace_json(inspected.summary, inspected.report, ranks_given,
                                     compared ? &comparison.ranks[ranks++] : nullptr));
    }
    return fmt::format("[\n{}]\n", text);
  }

  std::vector<std::string> files_;
  ImportOptions import_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_inspect_command() {
  return std::make_unique<InspectCommand>();
}

}  // namespace stepcast
