#include "models/workload/architecture.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "models/base/error.hpp"

namespace stepcast {
namespace {

Architecture two_layers() {
  return {.name = "toy",
          .layers = {{.name = "conv",
                      .kind = LayerKind::Conv2d,
                      .parameters = {{.name = "weight", .elements = 9}},
                      .macs = 90,
                      .input_elements = 12,
                      .output_elements = 10},
                     {.name = "norm",
                      .kind = LayerKind::BatchNorm2d,
                      .parameters = {{.name = "weight", .elements = 1}, {"bias", 1}},
                      .output_elements = 10}}};
}

std::string message_of(const Architecture& architecture) {
  try {
    check_architecture(architecture);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Architecture, CountsParametersTensorsAndMacs) {
  const Architecture architecture = two_layers();
  EXPECT_EQ(parameter_count(architecture), 11U);
  EXPECT_EQ(tensor_count(architecture), 3U);
  EXPECT_EQ(macs(architecture), 90);
}

TEST(Architecture, WorkIsTwoFlopsAMacAndFourBytesAnElementForEverySample) {
  const LayerWork work = work_of(two_layers(), 0, 5);
  EXPECT_EQ(work.product.value, 2 * 90 * 5);
  EXPECT_EQ(work.input.value, 4 * 12 * 5);
  EXPECT_EQ(work.output.value, 4 * 10 * 5);
  EXPECT_EQ(work.parameters.value, 4 * 9);  // read once, not for every sample
}

TEST(Architecture, OnlyTheFirstLayerNeedsNoInputGradient) {
  EXPECT_FALSE(work_of(two_layers(), 0, 1).needs_input_gradient);
  EXPECT_TRUE(work_of(two_layers(), 1, 1).needs_input_gradient);
}

TEST(Architecture, WithoutLayersIsRefused) {
  EXPECT_EQ(message_of({.name = "empty"}), "layers: expected at least one layer, found none");
}

TEST(Architecture, ConvolutionWithoutMacsIsRefused) {
  Architecture architecture = two_layers();
  architecture.layers[0].macs = 0;
  EXPECT_EQ(message_of(architecture),
            "layer \"conv\" (Conv2d): macs: expected a number above 0, found 0");
}

TEST(Architecture, TiedLinearWithoutExtraMacsIsRefused) {
  Architecture architecture = two_layers();
  architecture.layers[1].kind = LayerKind::TiedLinear;
  EXPECT_EQ(message_of(architecture),
            "layer \"norm\" (TiedLinear): extra_macs: expected a number above 0, found 0");
}

TEST(Architecture, NegativeAndNonFiniteNumbersAreRefused) {
  Architecture architecture = two_layers();
  architecture.layers[1].output_elements = -1;
  EXPECT_EQ(
      message_of(architecture),
      "layer \"norm\" (BatchNorm2d): output_elements: expected a finite number >= 0, found -1");
  architecture = two_layers();
  architecture.layers[1].elementwise_passes.backward = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message_of(architecture).find("elementwise_passes/backward"), std::string::npos);
}

}  // namespace
}  // namespace stepcast
