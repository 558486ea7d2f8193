#include "sim/probe/probe_program.hpp"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "sim/probe/hardware_error.hpp"
#include "sim/probe/results.hpp"
#include "sim/study/validate/hardware_fit.hpp"
#include "tests/sim/probe/fake_hardware.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<Hardware> fake(std::optional<std::uint32_t> /*gpus*/) {
  return std::make_unique<FakeHardware>();
}

std::unique_ptr<Hardware> nothing(std::optional<std::uint32_t> /*gpus*/) {
  throw HardwareError("no GPU");
}

class ProbeProgram : public testing::Test {
 protected:
  ProbeProgram()
      : folder_(fs::temp_directory_path() / ("stepcast-probe-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~ProbeProgram() override { fs::remove_all(folder_); }

  int run(std::vector<std::string> arguments, const HardwareFinder& find = fake) {
    arguments.insert(arguments.end(), {"--output", folder_.string()});
    return run_probe(arguments, find);
  }

  fs::path folder_;
};

TEST_F(ProbeProgram, WritesAFileForEachProbeThatValidateReads) {
  EXPECT_EQ(run({}), 0);
  std::vector<HardwareResults> files;
  for (const char* what : {"gemm", "inverse", "selection", "memory", "overlap"})
    files.push_back(read_hardware_results(folder_ / ("fake100-" + std::string(what) + ".json")));
  EXPECT_FALSE(fs::exists(folder_ / "fake100-collectives.json"));
  // Start-up and bandwidth are a law that the curves follow.
  for (const FamilyErrors& family : validate_hardware(files).families)
    EXPECT_LT(family.errors.median, 0.07) << family.family;
}

TEST_F(ProbeProgram, KeepsWithinItsTimeOnAnH200) {
  // Eight minutes for all probes and the replays, and one in a hurry, of which the replays take two
  // and a half and a third: six of 24 iterations of up to 0.6 s, or one of eight, and the
  // calibrations.
  Seconds spent{};
  const HardwareFinder counting = [&spent](std::optional<std::uint32_t>) {
    return std::make_unique<FakeHardware>(&spent);
  };
  EXPECT_EQ(run({}, counting), 0);
  EXPECT_LT(spent.value, 5.5 * 60);
  spent = {};
  EXPECT_EQ(run({"--quick"}, counting), 0);
  EXPECT_LT(spent.value, 40);
}

TEST_F(ProbeProgram, TellsTheOtherProcessesOfAnErrorBeforeItEnds) {
  std::string told;
  const HardwareFinder failing = [&told](std::optional<std::uint32_t>) {
    return std::make_unique<FailingHardware>(told);
  };
  testing::internal::CaptureStderr();
  EXPECT_EQ(run({"inverse"}, failing), 3);
  EXPECT_EQ(told, "the output is wrong (exit code 3)");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "stepcast-probe: the output is wrong\n");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(ProbeProgram, LosesOneProbeToAFailureAndMeasuresTheOthers) {
  const HardwareFinder failing = [](std::optional<std::uint32_t>) {
    return std::make_unique<PartlyFailingHardware>();
  };
  testing::internal::CaptureStderr();
  EXPECT_EQ(run({"inverse", "memory", "--quick"}, failing), 3);
  const std::string line =
      "stepcast-probe: inverse failed, nothing is written for it: the output is wrong\n";
  EXPECT_EQ(testing::internal::GetCapturedStderr().substr(0, line.size()), line);
  EXPECT_FALSE(fs::exists(folder_ / "fake100-inverse.json"));
  EXPECT_TRUE(fs::exists(folder_ / "fake100-memory-quick.json"));
}

TEST_F(ProbeProgram, LeavesOutWhatTheGpusMemoryCannotHold) {
  // Of the copies of 4 KiB, 64 KiB, 1 MiB, 16 MiB and 256 MiB the last take three times their size
  // and 128 MiB of workspace: too much for 85 % of 300 MiB, three times.
  const HardwareFinder crowded = [](std::optional<std::uint32_t>) {
    return std::make_unique<CrowdedHardware>(Bytes{300.0 * (1 << 20)});
  };
  testing::internal::CaptureStderr();
  EXPECT_EQ(run({"memory", "--quick"}, crowded), 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr().substr(0, 78),
            "stepcast-probe: memory: 3 points left out, the GPU has too little free memory\n");
  const HardwareFinder full = [](std::optional<std::uint32_t>) {
    return std::make_unique<CrowdedHardware>(Bytes{1e6});
  };
  fs::remove(folder_ / "fake100-memory-quick.json");
  EXPECT_EQ(run({"memory", "--quick"}, full), 3);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(ProbeProgram, SaysWrongUsageOnceForAllProcesses) {
  ::setenv("OMPI_COMM_WORLD_RANK", "1", 1);
  ::setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(run({"gem"}), 2);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ::unsetenv("OMPI_COMM_WORLD_RANK");
  ::unsetenv("OMPI_COMM_WORLD_SIZE");
}

TEST_F(ProbeProgram, SaysThatARealReplayNeedsNccl) {
  const fs::path plan = STEPCAST_SOURCE_DIR "/tests/data/hardware/two-task-plan.json";
  const HardwareFinder two = [](std::optional<std::uint32_t>) {
    return std::make_unique<FakeHardware>(nullptr, 2);
  };
  testing::internal::CaptureStderr();
  EXPECT_EQ(run({"replay", plan.string()}, two), 3);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "stepcast-probe: a replay on 2 GPUs needs NCCL, which this build lacks; --gpus 1 "
            "emulates the collectives\n");
}

TEST_F(ProbeProgram, SaysWhatIsMissingWhereItWasAskedFor) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run({"collectives"}), 3);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "stepcast-probe: collectives: built without NCCL\n");
  EXPECT_EQ(run({"gemm"}, nothing), 3);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(ProbeProgram, ListsWorkWithoutAGpu) {
  EXPECT_EQ(run({"--dry-run"}, nothing), 0);
}

TEST_F(ProbeProgram, ChecksItsArgumentsBeforeItLooksForAGpu) {
  EXPECT_EQ(run({"gem"}, nothing), 2);
  EXPECT_EQ(run({"replay", "missing.json"}, nothing), 2);
}

TEST_F(ProbeProgram, ReplaysAPlanAndWritesItsTimeline) {
  const fs::path plan = STEPCAST_SOURCE_DIR "/tests/data/hardware/two-task-plan.json";
  const fs::path timeline = folder_ / "timeline.json";
  testing::internal::CaptureStdout();
  EXPECT_EQ(run({"replay", plan.string(), "--timeline", timeline.string()}), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "wfbp, two-tasks on made-up: iteration predicted 6 ms, measured 5 ms (+20.0 %, +- 0.0 "
            "% over 30 iterations) on NVIDIA Fake 100; collectives emulated on one GPU\n");
  const HardwareResults results =
      read_hardware_results(folder_ / "fake100-replay-wfbp-two-tasks-made-up-copies.json");
  EXPECT_TRUE(results.replays.at(0).emulated);
  EXPECT_NE(read_text_file(timeline).find("two-tasks (measured)"), std::string::npos);
}

TEST_F(ProbeProgram, KeepsDifferentReplaysApart) {
  const fs::path plan = STEPCAST_SOURCE_DIR "/tests/data/hardware/two-task-plan.json";
  EXPECT_EQ(run({"replay", plan.string()}), 0);
  EXPECT_EQ(run({"replay", plan.string(), "--emulate", "timer"}), 0);
  EXPECT_EQ(run({"replay", plan.string(), "--quick"}), 0);
  for (const char* how : {"copies", "timer", "copies-quick"})
    EXPECT_TRUE(
        fs::exists(folder_ / fmt::format("fake100-replay-wfbp-two-tasks-made-up-{}.json", how)))
        << how;
}

TEST_F(ProbeProgram, NotesWhatAReplayWasMadeOfAndWhatItsForecastWasMadeWith) {
  const fs::path plan = folder_ / "plan.json";
  ExportedPlan exported =
      read_exported_plan(STEPCAST_SOURCE_DIR "/tests/data/hardware/two-task-plan.json");
  exported.provenance.notes = {"--set cluster.nic.startup=20us"};
  exported.communication_slows_compute = true;
  write_text_file(plan, to_json_text(exported));
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(run({"replay", plan.string()}), 0);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("plan: --set cluster.nic.startup=20us"),
            std::string::npos);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("export with --set cluster.overlap"),
            std::string::npos);
  const std::vector<std::string> notes =
      read_hardware_results(folder_ / "fake100-replay-wfbp-two-tasks-made-up-copies.json")
          .provenance.notes;
  ASSERT_EQ(notes.size(), 5U);
  EXPECT_EQ(notes[1], "compute stands for products that took 100 us");
  EXPECT_EQ(notes[3], "copies from the device: 0 s and 10 GB/s");
  EXPECT_EQ(notes[4], "plan: --set cluster.nic.startup=20us");
}

TEST_F(ProbeProgram, ChecksWhereTheTimelineGoesBeforeItReplays) {
  const fs::path plan = STEPCAST_SOURCE_DIR "/tests/data/hardware/two-task-plan.json";
  EXPECT_EQ(run({"replay", plan.string(), "--timeline", (folder_ / "none" / "t.json").string()}),
            2);
  EXPECT_EQ(run({"replay", plan.string(), "--timeline", folder_.string()}), 2);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST(ProbeResults, NameDevicesShortly) {
  EXPECT_EQ(device_name_of("NVIDIA H200"), "h200");
  EXPECT_EQ(device_name_of("NVIDIA GeForce RTX 2080 Ti"), "rtx2080ti");
  EXPECT_EQ(device_name_of("Tesla V100-SXM2-32GB"), "v100-sxm2-32gb");
}

}  // namespace
}  // namespace stepcast
