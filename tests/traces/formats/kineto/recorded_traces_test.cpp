// Profiler traces that others recorded, where they are at hand: totals against independent counts.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/recorded_data.hpp"
#include "traces/formats/import.hpp"
#include "traces/formats/recognition/recognised_file.hpp"

namespace stepcast {
namespace {

namespace fs = std::filesystem;

class RecordedTraces : public testing::Test {
 protected:
  static fs::path file(const std::string& name) { return recorded_data("kineto") / name; }
  TraceSummary inspect(const fs::path& path) {
    return inspect_trace(std::span(&path, 1), {}, report_);
  }
  static const TraceSummary::Category& category(const TraceSummary& summary,
                                                const std::string& name) {
    return *std::ranges::find(summary.categories, name, &TraceSummary::Category::name);
  }
  /// With the update.
  static Seconds computed(const Workload& workload, bool gaps) {
    Seconds sum = workload.update;
    for (const Layer& layer : workload.layers)
      if (gaps || layer.kind != "HostGap")
        sum += layer.forward + layer.backward;
    return sum;
  }

  ImportReport report_;
};

// The parameters of torchvision's ResNet-50.
constexpr std::uint64_t kResnet50 = 25'557'032;

TEST_F(RecordedTraces, BucketsOfTheA100TraceHoldEveryParameter) {
  const fs::path path = file("hta_resnet50_ddp_2xa100_rank0.json.gz");
  STEPCAST_SKIP_WITHOUT(path);
  const TraceSummary summary = inspect(path);
  ASSERT_EQ(summary.steps.size(), 3U);
  Bytes reduced{};
  std::size_t buckets = 0;
  for (const CollectiveSummary& entry : summary.collectives)
    if (entry.kind == "all-reduce") {
      EXPECT_EQ(entry.count, 3U);  // Once a step.
      reduced += entry.size;
      ++buckets;
    }
  EXPECT_EQ(buckets, 5U);
  EXPECT_EQ(reduced, Bytes{4.0 * kResnet50});
  EXPECT_TRUE(report_.clean());
}

TEST_F(RecordedTraces, DeviceTimeOfTheA100TraceByCategory) {
  const fs::path path = file("hta_resnet50_ddp_2xa100_rank0.json.gz");
  STEPCAST_SKIP_WITHOUT(path);
  const TraceSummary summary = inspect(path);
  // Sums of "dur" over the file's events by category and, for kernels, by "nccl" in the name; the
  // numbers of events are 2700 kernels (21 of NCCL), 960 copies and 114 fills.
  EXPECT_EQ(category(summary, "communication").count, 21U);
  EXPECT_EQ(category(summary, "device-copy").count, 960U);
  EXPECT_EQ(category(summary, "fill").count, 114U);
  EXPECT_NEAR(category(summary, "communication").time.value, 46.876493e-3, 1e-9);
  Seconds all{};
  std::uint64_t count = 0;
  for (const auto& entry : summary.categories) {
    all += entry.time;
    count += entry.count;
  }
  EXPECT_EQ(count, 2700U + 960U + 114U);
  EXPECT_NEAR(all.value, 165.185838e-3, 1e-9);
}

TEST_F(RecordedTraces, TheA100TraceImportsWithEveryGradientAndItsGaps) {
  const fs::path path = file("hta_resnet50_ddp_2xa100_rank0.json.gz");
  STEPCAST_SKIP_WITHOUT(path);
  const Workload workload = import_trace(path, {.batch = 32}, report_);
  EXPECT_EQ(parameter_count(workload), kResnet50);
  EXPECT_EQ(tensor_count(workload), 161U);
  // From the end of the first step's last kernel the two others take 219.818 and 224.963 ms, and
  // the union of the intervals of computation leaves 180.521 and 185.343 ms of these: .024 and .101
  // ms beside a collective with the next work launched already, the rest until a launch, also
  // beside collectives. Computation is 39.436 ms, the mean of all three.
  EXPECT_NEAR(computed(workload, true).value, (39.436 + (180.497 + 185.242) / 2) * 1e-3, 2e-6);
  EXPECT_NEAR(computed(workload, false).value, 39.436e-3, 1e-6);
}

// Of (2700 - 21 + 960 + 114) / 3 = 1251 a step, see above, 9 kernels of the optimizer and 161
// copies out of buckets are the update.
TEST_F(RecordedTraces, LaunchesOfTheA100TraceAreThoseOfItsLayers) {
  const fs::path path = file("hta_resnet50_ddp_2xa100_rank0.json.gz");
  STEPCAST_SKIP_WITHOUT(path);
  const Workload workload = import_trace(path, {.batch = 32}, report_);
  std::uint32_t launches = 0;
  for (const Layer& layer : workload.layers)
    launches += layer.forward_launches + layer.backward_launches;
  EXPECT_EQ(launches, 1251U - 9U - 161U);
}

TEST_F(RecordedTraces, IdleTimeOfTheA100TraceStepByStep) {
  const fs::path path = file("hta_resnet50_ddp_2xa100_rank0.json.gz");
  STEPCAST_SKIP_WITHOUT(path);
  const TraceSummary summary = inspect(path);
  // Each step without the union of the intervals of computation in it, see above; the first from
  // where the host begins it.
  ASSERT_EQ(summary.steps.size(), 3U);
  EXPECT_NEAR(summary.steps[0].host_gaps.value, 182.438e-3, 1e-6);
  EXPECT_NEAR(summary.steps[1].host_gaps.value, 180.497e-3, 1e-6);
  EXPECT_NEAR(summary.steps[2].host_gaps.value, 185.242e-3, 1e-6);
  EXPECT_NEAR(summary.steps[0].collective_waits.value, 0.032e-3, 1e-6);
  EXPECT_NEAR(summary.steps[1].collective_waits.value, 0.024e-3, 1e-6);
  EXPECT_NEAR(summary.steps[2].collective_waits.value, 0.101e-3, 1e-6);
}

constexpr double kMilli = 1e-3;

/// Of the steps: mean time on the device, and mean computation; within a hundredth.
void expect_steps(const TraceSummary& summary, double period_ms, double computing_ms) {
  ASSERT_TRUE(summary.device_step);
  EXPECT_NEAR(summary.device_step->value / (period_ms * kMilli), 1, 0.01);
  Seconds computing{};
  for (const StepSummary& step : summary.steps)
    computing += step.device / static_cast<double>(summary.steps.size());
  EXPECT_NEAR(computing.value / (computing_ms * kMilli), 1, 0.01);
}

TEST_F(RecordedTraces, TheHostOfTheMi300DdpTraceRunsAheadOfItsDevice) {
  const fs::path path = file("tracelens_resnet18_ddp_mi300_rank0.json.gz");
  STEPCAST_SKIP_WITHOUT(path);
  // By launch correlation: 18.77 to 18.86 ms from end to end, computing 7.07 ms; idle for the host
  // .09 ms. The host's ProfilerStep says 16.21 ms. 968 pieces of work were launched before.
  const TraceSummary summary = inspect(path);
  expect_steps(summary, 18.82, 7.07);
  for (const StepSummary& step : summary.steps)
    EXPECT_LT(step.host_gaps, Seconds{0.12 * kMilli});
  EXPECT_EQ(category(summary, "before the profile").count, 963U + 5U);
  EXPECT_NEAR((summary.overlapped_communication + summary.exposed_communication).value,
              71.5 * kMilli, 0.05 * kMilli);
  EXPECT_TRUE(summary.doubts.empty());
  const Workload workload = import_trace(path, {.batch = 10}, report_);
  EXPECT_NEAR(computed(workload, false).value, 7.07 * kMilli, 0.07 * kMilli);
  EXPECT_LT(host_gap_time(workload), Seconds{0.12 * kMilli});
}

TEST_F(RecordedTraces, TheTraceOfCudaGraphsHasItsDevicesPeriod) {
  const fs::path path = file("hta_16xa100_cuda_graphs_rank0.json.gz");
  STEPCAST_SKIP_WITHOUT(path);
  const TraceSummary summary = inspect(path);
  expect_steps(summary, 215.2, 40.7);
  EXPECT_EQ(category(summary, "before the profile").count, 872U);
  ASSERT_EQ(summary.collectives.size(), 1U);
  EXPECT_EQ(summary.collectives[0].count, 80U);
  EXPECT_NEAR(summary.collectives[0].time.value, 190.3 * kMilli, 0.1 * kMilli);
}

TEST_F(RecordedTraces, TheOtherV100TraceHasItsDevicesPeriod) {
  const fs::path path = file("kineto_resnet50_v100_workers0.json.gz");
  STEPCAST_SKIP_WITHOUT(path);
  const TraceSummary summary = inspect(path);
  ASSERT_EQ(summary.steps.size(), 6U);
  expect_steps(summary, 151.5, 98.5);
}

TEST_F(RecordedTraces, TheWaitForTheLastCollectiveIsNoHostGap) {
  const fs::path path = file("made_one_step_trailing_wait.json");
  STEPCAST_SKIP_WITHOUT(path);
  const TraceSummary summary = inspect(path);
  EXPECT_NEAR(summary.steps.at(0).collective_waits.value, 700e-6, 1e-9);
  EXPECT_NEAR(summary.steps.at(0).host_gaps.value, 40e-6, 1e-9);
}

TEST_F(RecordedTraces, WorkLaunchedBeforeTheOnlyStepOfTheH100TraceIsDoubted) {
  const fs::path path = file("tracelens_qwen_h100_one_step.json.gz");
  STEPCAST_SKIP_WITHOUT(path);
  const TraceSummary summary = kineto_reader().inspect({file_stream(path)}, {}, report_);
  ASSERT_EQ(summary.steps.size(), 1U);
  EXPECT_EQ(category(summary, "before the profile").count, 509U);
  // All work of the file, 45.647 ms, is the step's.
  EXPECT_NEAR(summary.steps[0].device.value, 45.647 * kMilli, 0.01 * kMilli);
  EXPECT_EQ(summary.doubts.size(), 1U);
}

TEST_F(RecordedTraces, LayersOfResnet50OnV100SumToTheTracedTime) {
  const fs::path path = file("kineto_resnet50_v100_workers4.json.gz");
  STEPCAST_SKIP_WITHOUT(path);
  const Workload workload = import_trace(path, {}, report_);
  EXPECT_EQ(workload.batch, 32U);
  EXPECT_NEAR(computed(workload, false).value, 99e-3, 0.02 * 99e-3);
  EXPECT_EQ(parameter_count(workload), kResnet50);
  EXPECT_EQ(tensor_count(workload), 161U);
  EXPECT_TRUE(report_.clean());
}

TEST_F(RecordedTraces, ForwardAndBackwardOfTheRtx2080TiTrace) {
  const fs::path path = file("param_resnet18_rtx2080ti.json.gz");
  STEPCAST_SKIP_WITHOUT(path);
  const TraceSummary summary = inspect(path);
  ASSERT_EQ(summary.steps.size(), 30U);
  const Seconds forward = category(summary, "forward").time + category(summary, "optimizer").time;
  EXPECT_NEAR(forward.value / 30, 43.9e-3, 0.05e-3);
  EXPECT_NEAR(category(summary, "backward").time.value / 30, 92.9e-3, 0.05e-3);
}

TEST_F(RecordedTraces, TheFirstStepOfTheRtx2080TiTraceIsItsWarmUp) {
  const fs::path path = file("param_resnet18_rtx2080ti.json.gz");
  STEPCAST_SKIP_WITHOUT(path);
  const Workload workload = import_trace(path, {.batch = 128}, report_);
  EXPECT_EQ(
      report_.skipped().at("first step of more than twice the median time, as of a warm-up").count,
      1U);
  // Sums of "dur" over the kernels, fills and copies within the device launched from the second
  // annotation on, over 29 steps.
  EXPECT_NEAR(computed(workload, false).value, 136.164e-3, 2e-6);
}

TEST_F(RecordedTraces, TheMi300TraceHasTheParametersOfResnet18) {
  const fs::path path = file("tracelens_resnet18_mi300_no_collectives.json.gz");
  STEPCAST_SKIP_WITHOUT(path);
  const Workload workload = import_trace(path, {}, report_);
  EXPECT_EQ(parameter_count(workload), 11'689'512U);
  EXPECT_EQ(tensor_count(workload), 62U);
  EXPECT_NE(std::ranges::find(workload.layers, "Conv2d_0", &Layer::name), workload.layers.end());
}

TEST_F(RecordedTraces, AForwardOnlyTraceHasNoBackward) {
  const fs::path path = file("hta_alexnet.json.gz");
  STEPCAST_SKIP_WITHOUT(path);
  const Workload workload = import_trace(path, {.batch = 1}, report_);
  EXPECT_EQ(backward_time(workload), Seconds{});
  // One pass to warm up, with 12.8 s of building kernels, and one that is measured.
  EXPECT_EQ(
      report_.skipped().at("first step of more than twice the median time, as of a warm-up").count,
      1U);
}

// The batches by the traces' own shapes; "kineto_resnet50_v100_workers0" begins with an image.
TEST_F(RecordedTraces, BatchesOfTheTracesWithShapes) {
  const std::pair<const char*, std::uint32_t> batches[] = {
      {"hta_16xa100_cuda_graphs_rank0.json.gz", 4096},
      {"kineto_resnet50_v100_workers0.json.gz", 32},
      {"kineto_resnet50_v100_workers4.json.gz", 32},
      {"tracelens_bert_small_h100_metadata_first.json.gz", 1},
      {"tracelens_qwen_h100_one_step.json.gz", 16},
      {"tracelens_resnet18_ddp_mi300_rank0.json.gz", 10},
      {"tracelens_resnet18_mi300_no_collectives.json.gz", 512}};
  STEPCAST_SKIP_WITHOUT(file("kineto_resnet50_v100_workers0.json.gz"));
  for (const auto& [name, batch] : batches)
    EXPECT_EQ(inspect(file(name)).batch.value, batch) << name;
}

}  // namespace
}  // namespace stepcast
