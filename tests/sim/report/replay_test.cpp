#include "sim/report/replay.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "tests/traces/readers/kineto/small_trace.hpp"
#include "traces/ideal_cluster.hpp"
#include "traces/readers/import.hpp"

namespace stepcast {
namespace {

constexpr double kExact = 1e-9;

std::vector<RecordedStep> record_small(const std::string& text) {
  ImportReport report;
  return KinetoReader().record({text_stream(text, "t.json")}, report);
}

Seconds step_time(const std::vector<RecordedStep>& steps, const WhatIf& change,
                  const Cluster& cluster = ideal_cluster(1, 1)) {
  const ReplayedTimes times = replay(steps, cluster, change);
  Seconds sum{};
  for (const Seconds step : times.steps)
    sum += step;
  return sum / static_cast<double>(times.steps.size());
}

TEST(Replay, ReproducesTheRecordedStep) {
  EXPECT_NEAR(step_time(record_small(small_trace()), {}).value, 1000e-6, kExact);
}

TEST(Replay, ASlowerDeviceMakesTheHostWait) {
  // At half the speed: conv2d 30-230, linear -330, its backward -450, the copy -470, conv2d's
  // backward -670, the all-reduce (as recorded) -740, the copy -760, the optimizer -1000; the host
  // waits for it and then takes the 350 us that it took after its wait (650 to 1000).
  const WhatIf change{.device_speed = 0.5};
  EXPECT_NEAR(step_time(record_small(small_trace()), change).value, 1350e-6, kExact);
}

TEST(Replay, ASlowerNetworkDelaysWhatWaitsForIt) {
  // 600 bytes over 2 ranks take 600 bytes / bandwidth: 1000 us. It starts at 410, the copy ends at
  // 1420, the optimizer at 1540; 350 us of the host follow.
  Cluster cluster = ideal_cluster(2, 1);
  cluster.nic.bandwidth = BytesPerSecond{600 / 1000e-6};
  const WhatIf change{.predict_collectives = true};
  EXPECT_NEAR(step_time(record_small(small_trace()), change, cluster).value, 1890e-6, kExact);
}

TEST(Replay, WithoutTheCollectiveNothingWaitsForIt) {
  // At half the device speed the all-reduce is on the path: 70 us less.
  const WhatIf change{.device_speed = 0.5, .without = {CollectiveKind::AllReduce}};
  EXPECT_NEAR(step_time(record_small(small_trace()), change).value, 1280e-6, kExact);
}

TEST(Replay, AnInfinitelyFastHostLeavesTheDeviceTime) {
  // 450 us of kernels and 70 us of all-reduce one after the other, and no overlap between them.
  const WhatIf change{.host_speed = 1e9};
  EXPECT_NEAR(step_time(record_small(small_trace()), change).value, 520e-6, kExact);
}

TEST(Replay, OfSeveralRanksTheOneThatCameLastTellsHowLongACollectiveTakes) {
  // At half the device speed the all-reduce is on the path: 30 us instead of 70.
  const std::string first = small_trace();
  const std::string second = replaced(first, "\"dur\": 70,", "\"dur\": 30,");
  ImportReport report;
  const auto steps =
      KinetoReader().record({text_stream(first, "a"), text_stream(second, "b")}, report);
  const WhatIf change{.device_speed = 0.5};
  EXPECT_NEAR(step_time(steps, change).value, 1310e-6, kExact);
}

TEST(Replay, ARankOfAnotherJobIsRefused) {
  const std::string first = small_trace();
  const std::string second = replaced(first, "nelems\": 150", "nelems\": 160");
  ImportReport report;
  EXPECT_EQ(input_error_of([&] {
              KinetoReader().record({text_stream(first, "a"), text_stream(second, "b")}, report);
            }),
            "b: no rank of the same job: ProfilerStep#0: other collectives");
}

/// Recorded traces, where they are at hand.
Seconds simulated_step(const char* name, Seconds& recorded) {
  const auto path = std::filesystem::path(STEPCAST_SOURCE_DIR) / "../shared/data/kineto" / name;
  if (!std::filesystem::exists(path))
    return Seconds{-1};
  ImportReport report;
  const auto steps = record_trace(std::span(&path, 1), false, report);
  for (const RecordedStep& step : steps)
    recorded += step.recorded / static_cast<double>(steps.size());
  return step_time(steps, {});
}

TEST(Replay, TheA100TraceWithinThreePercent) {
  Seconds recorded{};
  const Seconds simulated = simulated_step("hta_resnet50_ddp_2xa100_rank0.json.gz", recorded);
  if (simulated < Seconds{})
    GTEST_SKIP() << "the trace is not there";
  EXPECT_NEAR(simulated / recorded, 1, 0.03);
}

TEST(Replay, ATraceBoundByTheDeviceWithinThreePercent) {
  Seconds recorded{};
  const Seconds simulated = simulated_step("param_resnet18_rtx2080ti.json.gz", recorded);
  if (simulated < Seconds{})
    GTEST_SKIP() << "the trace is not there";
  EXPECT_NEAR(simulated / recorded, 1, 0.03);
}

}  // namespace
}  // namespace stepcast
