#include "models/workload/architecture_gradients.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

/// Convolution of 10 elements, normalisation of 2, linear layer of 30: 3 and 1 of 4
/// multiply-accumulates.
Architecture small() {
  return {
      .name = "small",
      .layers = {
          {.name = "conv", .kind = LayerKind::Conv2d, .parameters = {{"weight", 10}}, .macs = 3},
          {.name = "bn", .kind = LayerKind::BatchNorm2d, .parameters = {{"weight", 2}}},
          {.name = "fc", .kind = LayerKind::Linear, .parameters = {{"weight", 30}}, .macs = 1}}};
}

Workload with_kinds(const std::vector<std::string>& kinds) {
  Workload workload{.name = "w", .model = "m", .device = "d"};
  for (const std::string& kind : kinds)
    workload.layers.push_back(
        {.name = kind, .kind = kind, .forward = Seconds{1}, .backward = Seconds{2}});
  return workload;
}

std::vector<std::uint64_t> elements_of(const Workload& workload) {
  std::vector<std::uint64_t> elements;
  for (const Layer& layer : workload.layers) {
    elements.push_back(0);
    for (const Parameter& parameter : layer.parameters)
      elements.back() += parameter.elements;
  }
  return elements;
}

using Elements = std::vector<std::uint64_t>;

TEST(ArchitectureGradients, GoToTheLayersOfTheirKindInOrder) {
  const auto [workload, how] = with_gradients_of(
      small(), with_kinds({"Optimizer", "conv2d", "batch_norm", "relu", "linear"}),
      DataType::Float16);
  EXPECT_EQ(elements_of(workload), (Elements{0, 10, 2, 0, 30}));
  EXPECT_EQ(workload.layers[1].parameters[0].name, "conv.weight");
  EXPECT_EQ(parameter_size(workload), Bytes{84});
  EXPECT_EQ(how,
            "gradients of the architecture small: 3 of its modules joined to layers by kind and "
            "order, the others to the layer of the module before");
}

TEST(ArchitectureGradients, OfAKindThatOccursMoreOrLessOftenGoWithTheModuleBefore) {
  const auto supplied =
      with_gradients_of(small(), with_kinds({"Conv2d", "Linear", "Linear"}), DataType::Float32);
  EXPECT_EQ(elements_of(supplied.workload), (Elements{42, 0, 0}));
}

TEST(ArchitectureGradients, AreSpreadByWorkWhereNoKindTells) {
  // The convolution begins with nothing done; 3 of 4 are done before the others: in the third of
  // four equal layers.
  const auto supplied =
      with_gradients_of(small(), with_kinds({"a", "b", "c", "d"}), DataType::Float32);
  EXPECT_EQ(elements_of(supplied.workload), (Elements{10, 0, 32, 0}));
}

TEST(ArchitectureGradients, ReplaceThoseOfTheTrace) {
  Workload workload = with_kinds({"conv2d", "batch_norm", "linear"});
  workload.layers[1].parameters = {{"old", 1000}};
  EXPECT_EQ(parameter_count(with_gradients_of(small(), workload, DataType::Float32).workload), 42U);
}

}  // namespace
}  // namespace stepcast
