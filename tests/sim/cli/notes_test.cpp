#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/base/text.hpp"
#include "models/base/units.hpp"
#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

/// A job with everything that a report has to warn of: layers of another device, some of them
/// waiting for the host, activations unknown, no room in memory, jitter, and a batch that times
/// do not follow.
class Notes : public testing::Test {
 protected:
  void SetUp() override {
    json workload = shipped("traces/workloads/resnet50-rtx2080ti-bs32.json");
    workload.erase("batch_scaling");
    workload["layers"][1]["kind"] = "HostGap";
    workload["layers"][2].erase("activation_bytes");
    workload_ = folder_.file("workload.json", workload.dump());
    json cluster = shipped("configs/clusters/v100-32x4-edr.json");
    cluster.erase("collectives");
    cluster["nodes"] = 2;
    cluster["device_memory"] = "1GiB";
    cluster_ = folder_.file("cluster.json", cluster.dump());
  }

  static json shipped(const std::string& path) {
    return json::parse(std::ifstream(STEPCAST_SOURCE_DIR "/" + path));
  }

  Outcome outcome(std::vector<std::string> arguments, bool as_json) const {
    arguments.insert(arguments.end(), {"--workload", workload_, "--cluster", cluster_, "--fidelity",
                                       "analytic", "--set", "batch=64"});
    if (as_json)
      arguments.emplace_back("--json");
    Outcome outcome = run_cli(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome;
  }

  std::vector<std::string> notes_of_run(const std::string& schedule) const {
    return json::parse(outcome({"run", "--schedule", schedule}, true).out)["notes"];
  }

  /// Every note of `run` is in text and JSON of the command.
  void expect_notes_of_run(const std::string& schedule, const std::vector<std::string>& command) {
    const std::string as_json = outcome(command, true).out;
    const std::string text = on_one_line(outcome(command, false).out);
    for (const std::string& note : notes_of_run(schedule)) {
      EXPECT_NE(as_json.find(json(note).dump()), std::string::npos) << note << "\n" << as_json;
      EXPECT_NE(text.find(note), std::string::npos) << note << "\n" << text;
    }
  }

  /// Without the line breaks of wrapping.
  static std::string on_one_line(const std::string& text) {
    std::string line;
    for (const char c : text)
      if (c != '\n' && !(c == ' ' && !line.empty() && line.back() == ' '))
        line += c;
      else if (c == '\n' && !line.empty() && line.back() != ' ')
        line += ' ';
    return line;
  }

  TemporaryFolder folder_;
  std::string workload_;
  std::string cluster_;
};

TEST_F(Notes, OfTheJobAreAllThere) {
  const auto notes = notes_of_run("gtopk");
  for (const char* begin :
       {"Only time is forecast", "Does not fit: the GPU has 1 GiB", "The trace does not give",
        "Layer times are those of rtx2080ti, although the cluster has v100", "Forward and backward",
        "Costs of compression", "Compute includes", "batch=64: "})
    EXPECT_EQ(
        std::ranges::count_if(notes, [&](const std::string& n) { return n.starts_with(begin); }), 1)
        << begin;
}

TEST_F(Notes, OfTablesAcrossNodesAreThoseOfRun) {
  expect_notes_of_run("gtopk",
                      {"compare", "--schedules", "gtopk", "--nodes", "2", "--across", "nodes"});
}

TEST_F(Notes, OfTuningAreThoseOfRun) {
  expect_notes_of_run("gtopk", {"tune", "--schedule", "gtopk", "--option", "density", "--strategy",
                                "grid", "--trials", "2", "--low", "0.001", "--high", "0.002"});
}

TEST_F(Notes, OfPartsAreThoseOfRun) {
  expect_notes_of_run("spd-kfac", {"run", "--schedule", "spd-kfac", "--parts", "exposed"});
}

TEST_F(Notes, OfSolutionsAreThoseOfRun) {
  expect_notes_of_run("gtopk", {"compare", "--steps", "gtopk=100"});
}

TEST_F(Notes, OfMapsAreThoseOfRun) {
  expect_notes_of_run(
      "gtopk", {"compare", "--schedules", "gtopk", "--set", "density=0.001", "--map", "density"});
}

/// One rank of a workload with `gap` of waiting for its host; what `run` says first.
std::string first_why(const TemporaryFolder& folder, double gap, double& step) {
  json workload = json::parse(
      std::ifstream(STEPCAST_SOURCE_DIR "/traces/workloads/resnet50-rtx2080ti-bs32.json"));
  workload["layers"].push_back(
      {{"name", "gap"}, {"kind", "HostGap"}, {"forward_s", gap}, {"backward_s", 0}});
  const Outcome outcome = run_cli({"run", "--workload", folder.file("gaps.json", workload.dump()),
                                   "--cluster", "rtx2080ti-16x4-10gbe", "--nodes", "1",
                                   "--gpus-per-node", "1", "--schedule", "wfbp", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  step = result["iteration_time_s"];
  return result["why"][1];  // the bottleneck is the first
}

TEST(HostBound, WhyTellsOfHostGapsThatTakeMostOfAStep) {
  const TemporaryFolder folder;
  double step = 0;
  const std::string why = first_why(folder, 2, step);
  EXPECT_EQ(why, fmt::format("For 2 s ({:.1f} % of the step) the device waits for its "
                             "host, as it did in the profile; without these gaps a step takes {}.",
                             100 * 2 / step, format_seconds(Seconds{step - 2})));
  EXPECT_FALSE(first_why(folder, 0.01, step).starts_with("For "));
}

std::string printed_with_adapters(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--cluster", "dgx-a100", "--nodes", "2", "--fidelity",
                                     "analytic", "--set", "cluster.nic.bandwidth=25Gbps"});
  const Outcome outcome = run_cli(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::string text = outcome.out;
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// 25 Gb/s of eight adapters are 200 Gb/s, which nobody was told.
TEST(Adapters, ThatAreSetOneByOneAreToldWithTheTotalInEveryCommand) {
  const std::string workload = "resnet50-rtx2080ti-bs64";
  const std::vector<std::vector<std::string>> commands{
      {"run", "--workload", workload, "--schedule", "ddp"},
      {"run", "--workload", "transformer:model=gpt-1.7b,device=a100", "--schedule", "1f1b",
       "--layout", "pp=2"},
      {"compare", "--workload", workload, "--schedules", "ddp,dear"},
      {"tune", "--workload", workload, "--schedule", "dear", "--option", "fusion_buffer",
       "--trials", "1"},
      {"compare", "--workload", workload, "--schedules", "ddp", "--nodes", "1,2", "--across",
       "nodes"},
      {"optimise", "--workload", workload, "--schedule", "ddp", "--no-search"},
      {"goodput", "--workload", workload, "--schedule", "ddp", "--fail", "node:mtbf=220d",
       "--checkpoint", "30s", "--restart", "10min", "--seeds", "2"}};
  for (const std::vector<std::string>& command : commands)
    EXPECT_NE(printed_with_adapters(command).find("8 x 25 Gb/s, 200 Gb/s in total"),
              std::string::npos)
        << command.front();
  for (std::size_t titled = 0; titled < 4; ++titled)
    EXPECT_NE(printed_with_adapters(commands[titled]).find("8 x 25 Gb/s a node, "),
              std::string::npos)
        << titled;
}

}  // namespace
}  // namespace stepcast
