#include <cstdio>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "sim/cli/on_one_line.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/report/trace_report.hpp"

namespace stepcast {
namespace {

/// Says what a trace holds before anything is made of it.
class InspectCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.name = "inspect",
            .summary = "Say what a measured trace holds",
            .description = fmt::format(
                "Steps, device time by category, collectives with their sizes, overlap. Formats, "
                "found by content,\nalso gzip-compressed:\n{}.",
                fmt::join(trace_formats(), ", ")),
            .examples = {"stepcast inspect trace.json.gz", "stepcast inspect rank*.json --json"}};
  }

  std::vector<CommandOption> options() override {
    return {
        {"FILE", "", &files_, "trace to read; several are inspected one after the other"},
        {"--strict", "", &import_.strict, "refuse a trace if anything is skipped or doubtful"},
        {"--json", "", &json_, "print JSON: a list, one entry a file"},
    };
  }

  int run() override {
    if (files_.empty())
      throw InputError(fmt::format("inspect: expected a file, for example: {}",
                                   on_one_line(help().examples.front())));
    const std::vector<std::filesystem::path> given(files_.begin(), files_.end());
    std::string text;
    for (const auto& path : files_in(given))
      text += fmt::format("{}{}", text.empty() ? "" : json_ ? ",\n" : "\n", inspect(path));
    fmt::print("{}", json_ ? fmt::format("[\n{}]\n", text) : text);
    return 0;
  }

 private:
  std::string inspect(const std::filesystem::path& path) const {
    ImportReport report;
    const TraceSummary summary = inspect_trace(std::span(&path, 1), import_, report);
    if (json_)
      return trace_json(summary, report);
    for (const std::string& line : describe(report))
      fmt::print(stderr, "{}: {}\n", path.string(), line);
    return fmt::format("{}: {}", path.string(), render_trace(summary));
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
