#include "traces/formats/stepcast/device_reader.hpp"

#include <string>

#include <gtest/gtest.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

std::string device_with(const std::string& fields) {
  return R"({"format": "stepcast-device", "version": 1,
             "provenance": {"kind": "assumed", "source": "a test"}, )" +
         fields + "}";
}

std::string message_of(const std::string& fields) {
  try {
    parse_device(device_with(fields), "gpu.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(DeviceReader, ReadsTheShippedRtx2080Ti) {
  const DeviceSpec device = read_device(STEPCAST_SOURCE_DIR "/configs/devices/rtx2080ti.json");
  EXPECT_EQ(device.name, "rtx2080ti");
  EXPECT_DOUBLE_EQ(device.peak_fp32.value, 13.45e12);
  EXPECT_DOUBLE_EQ(device.memory_bandwidth.value, 616e9);
  EXPECT_DOUBLE_EQ(elementwise_bandwidth(device).value, 530e9);
  EXPECT_EQ(device.memory.value, 11.0 * 1024 * 1024 * 1024);
  EXPECT_EQ(device.provenance.kind, ProvenanceKind::Assumed);
}

TEST(DeviceReader, TheNamesOfAProfilerAreAListOfTexts) {
  EXPECT_EQ(message_of(R"("name": "gpu", "peak_fp32_tflops": 1, "memory_bandwidth": "1GBps",
                          "profiler_names": "GPU")"),
            "gpu.json: /profiler_names: expected an array of strings, found \"GPU\"");
}

TEST(DeviceReader, MemoryAndElementwiseBandwidthMayBeUnknown) {
  const DeviceSpec device = parse_device(
      device_with(R"("name": "gpu", "peak_fp32_tflops": 1, "memory_bandwidth": "1GBps")"), "");
  EXPECT_EQ(device.memory.value, 0);
  EXPECT_EQ(elementwise_bandwidth(device).value, 1e9);
}

TEST(DeviceReader, PeakOfZeroIsRefused) {
  EXPECT_EQ(message_of(R"("name": "gpu", "peak_fp32_tflops": 0, "memory_bandwidth": "1GBps")"),
            "gpu.json: /peak_fp32_tflops: expected a number above 0, found 0");
}

TEST(DeviceReader, BandwidthNeedsItsUnit) {
  const std::string message =
      message_of(R"("name": "gpu", "peak_fp32_tflops": 1, "memory_bandwidth": 616)");
  EXPECT_TRUE(message.starts_with("gpu.json: /memory_bandwidth: expected a bandwidth")) << message;
}

TEST(DeviceReader, UnknownKeyIsRefused) {
  EXPECT_EQ(message_of(R"("name": "gpu", "peak_fp32_tflops": 1, "memory_bandwidth": "1GBps",
                          "memry": "1GiB")"),
            "gpu.json: unknown key \"memry\"; did you mean \"memory\"?");
}

}  // namespace
}  // namespace stepcast
