#include "models/workload/workload.hpp"

#include <gtest/gtest.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

/// Two layers: 1 + 3 ms with tensors of 10 fp32 and 6 fp16 elements, and 2 + 4 ms without tensors.
Workload small_workload() {
  Workload workload;
  workload.name = "small";
  workload.batch = 8;
  Layer first;
  first.forward = Seconds{1e-3};
  first.backward = Seconds{3e-3};
  first.parameters = {{"weight", 10, DataType::Float32}, {"bias", 6, DataType::Float16}};
  first.activation = Bytes{100};
  Layer second;
  second.forward = Seconds{2e-3};
  second.backward = Seconds{4e-3};
  workload.layers = {first, second};
  return workload;
}

TEST(Workload, SizesOfDataTypesAreThoseOfTheirNames) {
  EXPECT_EQ(size_of(DataType::Float64), Bytes{8});
  EXPECT_EQ(size_of(DataType::Float32), Bytes{4});
  EXPECT_EQ(size_of(DataType::Float16), Bytes{2});
  EXPECT_EQ(size_of(DataType::BFloat16), Bytes{2});
  EXPECT_EQ(size_of(DataType::Int8), Bytes{1});
}

TEST(Workload, SumsRunOverLayersAndTensors) {
  const Workload workload = small_workload();
  EXPECT_EQ(parameter_size(workload), Bytes{52});  // 10 * 4 + 6 * 2
  EXPECT_EQ(parameter_size(workload.layers[1]), Bytes{0});
  EXPECT_EQ(parameter_count(workload), 16U);  // 10 + 6
  EXPECT_EQ(tensor_count(workload), 2U);
  EXPECT_DOUBLE_EQ(forward_time(workload).value, 3e-3);   // 1 + 2 ms
  EXPECT_DOUBLE_EQ(backward_time(workload).value, 7e-3);  // 3 + 4 ms
}

TEST(Workload, HostGapsAreLayersOfThatKind) {
  Workload workload = small_workload();
  EXPECT_EQ(host_gap_time(workload), Seconds{});
  workload.layers[1].kind = kHostGap;
  EXPECT_DOUBLE_EQ(host_gap_time(workload).value, 6e-3);  // 2 + 4 ms
}

TEST(Workload, StepTimeScalesEveryLayerAlike) {
  const Workload workload = with_step_time(small_workload(), Seconds{20e-3});
  // 10 ms become 20 ms: every time doubles.
  EXPECT_DOUBLE_EQ(workload.layers[0].forward.value, 2e-3);
  EXPECT_DOUBLE_EQ(workload.layers[1].backward.value, 8e-3);
}

TEST(Workload, AStepTimeIsWithItsUpdate) {
  Workload workload = small_workload();
  workload.update = Seconds{2e-3};
  EXPECT_DOUBLE_EQ(compute_time(workload).value, 12e-3);
  workload = with_step_time(workload, Seconds{24e-3});
  EXPECT_DOUBLE_EQ(workload.update.value, 4e-3);
  EXPECT_DOUBLE_EQ(compute_time(workload).value, 24e-3);
}

TEST(Workload, AnUpdateIsOfParametersAndNotOfTheBatch) {
  Workload workload = small_workload();
  workload.update = Seconds{2e-3};
  workload.batch_scaling = BatchScaling::Proportional;
  EXPECT_EQ(with_batch(workload, 16).update, Seconds{2e-3});
  EXPECT_EQ(with_batch_in_part(workload, 16, 0.5).workload.update, Seconds{2e-3});
  EXPECT_EQ(share_of_update(workload, 0, 0), 1);
  EXPECT_EQ(share_of_update(workload, 1, 1), 0);
  workload.layers[1].parameters = {{"weight", 48}};  // Beside 16.
  EXPECT_EQ(share_of_update(workload, 0, 0), 0.25);
}

TEST(Workload, StepTimeCannotScaleZero) {
  Workload workload = small_workload();
  for (Layer& layer : workload.layers)
    layer.forward = layer.backward = Seconds{0};
  EXPECT_THROW(with_step_time(workload, Seconds{1}), InputError);
}

TEST(Workload, StepTimeMustBePositive) {
  EXPECT_THROW(with_step_time(small_workload(), Seconds{0}), InputError);
  EXPECT_THROW(with_step_time(small_workload(), Seconds{-1}), InputError);
}

TEST(Workload, AnotherBatchLeavesTimesOfUnknownScaling) {
  const Workload workload = with_batch(small_workload(), 16);
  EXPECT_EQ(workload.batch, 16U);
  EXPECT_DOUBLE_EQ(forward_time(workload).value, 3e-3);
  EXPECT_DOUBLE_EQ(workload.layers[0].activation.value, 200);  // twice the batch, twice the output
}

TEST(Workload, AnotherBatchScalesProportionalTimes) {
  Workload workload = small_workload();
  workload.batch_scaling = BatchScaling::Proportional;
  workload = with_batch(workload, 4);
  EXPECT_DOUBLE_EQ(forward_time(workload).value, 1.5e-3);   // 4 of 8 samples: half of 3 ms
  EXPECT_DOUBLE_EQ(backward_time(workload).value, 3.5e-3);  // half of 7 ms
}

TEST(Workload, BatchOfZeroIsRefused) {
  EXPECT_THROW(with_batch(small_workload(), 0), InputError);
}

}  // namespace
}  // namespace stepcast
