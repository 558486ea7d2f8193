#include "sim/study/validate/hardware_fit.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "sim/report/text/measured/hardware_report.hpp"
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

TEST(HardwareFit, RefusesToMixMachinesOfOneDevice) {
  std::vector files{results_of({copy_of(1, 1)}), results_of({copy_of(2, 1)})};
  files[0].name = "a";
  files[1].name = "b";
  files[0].machine.driver = "1";
  files[1].machine.driver = "2";
  EXPECT_EQ(input_error_of([&] { validate_hardware(files); }),
            "validate: a and b are of one device, madeup, but differ in their driver: 1 and 2; "
            "validate them one after the other");
}

TEST(HardwareFit, RefusesAReplayThatIsThereTwice) {
  HardwareResults file = results_of({});
  file.name = "r";
  file.replays = {{.workload = "w", .schedule = "dear", .predicted = {1}, .measured = {1}}};
  EXPECT_EQ(input_error_of([&] {
              validate_hardware(std::vector{file, file});
            }),
            "validate: r is there twice, a replay of dear, w");
}

TEST(HardwareFit, SaysWhatIsQuickAndTakesNoDeviceFromIt) {
  HardwareResults file = results_of({copy_of(1, 1)});
  file.name = "madeup-memory-quick";
  file.quick = true;
  const std::vector files{file};
  EXPECT_NE(render_hardware_validation(validate_hardware(files))
                .find("--quick, fewer points and repetitions than usual: madeup-memory-quick"),
            std::string::npos);
  EXPECT_EQ(input_error_of([&] { fitted_device(files); }),
            "--update-device: madeup-memory-quick was measured with --quick; measure it in full");
}

TEST(HardwareFit, TakesNoNumberForAnInfiniteError) {
  const FamilyErrors family{.family = "gemm-fp32", .errors = {.median = std::nan("")}};
  EXPECT_EQ(decisive_error(&family), INFINITY);
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
  EXPECT_NEAR(decisive_error(decisive_family(validation)), 0.2, 1e-9);
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

/// Products of 1000 a side and more terms at 2 TFLOP/s but for a better one, and copies from 1 MiB
/// on at 1 TB/s of traffic but for the largest, which reaches 2 TB/s.
std::vector<KernelPoint> device_measurements() {
  std::vector<KernelPoint> points;
  for (std::uint64_t k = 1000; k < 1009; ++k) {
    const auto terms = static_cast<double>(k);
    points.push_back({.shape = {.family = KernelFamily::GemmFp32, .m = 1000, .n = 1000, .k = k},
                      .time = {2 * 1e6 * terms / (k == 1004 ? 3e12 : 2e12)},
                      .spread = 0.02,
                      .check = std::nullopt});
  }
  for (std::uint64_t mib = 1; mib <= 128; mib *= 4)
    points.push_back(copy_of(mib << 20U, 2 * static_cast<double>(mib << 20U) / 1e12));
  points.push_back(copy_of(128U << 20U, 2 * static_cast<double>(128U << 20U) / 2e12));
  return points;
}

TEST(HardwareFit, ReadsADeviceOffItsBestProductAndLargestCopy) {
  const std::vector files{results_of(device_measurements())};
  const DeviceSpec device = fitted_device(files);
  EXPECT_NEAR(device.peak_fp32.value, 3e12, 1e6);
  EXPECT_NEAR(device.memory_bandwidth.value, 2e12, 1e6);
  EXPECT_EQ(device.provenance.kind, ProvenanceKind::Derived);
  EXPECT_EQ(device.provenance.notes.at(0),
            "rate: 1000 x 1000 x 1004, the best of 9 products, spread 2.0 % (interquartile range "
            "over median)");
}

TEST(HardwareFit, NeedsEnoughProductsAndCopiesForADevice) {
  const std::vector files{results_of({copy_of(4, 1)})};
  EXPECT_EQ(input_error_of([&] { fitted_device(files); }),
            "--update-device: needs at least 8 gemm-fp32 points and 4 copy-device points with one "
            "of 64 MiB or more, found 0 and 1, none so large; measure them: stepcast-probe gemm "
            "memory");
}

TEST(HardwareFit, TakesOneDeviceAtATime) {
  std::vector files{results_of(device_measurements()), results_of({})};
  files[1].device = "other";
  EXPECT_EQ(input_error_of([&] { fitted_device(files); }),
            "--update-device: the files are of madeup and other; give those of one");
}

}  // namespace
}  // namespace stepcast
