#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/base/text.hpp"
#include "tests/sim/cli/run_cli.hpp"

namespace stepcast {
namespace {

using nlohmann::json;

const std::vector<std::string> kRun{"run", "--workload", "resnet50-rtx2080ti-bs64", "--cluster",
                                    "rtx2080ti-16x4-10gbe"};

std::vector<std::string> run_with(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = kRun;
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

double sum_of(const json& times) {
  double sum = 0;
  for (const auto& [name, time] : times.items())
    sum += time.is_object() ? sum_of(time) : time.get<double>();
  return sum;
}

TEST(RunCommand, JsonHoldsABreakdownThatAddsUpToTheIterationTime) {
  const Outcome outcome = run_cli(run_with({"--schedule", "ddp", "--json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  const double iteration = result["iteration_time_s"].get<double>();
  EXPECT_GT(iteration, 0.2294);  // the step without communication
  EXPECT_NEAR(sum_of(result["breakdown"]), iteration, 1e-9 * iteration);
  EXPECT_EQ(result["gpus"], 64);
  // 64 samples on each of 64 GPUs.
  EXPECT_NEAR(result["throughput_samples_per_s"].get<double>(), 64 * 64 / iteration, 1e-6);
}

TEST(RunCommand, TheSlowestRanksAreTheSameWhetherOrNotEqualRanksAreFolded) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--schedule", "dear"}, "ranks 0-7"},
      {{"--schedule", "bsp", "--set", "straggler.3=1.5"}, "rank 3"},
      {{"--schedule", "bsp", "--set", "straggler.3=1.5", "--set", "straggler.5=1.5"},
       "ranks 3, 5"}};
  for (const auto& [options, expected] : cases)
    for (const bool unfold : {false, true}) {
      std::vector<std::string> arguments = run_with(options);
      arguments.insert(arguments.end(), {"--nodes", "2", "--fidelity", "analytic", "--json"});
      if (unfold)
        arguments.emplace_back("--unfold");
      const Outcome outcome = run_cli(arguments);
      ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
      EXPECT_EQ(json::parse(outcome.out)["slowest_ranks"], expected) << unfold;
    }
}

TEST(RunCommand, LayerTimesOfAnotherDeviceAreNoted) {
  const auto notes_on = [](const std::string& cluster) {
    const Outcome outcome = run_cli({"run", "--workload", "resnet50-v100-bs96", "--cluster",
                                     cluster, "--schedule", "ddp", "--nodes", "2", "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out)["notes"].dump();
  };
  const std::string note = "Layer times are those of v100, although the cluster has rtx2080ti.";
  EXPECT_NE(notes_on("rtx2080ti-16x4-10gbe").find(note), std::string::npos);
  EXPECT_EQ(notes_on("v100-32x4-edr").find("Layer times"), std::string::npos);
  EXPECT_EQ(notes_on("ideal-2x4").find("Layer times"), std::string::npos);
}

json result_on_two_nodes(const std::string& workload, const std::vector<std::string>& schedule) {
  std::vector<std::string> arguments{
      "run",     "--workload", workload,     "--cluster", "rtx2080ti-16x4-ib100",
      "--nodes", "2",          "--fidelity", "analytic",  "--json"};
  arguments.insert(arguments.end(), schedule.begin(), schedule.end());
  const Outcome outcome = run_cli(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json::parse(outcome.out);
}

/// The workload with all layer times one per cent shorter, written to a file.
std::string shorter_layers(const TemporaryFolder& folder) {
  json workload = json::parse(
      std::ifstream(STEPCAST_SOURCE_DIR "/traces/workloads/resnet50-rtx2080ti-bs32.json"));
  for (json& layer : workload["layers"])
    for (const char* time : {"forward_s", "backward_s"})
      layer[time] = layer[time].get<double>() * 0.99;
  return folder.file("shorter.json", workload.dump());
}

TEST(RunCommand, AStepAtAnEdgeIsNotedWithWhatItWouldBeBeyond) {
  const std::vector<std::string> horovod{"--schedule", "horovod", "--set", "cycle=90ms"};
  const std::string notes = result_on_two_nodes("resnet50-rtx2080ti-bs32", horovod)["notes"].dump();
  const TemporaryFolder folder;
  const json beyond = result_on_two_nodes(shorter_layers(folder), horovod);
  const std::string time = format_seconds(Seconds{beyond["iteration_time_s"].get<double>()});
  EXPECT_NE(notes.find("At an edge: layer times -1 % would make the step " + time),
            std::string::npos)
      << notes << time;
  const json smooth = result_on_two_nodes("resnet50-rtx2080ti-bs32", {"--schedule", "bsp"});
  EXPECT_EQ(smooth["notes"].dump().find("At an edge"), std::string::npos);
}

TEST(RunCommand, ComparisonsNoteTheEdgesOfCyclesToo) {
  const Outcome outcome = run_cli({"compare", "--workload", "resnet50-rtx2080ti-bs32", "--cluster",
                                   "rtx2080ti-16x4-ib100", "--nodes", "2", "--fidelity", "analytic",
                                   "--schedules", "bsp,horovod", "--set", "cycle=90ms"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("- horovod, note: At an edge"), std::string::npos) << outcome.out;
}

TEST(RunCommand, ReportFitsAHundredColumns) {
  const Outcome outcome = run_cli(run_with({"--schedule", "dear"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const std::string& line : lines_of(outcome.out))
    EXPECT_LE(line.size(), 100U) << line;
}

TEST(RunCommand, TimelineIsWrittenAndAnnouncedOnStderr) {
  const TemporaryFolder folder;
  const std::string file = folder.file("dear.json");
  const Outcome outcome =
      run_cli(run_with({"--schedule", "dear", "--timeline", file, "--nodes", "2"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find(file), std::string::npos) << outcome.err;
  std::ifstream stream(file);
  EXPECT_FALSE(json::parse(stream)["traceEvents"].empty());
}

TEST(RunCommand, AnOptionThatChangesNothingIsNoted) {
  // Every layer of ResNet-50 is a group of its own with fusion=none, whatever the buffer.
  const Outcome outcome = run_cli(run_with(
      {"--schedule", "dear", "--set", "fusion=none", "--set", "fusion_buffer=30MiB", "--json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json notes = json::parse(outcome.out)["notes"];
  ASSERT_EQ(notes.size(), 1U) << notes;
  EXPECT_EQ(notes[0].get<std::string>(),
            "fusion_buffer=30MiB changed nothing: iteration time and memory are the same with the "
            "default "
            "25MiB");
}

TEST(RunCommand, OptionsThatNeedEachOtherAreNotTriedApart) {
  // A delay of 2 is refused without its 4 local steps; 1 is the default of both.
  const Outcome outcome = run_cli(
      run_with({"--schedule", "delayed", "--set", "local_steps=4", "--set", "delay=2", "--json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["steps"], 4);
}

TEST(RunCommand, AnalyticTransfersThatShareNothingAreNoted) {
  const auto notes_at = [](const char* fidelity) {
    return json::parse(run_cli(run_with({"--schedule", "ps", "--fidelity", fidelity, "--json"}))
                           .out)["notes"]
        .dump();
  };
  EXPECT_NE(notes_at("analytic").find("share links as wholes; flow, which answers"),
            std::string::npos);
  EXPECT_EQ(notes_at("flow").find("share links as wholes; flow, which answers"), std::string::npos);
}

TEST(RunCommand, ASettingWithAnEffectIsNotNoted) {
  const Outcome outcome =
      run_cli(run_with({"--schedule", "dear", "--set", "cluster.nic.bandwidth=2Gbps", "--json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(json::parse(outcome.out)["notes"].empty()) << outcome.out;
}

TEST(RunCommand, ABatchThatTheTraceCannotFollowIsNoted) {
  const Outcome outcome =
      run_cli({"run", "--workload", "vgg16-pipedream-bs128", "--cluster", "ideal-2x4", "--schedule",
               "ddp", "--set", "batch=64", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("layer times are those of batch 128"), std::string::npos)
      << outcome.out;
}

TEST(RunCommand, UnfoldedEqualsFolded) {
  const std::vector<std::string> more{"--schedule", "dear", "--nodes", "4"};
  std::vector<std::string> unfolded = more;
  unfolded.emplace_back("--unfold");
  EXPECT_EQ(run_cli(run_with(more)).out, run_cli(run_with(unfolded)).out);
}

TEST(RunCommand, TheCommandLineTakesPrecedenceOverTheExperiment) {
  const Outcome outcome = run_cli({"run", "dear-64gpu-10gbe", "--schedule", "wfbp", "--nodes", "2",
                                   "--fidelity", "analytic", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  EXPECT_EQ(result["gpus"], 8);
  EXPECT_EQ(result["fidelity"], "analytic");
  EXPECT_EQ(result["schedule"]["name"], "wfbp");
}

TEST(CompareCommand, HasARowForEachScheduleAndSpeedUpsAgainstTheFirst) {
  const Outcome outcome = run_cli({"compare", "--workload", "resnet50-rtx2080ti-bs64", "--cluster",
                                   "rtx2080ti-16x4-10gbe", "--schedules", "wfbp,dear", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json results = json::parse(outcome.out)["results"];
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0]["speedup"], 1.0);
  EXPECT_NEAR(
      results[1]["speedup"].get<double>(),
      results[0]["iteration_time_s"].get<double>() / results[1]["iteration_time_s"].get<double>(),
      1e-9);
}

TEST(CompareCommand, AnOptionAppliesToTheSchedulesThatHaveIt) {
  const Outcome outcome = run_cli({"compare", "--workload", "resnet50-rtx2080ti-bs64", "--cluster",
                                   "rtx2080ti-16x4-10gbe", "--schedules", "bsp,dear", "--set",
                                   "fusion=none", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json results = json::parse(outcome.out)["results"];
  EXPECT_EQ(results[1]["schedule"]["options"]["fusion"], "none");
  EXPECT_FALSE(results[0]["schedule"]["options"].contains("fusion"));
}

TEST(CompareCommand, ACostThatMattersToOneScheduleOnlyIsNotNoted) {
  const auto notes = [](const std::string& schedules) {
    const Outcome outcome = run_cli({"compare", "--workload", "resnet50-rtx2080ti-bs64",
                                     "--cluster", "rtx2080ti-16x4-10gbe", "--schedules", schedules,
                                     "--set", "cluster.software.horovod_cycle=9ms", "--json"});
    return json::parse(outcome.out)["results"][0]["notes"].size();
  };
  EXPECT_EQ(notes("ddp,horovod"), 0U);
  EXPECT_EQ(notes("ddp,dear"), 1U);
}

}  // namespace
}  // namespace stepcast
