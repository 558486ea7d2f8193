#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/text/table.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/import.hpp"
#include "traces/formats/stepcast/architecture_reader.hpp"
#include "traces/formats/stepcast/transformers/measured_parts_file.hpp"
#include "traces/formats/stepcast/transformers/profiled_block.hpp"
#include "traces/formats/stepcast/workload_file.hpp"
#include "traces/json/json_text.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

constexpr std::size_t kIndent = 4;  // Of the lines that a note goes on for.

/// A file as --workload takes it: a name without '/' and ".json" is one of the catalog.
std::string workload_argument(const std::string& file) {
  const bool is_path = file.find('/') != std::string::npos || file.ends_with(".json");
  return is_path ? file : "./" + file;
}

/// Converts a measured trace of another format into a workload.
class ImportCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {
        .description = fmt::format(
            "The format is found by content, also gzip-compressed:\n{}.\n"
            "Several files, or a folder, are the ranks of one job. An execution trace or a DDP "
            "bucket list\nbeside a PyTorch profiler trace adds the sizes that it lacks. What was "
            "skipped or is doubtful\nis counted by kind on standard error.",
            fmt::join(trace_formats(), ", ")),
        .examples = {"stepcast import profiles/vgg16/graph.txt --model vgg16 --batch 128 -o "
                     "vgg16.json",
                     "stepcast import trace.json buckets.json --batch 32 -o resnet50.json",
                     "stepcast import block.json.gz --device a100 --block "
                     "model=gpt-22b,tp=8,micro_batch=4 -o block.json",
                     "stepcast import a.log --device a100 --block "
                     "model=gpt-22b,micro_batch=4,micro_batches=8,blocks=24",
                     "stepcast import rank0.json.gz rank1.json.gz --batch 32 -o resnet50.json"}};
  }

  std::vector<CommandOption> options() override {
    return {
        {"FILE", "", &files_, "trace to read; several, or a folder: one for each rank"},
        output_option("-o,--output", &output_, "workload file to write; default: standard output"),
        {"--batch", "N", &import_.batch,
         "samples per step; default: guessed from the shapes in the trace"},
        {"--model", "NAME", &import_.model, "default: from the file's place"},
        {"--device", "NAME", &import_.device,
         "default: what the trace names, as configs/devices calls it"},
        {"--architecture", "NAME", &architecture_,
         "whose gradients to take where the trace has none (see stepcast list\narchitectures)"},
        {"--source", "TEXT", &import_.source, "who measured it, for the provenance"},
        {"--gaps", "G", &gaps_,
         "the device's waits for the host: keep as layers (default) or drop"},
        {"--forward-share", "X", &import_.forward_share,
         "forward over backward time, where a trace tells the latter only (0.5)"},
        {"--block", "KEY=VALUE,..", &block_,
         "the profile is of transformer blocks: write how long\none takes, for "
         "transformer:..,blocks=FILE. Keys:\nmicro_batch, seq, tp, cp, ep, recompute,\n"
         "sequence_parallel, part; hidden, heads, ffn, .. or\nmodel; blocks: how many ran, "
         "micro_batches: how often.\nAlso from a log of Megatron-LM's timers, or two: 24-2"},
        {"--strict", "", &import_.strict,
         "refuse a trace if anything in it is skipped or doubtful"},
    };
  }

  int run() override {
    check();
    ImportReport report;
    const std::vector<std::filesystem::path> paths(files_.begin(), files_.end());
    if (!block_.empty() && write_block_of_logs(paths))
      return 0;
    const Workload workload = imported(paths, report);
    for (const std::string& line : describe(report))
      tell("{}: {}\n", files_.front(), line);
    if (!block_.empty()) {
      write_block(measured_parts_of(workload, block_keys()));
      return 0;
    }
    if (output_.empty()) {
      say("{}", to_json_text(workload));
      return 0;
    }
    write_text_file(output_, to_json_text(workload));
    tell("{}", summary(workload));
    return 0;
  }

 private:
  Workload imported(const std::vector<std::filesystem::path>& paths, ImportReport& report) const {
    const Progress progress("reading " + files_.front());
    return import_trace(paths, import_, report);
  }

  /// Whether the files are logs of Megatron-LM's timers; then it is written.
  bool write_block_of_logs(const std::vector<std::filesystem::path>& paths) const {
    std::vector<MegatronTimers> logs;
    for (const std::filesystem::path& path : paths) {
      const std::string text = std::filesystem::is_directory(path) ? "" : read_text_file(path);
      // Traces may name anything.
      if (!has_megatron_timers(text) || json_start(text) != 0)
        return false;
      logs.push_back(parse_megatron_timers(text, path.string()));
    }
    constexpr std::size_t kMostLogs = 2;
    if (logs.empty() || logs.size() > kMostLogs)
      throw InputError("--block: expected one log, or two of unequal numbers of blocks");
    if (import_.device.empty())
      throw InputError("--device: expected with Megatron-LM's timers, such as a100, found none");
    write_block(measured_parts_of(
        logs, import_.device,
        {.kind = ProvenanceKind::Measured,
         .source = import_.source.empty()
                       ? fmt::format("Megatron-LM's timers in {}", fmt::join(files_, ", "))
                       : import_.source},
        block_keys()));
    return true;
  }

  void write_block(const MeasuredParts& measured) const {
    const std::string text = to_json_text(measured);
    if (output_.empty())
      return say("{}", text);
    write_text_file(output_, text);
    const MeasuredPart& row = measured.rows.front();
    tell(
        "{}, {}: {} forward, {} backward; written to {}\nnext: stepcast run --workload "
        "transformer:..,device={},blocks={} (see stepcast schema blocks)\n",
        name_of(row.part), describe(row), format_seconds(row.forward), format_seconds(row.backward),
        output_, measured.device, output_);
  }

  KeyValues block_keys() const try {
    return split_key_values(block_);
  } catch (const InputError& error) {
    throw InputError(fmt::format("--block: {}", error.what()));
  }

  void check() {
    if (!block_.empty())
      block_keys();
    if (files_.empty())
      throw InputError("import: expected a file, for example: " + help().examples.front());
    if (gaps_ != "keep" && gaps_ != "drop")
      throw InputError(fmt::format("--gaps: expected keep or drop, found {}", in_quotes(gaps_)));
    import_.drop_gaps = gaps_ == "drop";
    if (import_.forward_share && !(*import_.forward_share >= 0))
      throw InputError(fmt::format("--forward-share: expected a number from 0 on, found {}",
                                   *import_.forward_share));
    if (!architecture_.empty())
      import_.architecture = read_architecture(find_file(CatalogKind::Architecture, architecture_));
  }

  static std::string update_text(const Workload& workload) {
    return workload.update > Seconds{} ? fmt::format(", {} update", format_seconds(workload.update))
                                       : "";
  }

  /// What was written, what is known of it, and what to do with it.
  std::string summary(const Workload& workload) const {
    std::string text =
        fmt::format("{}: {} layers, {} forward, {} backward{}; workload written to {}\n",
                    workload.name, workload.layers.size(), format_seconds(forward_time(workload)),
                    format_seconds(backward_time(workload)), update_text(workload), output_);
    for (const std::string& note : workload.provenance.notes)
      text += wrap("  " + note, kIndent);
    if (parameter_count(workload) == 0)
      text += wrap(
          "  without gradients a forecast has nothing to communicate: they come from an "
          "architecture (--architecture NAME), or, for a PyTorch profiler trace, from an execution "
          "trace or a DDP bucket list of the same run, given beside it",
          kIndent);
    return text +
           fmt::format(
               "next: stepcast run --workload {} --cluster C --schedule S (see stepcast list)\n",
               workload_argument(output_));
  }

  std::vector<std::string> files_;
  std::string gaps_ = "keep";
  std::string architecture_;
  std::string output_;
  std::string block_;
  ImportOptions import_;
};

}  // namespace

std::unique_ptr<Subcommand> make_import_command() {
  return std::make_unique<ImportCommand>();
}

}  // namespace stepcast
