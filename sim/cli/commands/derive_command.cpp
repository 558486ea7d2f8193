#include <cstdio>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/workload/derive.hpp"
#include "sim/cli/on_one_line.hpp"
#include "sim/cli/output_file.hpp"
#include "sim/cli/subcommand.hpp"
#include "traces/catalog.hpp"
#include "traces/json/strict_json.hpp"
#include "traces/readers/stepcast/architecture_reader.hpp"
#include "traces/readers/stepcast/device_reader.hpp"
#include "traces/readers/stepcast/workload_writer.hpp"

namespace stepcast {
namespace {

/// Makes a workload out of an architecture and the time of a whole step.
class DeriveCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.name = "derive",
            .summary = "Derive a workload from an architecture and a measured step time",
            .description =
                "Distributes the step time over the layers in proportion to a roofline of the "
                "device; the method\nends up in the workload's provenance. Architectures and "
                "devices: see stepcast list.",
            .examples = {"stepcast derive resnet50 --device rtx2080ti --batch 32 --step-time 118ms "
                         "-o resnet50-bs32.json",
                         "stepcast derive bert-base --device rtx2080ti --batch 64 --throughput "
                         "219.1"}};
  }

  std::vector<CommandOption> options() override {
    return {
        {"ARCHITECTURE", "", &architecture_, "name (see stepcast list architectures) or file"},
        {"--device", "D", &device_, "name (see stepcast list devices) or file"},
        {"--batch", "N", &batch_, "samples per GPU and step"},
        {"--step-time", "TIME", &step_time_, "forward + backward of one step, e.g. 229.4ms"},
        {"--throughput", "RATE", &throughput_, "or: samples per second of one GPU"},
        {"--forward-fraction", "F", &forward_fraction_,
         "forward part of the step time, between 0 and 1 (0.36)"},
        {"--source", "TEXT", &derive_.source, "where the step time comes from, for the provenance"},
        {"--name", "NAME", &derive_.name, "default: <architecture>-<device>-bs<batch>"},
        {"-o,--output", "FILE", &output_, "workload file to write; default: standard output"},
    };
  }

  int run() override {
    check();
    const Architecture architecture =
        read_architecture(find_file(CatalogKind::Architecture, architecture_));
    const DeviceSpec device = read_device(find_file(CatalogKind::Device, device_));
    const std::string text =
        to_json_text(derive_workload(architecture, device, *batch_, step_time(), derive_));
    if (output_.empty()) {
      fmt::print("{}", text);
      return 0;
    }
    write_text_file(output_, text);
    fmt::print(stderr, "workload written to {}\n", output_);
    return 0;
  }

 private:
  void check() {
    if (architecture_.empty() || device_.empty() || !batch_)
      throw InputError(fmt::format("derive: expected {}, for example: {}",
                                   architecture_.empty() ? "an architecture"
                                   : device_.empty()     ? "--device"
                                                         : "--batch",
                                   on_one_line(help().examples.front())));
    if (step_time_.has_value() == throughput_.has_value())
      throw InputError("derive: expected either --step-time or --throughput");
    if (throughput_ && !(*throughput_ > 0))
      throw InputError(
          fmt::format("--throughput: expected a number above zero, found {}", *throughput_));
    if (forward_fraction_) {
      derive_.forward_fraction = *forward_fraction_;
      derive_.forward_fraction_source = "as given by the user";
    }
    if (!output_.empty())
      check_writable(output_);
  }

  Seconds step_time() const { return step_time_ ? *step_time_ : Seconds{*batch_ / *throughput_}; }

  std::string architecture_;
  std::string device_;
  std::optional<std::uint32_t> batch_;
  std::optional<Seconds> step_time_;
  std::optional<double> throughput_;
  std::optional<double> forward_fraction_;
  DeriveOptions derive_;
  std::string output_;
};

}  // namespace

std::unique_ptr<Subcommand> make_derive_command() {
  return std::make_unique<DeriveCommand>();
}

}  // namespace stepcast
