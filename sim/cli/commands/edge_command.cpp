#include <fmt/format.h>

#include "models/base/error.hpp"
#include "sim/cli/subcommand.hpp"
#include "sim/cli/tell.hpp"
#include "sim/report/text/studies/edge_report.hpp"

namespace stepcast {
namespace {

/// How devices that each train a part of a model best share a radio band.
class EdgeCommand final : public Subcommand {
 public:
  CommandHelp help() const override {
    return {.description =
                "Partitioned edge learning: in a round each device trains its part of a model and "
                "sends it, and the\nround waits for the slowest. A device takes work / speed + "
                "bytes / (share x rate); the shares of the\nband add up to 1, and the best make "
                "all devices end together. DEVICES is a CSV table with the\ncolumns device, "
                "work_flops, speed_flops_per_s, size_bytes and rate_bytes_per_s (of its channel\n"
                "if it had the whole band).",
            .examples = {"stepcast edge devices.csv", "stepcast edge devices.csv --json"}};
  }

  std::vector<CommandOption> options() override {
    return {{"DEVICES", "", &devices_, "a CSV table, a line for each device"},
            {"--json", "", &json_, "print JSON"}};
  }

  int run() override {
    if (devices_.empty())
      throw InputError("edge: expected a table of devices: stepcast edge devices.csv");
    const std::vector<EdgeDevice> devices = read_edge_devices(devices_);
    say("{}", json_ ? edge_json(devices) : render_edge(devices));
    return 0;
  }

 private:
  std::string devices_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_edge_command() {
  return std::make_unique<EdgeCommand>();
}

}  // namespace stepcast
