#include "traces/formats/chakra/chakra_layers.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

constexpr double kExact = 1e-12;

ChakraNode host(std::uint64_t id, const std::string& name, bool communicates = false) {
  return {.id = id, .name = name, .on_host = true, .communicates = communicates};
}

ChakraNode kernel(std::uint64_t id, std::uint64_t launcher, double microseconds) {
  return {.id = id,
          .name = "kernel",
          .duration = Seconds{microseconds * 1e-6},
          .on_host = false,
          .data_dependencies = {launcher, 1}};
}

ChakraOperator call(const std::string& name, double microseconds, std::uint32_t work = 1) {
  return {.name = name, .device = Seconds{microseconds * 1e-6}, .work = work};
}

const Layer& layer(const ChakraLayers& found, std::size_t at, const std::string& name) {
  EXPECT_EQ(found.layers.at(at).name, name);
  return found.layers.at(at);
}

TEST(ChakraOperators, PiecesInARowAreOneCall) {
  // Two calls of mm, of two pieces each: the first ones launch a kernel of 10 us and 5 us, the
  // second piece of the first call another one of 20 us.
  const auto operators = operators_of(
      {host(1, "aten::mm(0)"), kernel(2, 1, 10), host(3, "aten::mm(1)"), kernel(4, 3, 20),
       host(5, "aten::mm(0)"), kernel(6, 5, 5), host(7, "aten::mm(1)")});
  ASSERT_EQ(operators.size(), 2U);
  EXPECT_EQ(operators[0].name, "mm");
  EXPECT_EQ(operators[0].work, 2U);
  EXPECT_NEAR(operators[0].device.value, 30e-6, kExact);
  EXPECT_NEAR(operators[1].device.value, 5e-6, kExact);
}

TEST(ChakraOperators, ANumberOfAnotherOperatorIsNoPieceOfTheOneBefore) {
  EXPECT_EQ(operators_of({host(1, "aten::mm(0)"), host(2, "aten::add(1)")}).size(), 2U);
  EXPECT_EQ(operators_of({host(1, "aten::mm"), host(2, "aten::mm")}).size(), 2U);
}

TEST(ChakraOperators, WorkMayStandBeforeItsLaunch) {
  const auto operators = operators_of({kernel(2, 3, 10), host(3, "aten::mm(0)")});
  ASSERT_EQ(operators.size(), 1U);
  EXPECT_NEAR(operators[0].device.value, 10e-6, kExact);
}

TEST(ChakraOperators, CollectivesAddNoTime) {
  ChakraNode reduce = kernel(2, 1, 50);
  reduce.communicates = true;
  const auto operators = operators_of({host(1, "c10d::allreduce_(0)", true), reduce});
  ASSERT_EQ(operators.size(), 1U);
  EXPECT_TRUE(operators[0].communicates);
  EXPECT_EQ(operators[0].work, 0U);
}

TEST(ChakraLayers, BackwardOperatorsAreJoinedInReverseOrder) {
  const ChakraLayers found = layers_of(
      {call("conv2d", 10), call("relu_", 1), call("conv2d", 20), call("convolution_backward", 40),
       call("threshold_backward", 2), call("mul", 3), call("convolution_backward", 25)});
  ASSERT_EQ(found.layers.size(), 3U);
  EXPECT_EQ(found.update, Seconds{});  // No work behind the backward pass.
  EXPECT_NEAR(layer(found, 0, "conv2d-0").backward.value, 25e-6, kExact);
  // What is joined to no operator belongs to the layer before it.
  EXPECT_NEAR(layer(found, 1, "relu_-0").backward.value, 5e-6, kExact);
  EXPECT_NEAR(layer(found, 2, "conv2d-1").backward.value, 40e-6, kExact);
  EXPECT_EQ(found.joined, 3U);
  EXPECT_EQ(found.backward, 4U);
}

TEST(ChakraLayers, TheProductsOfALinearLayerAreJoinedTogether) {
  const ChakraLayers found =
      layers_of({call("linear", 10), call("cross_entropy_loss", 1), call("nll_loss_backward", 2),
                 call("mm", 7), call("t", 0, 0), call("mm", 8), call("threshold_backward", 1)});
  EXPECT_NEAR(layer(found, 0, "linear-0").backward.value, 16e-6, kExact);
  EXPECT_NEAR(layer(found, 1, "cross_entropy_loss-0").backward.value, 2e-6, kExact);
  EXPECT_EQ(found.odd, std::vector<std::string>{"threshold"});  // No relu forward.
}

TEST(ChakraLayers, WorkBehindTheCollectivesIsTheUpdate) {
  ChakraOperator reduce = call("allreduce_", 0, 0);
  reduce.communicates = true;
  const ChakraLayers found =
      layers_of({call("conv2d", 10), call("convolution_backward", 20), call("mul", 3), reduce,
                 call("copy_", 4), call("_foreach_add_", 6)});
  EXPECT_NEAR(found.update.value, 10e-6, kExact);
  ASSERT_EQ(found.layers.size(), 1U);
  EXPECT_NEAR(layer(found, 0, "conv2d-0").backward.value, 23e-6, kExact);
}

TEST(ChakraLayers, CopiesInARowAreOneLayerButLayersAreNot) {
  const ChakraLayers found =
      layers_of({call("copy_", 1), call("copy_", 2), call("conv2d", 10), call("conv2d", 20),
                 call("convolution_backward", 40), call("convolution_backward", 25)});
  ASSERT_EQ(found.layers.size(), 3U);
  EXPECT_NEAR(layer(found, 0, "copy_-0").forward.value, 3e-6, kExact);
  EXPECT_NEAR(layer(found, 1, "conv2d-0").backward.value, 25e-6, kExact);
}

TEST(ChakraLayers, WithoutABackwardPassAllIsForward) {
  const ChakraLayers found = layers_of({call("mm", 1), call("add", 2)});
  EXPECT_EQ(found.layers.size(), 2U);
  EXPECT_EQ(found.backward, 0U);
}

}  // namespace
}  // namespace stepcast
