#include "models/workload/derive.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

// 10 flop/s; 40 B/s are 10 elements of 4 bytes a second.
const DeviceSpec kDevice{.name = "toy", .peak_fp32 = {10}, .memory_bandwidth = {40}};

/// Bare roofline at batch 1: conv 2 * 50 / 10 = 10 s forward and, as the first layer, 10 s
/// backward; norm 3 and 5 passes over 10 elements, so 3 s and 5 s.
Architecture two_layers() {
  return {.name = "net",
          .provenance = {.source = "a paper", .notes = {"a caveat"}},
          .layers = {{.name = "conv",
                      .kind = LayerKind::Conv2d,
                      .parameters = {{.name = "weight", .elements = 9}},
                      .macs = 50,
                      .input_elements = 10,
                      .output_elements = 10},
                     {.name = "norm", .kind = LayerKind::BatchNorm2d, .output_elements = 10}}};
}

std::string message_of(const Architecture& architecture, std::uint32_t batch, Seconds step_time,
                       const DeriveOptions& options = {}, const DeviceSpec& device = kDevice) {
  try {
    derive_workload(architecture, device, batch, step_time, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(DeriveWorkload, SharesTheStepTimeInProportionToTheRoofline) {
  const Workload workload =
      derive_workload(two_layers(), kDevice, 1, {10}, {.forward_fraction = 0.25});
  ASSERT_EQ(workload.layers.size(), 2U);
  EXPECT_NEAR(workload.layers[0].forward.value, 2.5 * 10 / 13, 1e-12);
  EXPECT_NEAR(workload.layers[1].forward.value, 2.5 * 3 / 13, 1e-12);
  EXPECT_NEAR(workload.layers[0].backward.value, 7.5 * 10 / 15, 1e-12);
  EXPECT_NEAR(workload.layers[1].backward.value, 7.5 * 5 / 15, 1e-12);
}

TEST(DeriveWorkload, ForwardTakesTheMeasuredFractionByDefault) {
  const Workload workload = derive_workload(two_layers(), kDevice, 4, {2});
  EXPECT_NEAR(forward_time(workload).value, 0.72, 1e-12);  // 0.36 of 2 s
  EXPECT_NEAR(backward_time(workload).value, 1.28, 1e-12);
}

TEST(DeriveWorkload, CarriesNameTensorsActivationsAndBatchRule) {
  const Workload workload = derive_workload(two_layers(), kDevice, 4, {2});
  EXPECT_EQ(workload.name, "net-toy-bs4");
  EXPECT_EQ(workload.model, "net");
  EXPECT_EQ(workload.device, "toy");
  EXPECT_EQ(workload.batch, 4U);
  EXPECT_EQ(workload.batch_scaling, BatchScaling::Proportional);
  EXPECT_EQ(workload.layers[0].kind, "Conv2d");
  EXPECT_EQ(workload.layers[0].parameters[0].elements, 9U);
  EXPECT_EQ(workload.layers[0].activation.value, 4 * 10 * 4);  // 4 samples of 10 fp32 elements
  EXPECT_EQ(workload.layers[0].macs, 50);
}

TEST(DeriveWorkload, ProvenanceSaysSourceMethodAndCaveats) {
  const Workload workload =
      derive_workload(two_layers(), kDevice, 1, {2}, {.source = "a stopwatch", .name = "mine"});
  EXPECT_EQ(workload.name, "mine");
  EXPECT_EQ(workload.provenance.kind, ProvenanceKind::Derived);
  EXPECT_EQ(workload.provenance.source, "a stopwatch");
  const std::string& method = workload.provenance.method;
  EXPECT_NE(method.find("forward takes 0.36 and backward 0.64 of a step of 2 s"),
            std::string::npos);
  EXPECT_NE(method.find("the bare roofline gives 13 s and 15 s"), std::string::npos);
  EXPECT_NE(method.find("38 ms forward and 67 ms backward"), std::string::npos);
  EXPECT_EQ(workload.provenance.notes,
            (std::vector<std::string>{"architecture: a paper", "a caveat"}));
}

// 9 parameters of 4 bytes, read or written 5 times at 40 B/s.
TEST(DeriveWorkload, AnOptimisersUpdateIsTakenFromTheStep) {
  const Workload sgd = derive_workload(two_layers(), kDevice, 1, {10}, {.optimiser = "sgd"});
  EXPECT_NEAR(sgd.update.value, 4.5, 1e-12);
  EXPECT_NEAR(forward_time(sgd).value, 0.36 * 5.5, 1e-12);
  EXPECT_NEAR(compute_time(sgd).value, 10, 1e-12);
  EXPECT_TRUE(sgd.provenance.notes.back().starts_with("update: 4.5 s as sgd reads and writes "));
  const Workload adam = derive_workload(two_layers(), kDevice, 1, {10}, {.optimiser = "adam"});
  EXPECT_NEAR(adam.update.value, 6.3, 1e-12);
}

// 36 bytes at the 20 B/s that element-wise kernels reach. SGD without momentum reads parameter and
// gradient, writes the one and, for the next step, a zero to the other.
TEST(DeriveWorkload, AnUpdateRunsAtTheBandwidthOfElementwiseKernels) {
  DeviceSpec device = kDevice;
  device.elementwise = {20};
  EXPECT_NEAR(
      derive_workload(two_layers(), device, 1, {10}, {.optimiser = "torch-sgd"}).update.value,
      4 * 36 / 20.0, 1e-12);
}

TEST(DeriveWorkload, AStepShorterThanItsUpdateIsRefused) {
  EXPECT_EQ(
      message_of(two_layers(), 1, {4}, {.optimiser = "sgd"}),
      "`step-time` (or that of `throughput`): expected more than the update's 4.5 s, found 4 s");
  EXPECT_EQ(message_of(two_layers(), 1, {10}, {.optimiser = "lamb"}),
            "`optimiser`: expected one of sgd, adam, torch-sgd, torch-momentum, torch-adam, "
            "torch-adamw, found \"lamb\"");
}

TEST(DeriveWorkload, StepTimeThatIsNotAboveZeroIsRefused) {
  EXPECT_EQ(message_of(two_layers(), 1, {0}), "`step-time`: expected a time above 0 s, found 0 s");
  EXPECT_EQ(message_of(two_layers(), 1, {-1}),
            "`step-time`: expected a time above 0 s, found -1 s");
  EXPECT_NE(message_of(two_layers(), 1, {std::numeric_limits<double>::quiet_NaN()}), "");
}

TEST(DeriveWorkload, BatchOfZeroIsRefused) {
  EXPECT_EQ(message_of(two_layers(), 0, {1}),
            "batch: expected a whole number of at least 1, found 0");
}

TEST(DeriveWorkload, ForwardFractionMustLeaveTimeForBoth) {
  for (const double fraction : {0.0, 1.0, -0.1, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_TRUE(message_of(two_layers(), 1, {1}, {.forward_fraction = fraction})
                    .starts_with("`forward-fraction`: expected a number between 0 and 1, found "));
}

TEST(DeriveWorkload, ArchitectureWithoutLayersIsRefused) {
  EXPECT_EQ(message_of({.name = "empty"}, 1, {1}),
            "layers: expected at least one layer, found none");
}

TEST(DeriveWorkload, LayersWithoutAnyWorkAreRefused) {
  const Architecture idle{.name = "idle", .layers = {{.name = "nothing"}}};
  EXPECT_EQ(message_of(idle, 1, {1}),
            "layers: expected work that takes a finite time above 0, found 0 s");
}

TEST(DeriveWorkload, DeviceWithoutRatesIsRefused) {
  EXPECT_EQ(message_of(two_layers(), 1, {1}, {}, {.name = "none"}),
            "device peak_fp32: expected a number above 0, found 0");
}

}  // namespace
}  // namespace stepcast
