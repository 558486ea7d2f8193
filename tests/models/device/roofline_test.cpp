#include "models/device/roofline.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

// 10 flop/s and 2 B/s: a work of 5 flops a byte takes as long for its arithmetic as for its
// traffic.
const DeviceSpec kDevice{.name = "toy", .peak_fp32 = {10}, .memory_bandwidth = {2}};

const LayerWork kLinear{
    .kind = LayerKind::Linear, .product = {100}, .input = {4}, .output = {6}, .parameters = {2}};

TEST(Roofline, TakesTheLongerOfArithmeticAndTraffic) {
  EXPECT_DOUBLE_EQ(roofline_time({100}, {4}, kDevice).value, 10);  // 100 / 10 against 4 / 2
  EXPECT_DOUBLE_EQ(roofline_time({100}, {40}, kDevice).value, 20);
}

TEST(Roofline, ProductBoundByArithmeticTakesTwiceAsLongInBackward) {
  EXPECT_DOUBLE_EQ(forward_roofline(kLinear, kDevice).value, 10);  // traffic: (4 + 6 + 2) / 2 = 6
  EXPECT_DOUBLE_EQ(backward_roofline(kLinear, kDevice).value, 20);
}

TEST(Roofline, ProductBoundByMemoryMovesInputOutputAndParameters) {
  LayerWork work = kLinear;
  work.product = {1};
  EXPECT_DOUBLE_EQ(forward_roofline(work, kDevice).value, 6);  // (4 + 6 + 2) / 2
}

TEST(Roofline, FirstLayerHasNoInputGradient) {
  LayerWork work = kLinear;
  work.needs_input_gradient = false;
  EXPECT_DOUBLE_EQ(backward_roofline(work, kDevice).value, 10);
}

TEST(Roofline, NormalisationIsBoundByItsPassesOverMemory) {
  const LayerWork work{.kind = LayerKind::BatchNorm2d, .input = {6}, .output = {6}};
  EXPECT_DOUBLE_EQ(forward_roofline(work, kDevice).value, 9);    // 3 passes of 6 / 2
  EXPECT_DOUBLE_EQ(backward_roofline(work, kDevice).value, 15);  // 5 passes
}

TEST(Roofline, ElementwisePassesAddToTheLayersOwn) {
  LayerWork work = kLinear;
  work.elementwise = {.forward = 2, .backward = 3};
  EXPECT_DOUBLE_EQ(forward_roofline(work, kDevice).value, 10 + 2 * 3);
  EXPECT_DOUBLE_EQ(backward_roofline(work, kDevice).value, 20 + 3 * 3);
}

TEST(Roofline, ExtraProductAlwaysNeedsBothGradients) {
  LayerWork work{.kind = LayerKind::TiedLinear, .extra_product = {100}, .input = {4}};
  work.needs_input_gradient = false;
  EXPECT_DOUBLE_EQ(forward_roofline(work, kDevice).value, 10);
  EXPECT_DOUBLE_EQ(backward_roofline(work, kDevice).value, 20);
}

TEST(Roofline, EmbeddingFillsItsWholeGradientWithZerosInBackward) {
  const LayerWork work{.kind = LayerKind::Embedding, .output = {6}, .parameters = {100}};
  EXPECT_DOUBLE_EQ(forward_roofline(work, kDevice).value, 6);        // 2 passes of 6 / 2
  EXPECT_DOUBLE_EQ(backward_roofline(work, kDevice).value, 9 + 50);  // 3 passes, and 100 / 2
}

TEST(LayerKind, NamesLeadBackToTheirKinds) {
  ASSERT_EQ(layer_kind_names().size(), 7U);
  for (const std::string& name : layer_kind_names())
    EXPECT_EQ(name_of(find_layer_kind(name).value()), name);
  EXPECT_FALSE(find_layer_kind("conv2d"));
}

}  // namespace
}  // namespace stepcast
