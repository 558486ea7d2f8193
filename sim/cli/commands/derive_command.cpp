#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/workload/derive.hpp"
#include "sim/cli/checks/given_options.hpp"
#include "sim/cli/derive/derive_cluster.hpp"
#include "sim/cli/derive/derive_model.hpp"
#include "sim/cli/on_one_line.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "traces/catalog.hpp"
#include "traces/formats/stepcast/architecture_reader.hpp"
#include "traces/formats/stepcast/device_reader.hpp"
#include "traces/formats/stepcast/workload_file.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

/// Makes a workload out of an architecture and the time of a whole step, or a cluster file.
class DeriveCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {
        .description =
            "Distributes the step time over the layers in proportion to a roofline of the "
            "device; the method\nends up in the workload's provenance. Architectures and "
            "devices: see stepcast list.\nThe word cluster for an architecture writes a "
            "cluster file: what is given as given, every other\nfield and cost as in --from, "
            "which its provenance says of each.\nThe models that --hf knows are the \"families\" "
            "of configs/model_families.json in StepCast's data.",
        .examples = {"stepcast derive resnet50 --device rtx2080ti --batch 32 --step-time 118ms "
                     "-o resnet50-bs32.json",
                     "stepcast derive bert-base --device rtx2080ti --batch 64 --throughput "
                     "219.1",
                     "stepcast derive cluster --from h100-8x8 --nodes 32 --nic 8x400Gbps -o "
                     "mine.json",
                     "stepcast derive --hf Llama-3.1-8B/config.json --device h100 --batch 2 "
                     "--seq 4096\n      -o llama.json"}};
  }

  std::vector<CommandOption> options() override {
    std::vector<CommandOption> options{
        {"ARCHITECTURE", "", &architecture_,
         "name (see stepcast list architectures) or file; or the word cluster"},
        {"--device", "D", &device_, "name (see stepcast list devices) or file"},
        {"--batch", "N", &batch_, "samples per GPU and step"},
        {"--step-time", "TIME", &step_time_,
         "forward + backward of one step, e.g. 229.4ms;\nwith --optimiser its update, too"},
        {"--throughput", "RATE", &throughput_, "or: samples per second of one GPU"},
        {"--forward-fraction", "F", &forward_fraction_,
         "forward part of the step time, between 0 and 1 (0.36)"},
        {"--optimiser", "NAME", &derive_.optimiser,
         "tell its update apart, as bytes over memory bandwidth: sgd (momentum),\nadam (fused), "
         "torch-sgd, torch-momentum, torch-adam, torch-adamw"},
        {"--source", "TEXT", &derive_.source, "where the step time comes from, for the provenance"},
        {"--name", "NAME", &derive_.name, "default: <architecture>-<device>-bs<batch>"},
        output_option("-o,--output", &output_, "file to write; default: standard output"),
    };
    for (CommandOption& option : model_.options())
      options.push_back(std::move(option));
    for (CommandOption& option : cluster_.options())
      options.push_back(std::move(option));
    return options;
  }

  int run() override {
    const bool of_cluster = architecture_ == "cluster";
    if (model_.is_given()) {
      check_of_model();
      write(model_.file_text(derive_.name, device_, batch_), "workload");
      return 0;
    }
    if (const std::string option = model_.first_given(); !option.empty())
      throw InputError(option + ": expected only together with --hf");
    write(of_cluster ? cluster_text() : workload_text(), of_cluster ? "cluster" : "workload");
    return 0;
  }

 private:
  void write(const std::string& text, const std::string& what) const {
    if (what == "workload")
      parse_workload(text, "derive");  // in the ranges of what is read
    if (output_.empty()) {
      say("{}", text);
      return;
    }
    write_text_file(output_, text);
    tell("{} written to {}\n", what, output_);
  }

  void check_of_model() const {
    constexpr const char* kWhy = "expected no --hf beside it, whose times are of the device's law";
    const std::string of_cluster = cluster_.first_given();
    refuse_given(kWhy, {{of_cluster.c_str(), !of_cluster.empty()},
                        {"ARCHITECTURE", !architecture_.empty()}});
    refuse_of_workload(kWhy);
  }

  std::string cluster_text() const {
    constexpr const char* kWhy = "is of a workload: expected an architecture, not the word cluster";
    refuse_given(kWhy, {{"--batch", batch_.has_value()}});
    refuse_of_workload(kWhy);
    return cluster_.file_text(derive_.name, device_);
  }

  void refuse_of_workload(const char* why) const {
    refuse_given(why, {{"--step-time", step_time_.has_value()},
                       {"--throughput", throughput_.has_value()},
                       {"--forward-fraction", forward_fraction_.has_value()},
                       {"--optimiser", !derive_.optimiser.empty()},
                       {"--source", !derive_.source.empty()}});
  }

  std::string workload_text() {
    check();
    const Architecture architecture =
        read_architecture(find_file(CatalogKind::Architecture, architecture_));
    const DeviceSpec device = read_device(find_file(CatalogKind::Device, device_));
    return to_json_text(derive_workload(architecture, device, *batch_, step_time(), derive_));
  }

  void check() {
    if (const std::string option = cluster_.first_given(); !option.empty())
      throw InputError(fmt::format("{}: expected only with `stepcast derive cluster`", option));
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
  }

  Seconds step_time() const {
    const Seconds time = step_time_ ? *step_time_ : Seconds{*batch_ / *throughput_};
    try {
      check_step_time(time);
    } catch (const InputError& error) {
      throw InputError(throughput_ ? fmt::format("--throughput: {} samples/s at batch {}: {}",
                                                 *throughput_, *batch_, error.what())
                                   : fmt::format("--step-time: {}", error.what()));
    }
    return time;
  }

  ModelDerivation model_;
  ClusterDerivation cluster_;
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
