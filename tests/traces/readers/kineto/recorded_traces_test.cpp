// Profiler traces that others recorded, where they are at hand: totals against independent counts.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/recorded_data.hpp"
#include "traces/readers/import.hpp"

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
  static Seconds layer_time(const Workload& workload, bool gaps) {
    Seconds sum{};
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
  // The steps take 222.409 ms on average. The union of the intervals of computation in them is
  // 39.436 ms, the rest 182.972 ms; each idle stretch ends with a launch, also those beside one of
  // the 12.0 to 22.6 ms of collectives a step, so that none is a wait for a collective.
  EXPECT_NEAR(layer_time(workload, true).value, 222.409e-3, 1e-6);
  EXPECT_NEAR(layer_time(workload, false).value, 39.436e-3, 1e-6);
}

TEST_F(RecordedTraces, IdleTimeOfTheA100TraceStepByStep) {
  const fs::path path = file("hta_resnet50_ddp_2xa100_rank0.json.gz");
  STEPCAST_SKIP_WITHOUT(path);
  const TraceSummary summary = inspect(path);
  // Each step without the union of the intervals of computation in it, see above.
  ASSERT_EQ(summary.steps.size(), 3U);
  EXPECT_NEAR(summary.steps[0].host_gaps.value, 183.111e-3, 1e-6);
  EXPECT_NEAR(summary.steps[1].host_gaps.value, 180.490e-3, 1e-6);
  EXPECT_NEAR(summary.steps[2].host_gaps.value, 185.316e-3, 1e-6);
  for (const StepSummary& step : summary.steps)
    EXPECT_EQ(step.collective_waits, Seconds{});
}

TEST_F(RecordedTraces, LayersOfResnet50OnV100SumToTheTracedTime) {
  const fs::path path = file("kineto_resnet50_v100_workers4.json.gz");
  STEPCAST_SKIP_WITHOUT(path);
  const Workload workload = import_trace(path, {}, report_);
  EXPECT_EQ(workload.batch, 32U);
  EXPECT_NEAR(layer_time(workload, false).value, 99e-3, 0.02 * 99e-3);
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
  EXPECT_NEAR(layer_time(workload, false).value, 136.164e-3, 2e-6);
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
