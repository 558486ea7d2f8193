#include "traces/formats/stepcast/architecture_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "traces/formats/stepcast/workload_file.hpp"

namespace stepcast {
namespace {

const std::filesystem::path kArchitectures = STEPCAST_SOURCE_DIR "/traces/architectures";

std::string file_with(const std::string& layers) {
  return R"({"format": "stepcast-architecture", "version": 1, "name": "net",
             "provenance": {"kind": "assumed", "source": "a test"}, "layers": [)" +
         layers + "]}";
}

std::string message_of(const std::string& text) {
  try {
    parse_architecture(text, "net.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ArchitectureReader, ReadsEveryField) {
  const Architecture architecture =
      parse_architecture(file_with(R"({"name": "dense", "kind": "Linear",
                    "parameters": [{"name": "weight", "elements": 6}, {"name": "bias", "elements": 2}],
                    "macs": 6, "extra_macs": 4, "input_elements": 3, "output_elements": 2,
                    "elementwise_passes": {"forward": 1.5, "backward": 2}})"),
                         "net.json");
  EXPECT_EQ(architecture.name, "net");
  EXPECT_EQ(architecture.provenance.source, "a test");
  ASSERT_EQ(architecture.layers.size(), 1U);
  const ArchitectureLayer& layer = architecture.layers[0];
  EXPECT_EQ(layer.name, "dense");
  EXPECT_EQ(layer.kind, LayerKind::Linear);
  ASSERT_EQ(layer.parameters.size(), 2U);
  EXPECT_EQ(layer.parameters[1].name, "bias");
  EXPECT_EQ(layer.parameters[1].elements, 2U);
  EXPECT_EQ(layer.macs, 6);
  EXPECT_EQ(layer.extra_macs, 4);
  EXPECT_EQ(layer.input_elements, 3);
  EXPECT_EQ(layer.output_elements, 2);
  EXPECT_EQ(layer.elementwise_passes.forward, 1.5);
  EXPECT_EQ(layer.elementwise_passes.backward, 2);
}

TEST(ArchitectureReader, WithoutLayersIsRefused) {
  EXPECT_EQ(message_of(file_with("")), "net.json: layers: expected at least one layer, found none");
}

TEST(ArchitectureReader, ConvolutionWithoutMacsIsRefused) {
  EXPECT_EQ(message_of(file_with(R"({"name": "c", "kind": "Conv2d", "input_elements": 1,
                                     "output_elements": 1})")),
            "net.json: layer \"c\" (Conv2d): macs: expected a number above 0, found 0");
}

TEST(ArchitectureReader, UnknownKindNamesTheNearest) {
  const std::string message = message_of(
      file_with(R"({"name": "c", "kind": "Conv2D", "input_elements": 1, "output_elements": 1})"));
  EXPECT_TRUE(message.starts_with("net.json: /layers/0/kind: expected one of Conv2d, ")) << message;
  EXPECT_TRUE(message.ends_with("found \"Conv2D\"; did you mean \"Conv2d\"?")) << message;
}

TEST(ArchitectureReader, UnknownKeyIsRefused) {
  EXPECT_EQ(message_of(file_with(R"({"name": "c", "kind": "Elementwise", "input_elements": 1,
                                     "output_elements": 1, "extra_mac": 3})")),
            "net.json: /layers/0: unknown key \"extra_mac\"; did you mean \"extra_macs\"?");
}

/// A row of the table of the five networks: exact counts, and multiply-accumulates of a sample's
/// forward pass with own weights, in units of 1e9 to three decimals.
struct Totals {
  const char* name;
  std::size_t modules;
  std::size_t tensors;
  std::uint64_t parameters;
  double gmacs;
};

class ShippedArchitecture : public testing::TestWithParam<Totals> {};

TEST_P(ShippedArchitecture, HasThePublishedTotals) {
  const Totals& expected = GetParam();
  const Architecture architecture =
      read_architecture(kArchitectures / (std::string(expected.name) + ".json"));
  EXPECT_EQ(architecture.name, expected.name);
  EXPECT_EQ(architecture.layers.size(), expected.modules);
  EXPECT_EQ(tensor_count(architecture), expected.tensors);
  EXPECT_EQ(parameter_count(architecture), expected.parameters);
  EXPECT_NEAR(macs(architecture) / 1e9, expected.gmacs, 0.5e-3);
}

INSTANTIATE_TEST_SUITE_P(All, ShippedArchitecture,
                         testing::Values(Totals{"resnet18", 41, 62, 11689512, 1.814},
                                         Totals{"resnet50", 107, 161, 25557032, 4.089},
                                         Totals{"densenet201", 402, 604, 20013928, 4.291},
                                         Totals{"inceptionv4", 299, 449, 42679816, 6.122},
                                         Totals{"inceptionv3", 189, 284, 23834568, 5.713},
                                         Totals{"bert-base", 105, 206, 110111042, 5.474},
                                         Totals{"bert-large", 201, 398, 336232258, 19.396}));

/// Weight elements and multiply-accumulates of a sample of every convolution, sorted.
template <class Network>
std::vector<std::pair<std::uint64_t, std::uint64_t>> convolutions_of(const Network& network) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> convolutions;
  for (const auto& layer : network.layers)
    if (layer.macs > 0 && layer.parameters.size() == 1)  // a Linear has a bias
      convolutions.emplace_back(layer.parameters[0].elements,
                                static_cast<std::uint64_t>(layer.macs));
  std::ranges::sort(convolutions);
  return convolutions;
}

// Both are of one network, counted from its definition and recorded by a profiler; the profile also
// has the auxiliary classifier, whose two convolutions are 768 -> 128 (1 x 1 on 17 x 17 pooled to
// 5 x 5) and 128 -> 768 (5 x 5 on 5 x 5: one output).
TEST(InceptionV3Architecture, HasTheConvolutionsOfAProfileButTheAuxiliaryClassifier) {
  auto expected = convolutions_of(read_architecture(kArchitectures / "inceptionv3.json"));
  expected.emplace_back(768 * 128, 768 * 128 * 5 * 5);
  expected.emplace_back(128 * 768 * 5 * 5, 128 * 768 * 5 * 5);
  std::ranges::sort(expected);
  EXPECT_EQ(convolutions_of(
                read_workload(kArchitectures / "../workloads/inception-v3-pipedream-bs128.json")),
            expected);
}

TEST(BertArchitecture, DecoderRunsAfterItsTransformAndOwnsOnlyTheBias) {
  const Architecture bert = read_architecture(kArchitectures / "bert-base.json");
  const std::size_t last = bert.layers.size() - 1;
  EXPECT_EQ(bert.layers[last].name, "cls.seq_relationship");
  const ArchitectureLayer& decoder = bert.layers[last - 1];
  EXPECT_EQ(decoder.name, "cls.predictions");
  EXPECT_EQ(bert.layers[last - 2].name, "cls.predictions.transform.LayerNorm");
  ASSERT_EQ(decoder.parameters.size(), 1U);
  EXPECT_EQ(decoder.parameters[0].elements, 30528U);
  EXPECT_EQ(decoder.macs, 0);
  EXPECT_EQ(decoder.extra_macs, 768.0 * 30528 * 64);  // hidden x vocabulary x positions
}

}  // namespace
}  // namespace stepcast
