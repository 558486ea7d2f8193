#include "sim/validate/hardware_fit.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "sim/validate/hardware_report.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

KernelPoint copy_of(std::uint64_t bytes, double time) {
  return {.shape = {.family = KernelFamily::CopyDevice, .size = bytes},
          .time = {time},
          .check = std::nullopt};
}

HardwareResults results_of(std::vector<KernelPoint> points) {
  HardwareResults results;
  results.device = "madeup";
  results.machine.memory = {1e9};
  results.points = std::move(points);
  return results;
}

TEST(HardwareFit, HoldsOutEverySecondPointButNeverTheEnds) {
  // Sizes 1 to 6 in any order: 2 and 4 are held out, 6 is the last.
  std::vector<KernelPoint> points;
  for (const std::uint64_t size : {6U, 1U, 4U, 2U, 5U, 3U})
    points.push_back(copy_of(size, static_cast<double>(size)));
  const std::vector files{results_of(points)};
  const HardwareValidation validation = validate_hardware(files);
  EXPECT_EQ(validation.fitted, 4U);
  ASSERT_EQ(validation.cases.size(), 2U);
  EXPECT_EQ(validation.cases[0].what, "2 B");
  EXPECT_NEAR(validation.cases[0].predicted.value, 2, 1e-9);  // proportional to the size
  EXPECT_EQ(validation.cases[1].what, "4 B");
}

TEST(HardwareFit, NeverLooksAtWhatItPredicts) {
  // The held-out point may say anything: its prediction stays.
  const std::vector low{results_of({copy_of(1, 1), copy_of(2, 1), copy_of(4, 4)})};
  const std::vector high{results_of({copy_of(1, 1), copy_of(2, 99), copy_of(4, 4)})};
  EXPECT_DOUBLE_EQ(validate_hardware(low).cases[0].predicted.value,
                   validate_hardware(high).cases[0].predicted.value);
}

TEST(HardwareFit, SummarisesFamiliesAndReplays) {
  // Held out: 2 (predicted 2, measured 2.5: 20 %) ; the replay misses by 10 %.
  HardwareResults results = results_of({copy_of(1, 1), copy_of(2, 2.5), copy_of(4, 4)});
  results.replays.push_back({.workload = "w",
                             .cluster = "c",
                             .schedule = "dear",
                             .predicted = Seconds{1.1},
                             .measured = Seconds{1.0}});
  const std::vector files{results};
  const HardwareValidation validation = validate_hardware(files);
  ASSERT_EQ(validation.families.size(), 2U);
  EXPECT_NEAR(validation.families[0].errors.median, 0.2, 1e-9);
  EXPECT_NEAR(validation.families[1].errors.worst, 0.1, 1e-9);
  EXPECT_NEAR(decisive_error(validation), 0.2, 1e-9);
}

TEST(HardwareFit, KeepsCollectivesOfDifferentGroupsApart) {
  std::vector<KernelPoint> points;
  for (const std::uint32_t gpus : {2U, 4U})
    for (const std::uint64_t size : {8U, 16U, 32U})
      points.push_back({.shape = {.family = KernelFamily::AllReduce, .size = size, .gpus = gpus},
                        .time = {gpus == 2 ? 1.0 : 7.0},
                        .check = std::nullopt});
  const std::vector files{results_of(points)};
  for (const HardwareCase& each : validate_hardware(files).cases)
    EXPECT_NEAR(each.error(), 0, 1e-9) << each.what;
}

TEST(HardwareFit, RefusesAShapeThatIsMeasuredTwice) {
  const std::vector files{results_of({copy_of(4, 1)}), results_of({copy_of(4, 2)})};
  EXPECT_EQ(input_error_of([&] { validate_hardware(files); }),
            "validate: copy-device of madeup is measured twice: 4 B");
}

TEST(HardwareFit, ReadsADeviceOffItsBestPoints) {
  // 2 * 1000^3 operations in 1 ms: 2 TFLOP/s; 1 MB read and written in 1 us: 2 TB/s.
  KernelPoint product{.shape = {.family = KernelFamily::GemmFp32, .m = 1000, .n = 1000, .k = 1000},
                      .time = {1e-3},
                      .check = std::nullopt};
  const std::vector files{results_of({product, copy_of(1000000, 1e-6)})};
  const DeviceSpec device = fitted_device(files);
  EXPECT_NEAR(device.peak_fp32.value, 2e12, 1);
  EXPECT_NEAR(device.memory_bandwidth.value, 2e12, 1);
  EXPECT_EQ(device.provenance.kind, ProvenanceKind::Derived);
}

TEST(HardwareFit, NeedsProductsAndCopiesForADevice) {
  const std::vector files{results_of({copy_of(4, 1)})};
  EXPECT_EQ(input_error_of([&] { fitted_device(files); }).substr(0, 38),
            "--update-device: needs measured gemm-f");
}

}  // namespace
}  // namespace stepcast
