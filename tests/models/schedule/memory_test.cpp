#include "models/schedule/memory.hpp"

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

using examples::plain_cluster;

// 10 layers of 1e6 fp32 elements: 40 MB. Activations of 1 MB each.
Workload workload() {
  Workload workload = examples::uniform_workload(10, {1e-3}, {2e-3}, 1'000'000);
  for (Layer& layer : workload.layers)
    layer.activation = {1e6};
  return workload;
}

MemoryUse use_of(const std::string& schedule, const ScheduleOptions& options,
                 const Workload& trained, std::uint32_t nodes = 4) {
  const Cluster cluster = plain_cluster(nodes);
  return build_plan(schedule, trained, cluster, options).memory;
}

TEST(Memory, EveryRankHoldsEverythingUnlessSharded) {
  const MemoryUse use = use_of("wfbp", {}, workload());
  EXPECT_EQ(use.parameters, Bytes{40e6});
  EXPECT_EQ(use.gradients, Bytes{40e6});
  EXPECT_EQ(use.optimiser, Bytes{40e6});  // one fp32 momentum an element
  EXPECT_EQ(use.activations, Bytes{10e6});
  EXPECT_EQ(use.fusion_buffers, Bytes{});
  EXPECT_EQ(use.total(), Bytes{130e6} + use.communication_buffers);
}

TEST(Memory, FusedGradientsNeedACopy) {
  EXPECT_EQ(use_of("bsp", {}, workload()).fusion_buffers, Bytes{40e6});
  EXPECT_EQ(use_of("horovod", {{"fusion_buffer", "8MB"}}, workload()).fusion_buffers, Bytes{8e6});
  // One layer in the first bucket, three in each of the others: 36 MB are fused.
  EXPECT_EQ(use_of("ddp", {{"bucket", "10MB"}}, workload()).fusion_buffers, Bytes{36e6});
}

TEST(Memory, AZeroStageShardsWhatTheStageBeforeDidAndMore) {
  const auto stage = [](const char* number) {
    return use_of("zero", {{"stage", number}, {"optimiser", "adam"}}, workload());
  };
  EXPECT_EQ(stage("1").optimiser, Bytes{20e6});  // 80 MB over 4 ranks
  EXPECT_EQ(stage("1").gradients, Bytes{40e6});
  EXPECT_EQ(stage("2").gradients, Bytes{10e6});
  EXPECT_EQ(stage("2").parameters, Bytes{40e6});
  EXPECT_EQ(stage("3").parameters, Bytes{10e6});
}

TEST(Memory, SixteenBitParametersHaveAMasterCopy) {
  Workload half = workload();
  for (Layer& layer : half.layers)
    layer.parameters[0].dtype = DataType::Float16;
  const MemoryUse use = use_of("wfbp", {}, half);
  EXPECT_EQ(use.parameters, Bytes{20e6});
  EXPECT_EQ(use.optimiser, Bytes{80e6});
}

TEST(Memory, UnknownActivationsAreSaid) {
  Workload unknown = workload();
  EXPECT_TRUE(use_of("wfbp", {}, unknown).activations_known);
  unknown.layers[3].activation = {};
  EXPECT_FALSE(use_of("wfbp", {}, unknown).activations_known);
}

TEST(Memory, OneGpuNeedsNoBuffers) {
  const MemoryUse use = use_of("bsp", {}, workload(), 1);
  EXPECT_EQ(use.fusion_buffers + use.communication_buffers, Bytes{});
}

TEST(Memory, AnUnknownOptimiserIsRefused) {
  EXPECT_EQ(
      input_error_of([] {
        use_of("wfbp", {{"optimiser", "adm"}}, workload());
      }),
      "wfbp: option optimiser: expected one of auto, none, sgd, adam, found \"adm\"; did you mean "
      "\"adam\"?");
}

}  // namespace
}  // namespace stepcast
