#include "sim/validate/probe/probe_program.hpp"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "sim/validate/hardware_fit.hpp"
#include "sim/validate/probe/hardware_error.hpp"
#include "sim/validate/probe/results.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

/// GPUs whose kernels take times by simple laws.
class FakeHardware final : public Hardware {
 public:
  Machine machine() const override {
    return {.gpu = "NVIDIA Fake 100", .capability = "9.0", .driver = "1.0", .libraries = {}};
  }
  MachineLimits limits() const override { return {}; }
  bool reports() const override { return true; }
  std::string missing_for(ProbeKind kind) const override {
    return kind == ProbeKind::Collectives ? "built without NCCL" : "";
  }
  KernelPoint measure(const KernelShape& shape, const Effort& /*effort*/) override {
    const double work = unit_of(shape.family) == SizeUnit::Shape
                            ? flops_of(shape).value / 1e13
                            : static_cast<double>(shape.size) / 1e12;
    return {.shape = shape, .time = {3e-6 + work}, .check = 0.0, .alone = {1e-6}};
  }
  std::vector<Rank> local_ranks() const override { return {0}; }
  ReplayCalibration calibrate() override {
    return {.products = {Seconds{1e-4}}, .copies = {CopyRate{{}, {1e10}}, CopyRate{{}, {1e10}}}};
  }
  ReplayMeasurement replay(const ExportedPlan& /*plan*/, const std::vector<ReplayProgram>& programs,
                           std::uint32_t iterations) override {
    ReplayMeasurement measured{.iterations = std::vector<Seconds>(iterations, Seconds{5e-3}),
                               .intervals = {},
                               .second_begin = Seconds{5e-3}};
    for (int k = 0; k < 2; ++k)
      for (const ReplayStep& step : programs.front().steps)
        measured.intervals.push_back({.task = step.task,
                                      .iteration = k,
                                      .start = Seconds{5e-3 * k},
                                      .end = Seconds{5e-3 * k + 1e-3}});
    return measured;
  }
};

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
      read_hardware_results(folder_ / "fake100-replay-wfbp-two-tasks.json");
  EXPECT_TRUE(results.replays.at(0).emulated);
  EXPECT_NE(read_text_file(timeline).find("two-tasks (measured)"), std::string::npos);
}

TEST(ProbeResults, NameDevicesShortly) {
  EXPECT_EQ(device_name_of("NVIDIA H200"), "h200");
  EXPECT_EQ(device_name_of("NVIDIA GeForce RTX 2080 Ti"), "rtx2080ti");
  EXPECT_EQ(device_name_of("Tesla V100-SXM2-32GB"), "v100-sxm2-32gb");
}

}  // namespace
}  // namespace stepcast
