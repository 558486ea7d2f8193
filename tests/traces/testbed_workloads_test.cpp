// The workloads of testbeds with published throughputs of one GPU: each must be what
// derive_workload makes of its architecture, device and throughput today.

#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/workload/derive.hpp"
#include "traces/formats/stepcast/architecture_reader.hpp"
#include "traces/formats/stepcast/device_reader.hpp"
#include "traces/formats/stepcast/workload_file.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

const std::filesystem::path kSource = STEPCAST_SOURCE_DIR;

constexpr const char* kMixed = "amp";

struct Published {
  const char* architecture;
  const char* device;
  std::uint32_t batch;
  double throughput;  ///< Of one GPU, in samples per second.
  std::string precision = "fp32";
};

/// Names the test.
void PrintTo(const Published& tested, std::ostream* out) {
  *out << tested.architecture << tested.device << tested.batch;
}

std::filesystem::path shipped_file(const Published& published) {
  return kSource / "traces/workloads" /
         fmt::format("{}-{}-bs{}.json", published.architecture, published.device, published.batch);
}

/// What says where the throughput comes from is text: taken from the file. Under mixed precision
/// activations are of half the size; derive counts them in fp32.
Workload derived(const Published& published, const std::string& source) {
  const std::string file = std::string(published.architecture) + ".json";
  Workload workload = derive_workload(
      read_architecture(kSource / "traces/architectures" / file),
      read_device(kSource / "configs/devices" / (std::string(published.device) + ".json")),
      published.batch, {published.batch / published.throughput}, {.source = source});
  if (published.precision == kMixed) {
    workload.precision = kMixed;
    for (Layer& layer : workload.layers)
      layer.activation = layer.activation / 2;
  }
  return workload;
}

class TestbedWorkload : public testing::TestWithParam<Published> {};

TEST_P(TestbedWorkload, ShippedFileIsWhatDerivationMakesToday) {
  const std::string source = read_workload(shipped_file(GetParam())).provenance.source;
  EXPECT_EQ(read_text_file(shipped_file(GetParam())), to_json_text(derived(GetParam(), source)));
}

TEST_P(TestbedWorkload, SourceNamesThroughputAndLicence) {
  const std::string source = read_workload(shipped_file(GetParam())).provenance.source;
  EXPECT_NE(source.find(fmt::format("{:.2f} samples/s", GetParam().throughput)), std::string::npos);
  EXPECT_NE(source.find("Apache-2.0"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, TestbedWorkload,
                         testing::Values(Published{"resnet50", "v100", 128, 367.29},
                                         Published{"resnet50", "v100", 256, 802.9, kMixed},
                                         Published{"bert-base", "v100", 32, 119.6},
                                         Published{"inceptionv3", "k80", 64, 29.7},
                                         Published{"inceptionv3", "k80", 32, 29.2},
                                         Published{"resnet50", "k80", 64, 52.4},
                                         Published{"resnet50", "k80", 32, 48.4},
                                         Published{"resnet152", "k80", 32, 19.4}));

}  // namespace
}  // namespace stepcast
