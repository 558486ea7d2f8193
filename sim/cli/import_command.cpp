#include <cstdio>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/cli/subcommand.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/readers/import.hpp"
#include "traces/readers/stepcast/workload_writer.hpp"

namespace stepcast {
namespace {

/// Converts a measured trace of another format into a workload.
class ImportCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.name = "import",
            .summary = "Convert a measured trace into a workload",
            .description = fmt::format(
                "The format is found by content: {}; also gzip-compressed. What was skipped is\n"
                "counted by kind on standard error.",
                fmt::join(trace_formats(), ", ")),
            .examples = {"stepcast import profiles/vgg16/graph.txt --model vgg16 --batch 128 -o "
                         "vgg16.json"}};
  }

  std::vector<CommandOption> options() override {
    return {
        {"FILE", "", &file_, "trace to read"},
        {"-o,--output", "FILE", &output_, "workload file to write; default: standard output"},
        {"--batch", "N", &import_.batch, "samples per step, where the trace does not tell"},
        {"--model", "NAME", &import_.model, "default: from the file's place"},
        {"--device", "NAME", &import_.device, "device of the trace; default: the format's name"},
        {"--source", "TEXT", &import_.source, "who measured it, for the provenance"},
        {"--strict", "", &import_.strict,
         "refuse a trace if anything in it is skipped or doubtful"},
    };
  }

  int run() override {
    if (file_.empty())
      throw InputError("import: expected a file, for example: " + help().examples.front());
    if (!output_.empty())
      check_writable(output_);
    ImportReport report;
    const Workload workload = import_trace(file_, import_, report);
    for (const std::string& line : describe(report))
      fmt::print(stderr, "{}: {}\n", file_, line);
    if (output_.empty()) {
      fmt::print("{}", to_json_text(workload));
      return 0;
    }
    write_text_file(output_, to_json_text(workload));
    fmt::print(stderr, "{}: {} layers, {} forward, {} backward; workload written to {}\n",
               workload.name, workload.layers.size(), format_seconds(forward_time(workload)),
               format_seconds(backward_time(workload)), output_);
    return 0;
  }

 private:
  std::string file_;
  std::string output_;
  ImportOptions import_;
};

}  // namespace

std::unique_ptr<Subcommand> make_import_command() {
  return std::make_unique<ImportCommand>();
}

}  // namespace stepcast
