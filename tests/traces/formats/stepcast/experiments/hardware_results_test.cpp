#include "traces/formats/stepcast/experiments/hardware_results.hpp"

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "tests/support/replaced.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

const std::string kFile = STEPCAST_SOURCE_DIR "/tests/data/hardware/madeup-kernels.json";

std::string error_with(const std::string& old_text, const std::string& new_text) {
  return input_error_of([&] {
    parse_hardware_results(replaced(read_text_file(kFile), old_text, new_text), "h.json");
  });
}

TEST(HardwareResults, ReadsPointsAndReplays) {
  const HardwareResults results = read_hardware_results(kFile);
  EXPECT_EQ(results.device, "madeup");
  EXPECT_EQ(results.machine.gpus, 4U);
  EXPECT_EQ(results.points.front().shape.family, KernelFamily::GemmFp32);
  EXPECT_EQ(results.points.front().shape.m, 64U);
  ASSERT_EQ(results.replays.size(), 1U);
  EXPECT_TRUE(results.replays.front().emulated);
  EXPECT_DOUBLE_EQ(results.replays.front().predicted.value, 0.28);
}

TEST(HardwareResults, AreReadBackAsTheyWereWritten) {
  const std::string written = to_json_text(read_hardware_results(kFile));
  EXPECT_EQ(to_json_text(parse_hardware_results(written, "written")), written);
}

TEST(HardwareResults, RefuseWhatCannotBeMeasured) {
  EXPECT_EQ(error_with("\"time_s\": 9.24288e-06", "\"time_s\": 0"),
            "h.json: /points/0/time_s: expected a time from 1e-9 to 1e6 s, found 0");
  EXPECT_EQ(error_with("\"gemm-fp32\"", "\"gem-fp32\""),
            "h.json: /points/0/family: unknown family \"gem-fp32\"; did you mean \"gemm-fp32\"?");
  EXPECT_EQ(error_with("\"quick\": false", "\"quick\": 0"),
            "h.json: /quick: expected true or false, found 0");
  EXPECT_EQ(
      error_with("\"device\": \"madeup\"", "\"device\": \"../up\""),
      "h.json: /device: expected a name of lower-case letters, digits, '-', '.' and '_' such as "
      "h200, found \"../up\"");
}

TEST(HardwareResults, AreToldApartByTheirFormat) {
  EXPECT_EQ(format_of_file(kFile), "stepcast-hardware");
  EXPECT_EQ(format_of_file(STEPCAST_SOURCE_DIR "/configs/devices/rtx2080ti.json"),
            "stepcast-device");
}

}  // namespace
}  // namespace stepcast
