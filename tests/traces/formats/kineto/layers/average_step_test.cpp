#include "traces/formats/kineto/layers/average_step.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace stepcast {
namespace {

StepLayers step_with(std::uint32_t number, std::vector<LayerTimes> layers,
                     std::vector<GradientBucket> buckets) {
  StepLayers step{.step = number, .duration = Seconds{1}};
  step.layers = std::move(layers);
  step.buckets = std::move(buckets);
  return step;
}

LayerTimes layer_of(const char* kind, double milliseconds) {
  return {.name = std::string(kind) + "-0",
          .kind = kind,
          .forward = Seconds{milliseconds * 1e-3},
          .gradients = {},
          .work = 1};
}

// The last step does twice the work of the others and is left out: what it sent is no part of the
// mean step.
TEST(AverageStep, BucketsAreThoseOfTheStepsThatAreAveraged) {
  const std::vector<LayerTimes> usual{layer_of("conv", 10), layer_of("linear", 10)};
  const std::vector<LayerTimes> other{layer_of("attention", 20), layer_of("norm", 20)};
  const GradientBucket bucket{.size = Bytes{100}};
  ImportReport report;
  const AverageStep mean =
      average({step_with(0, usual, {bucket, bucket}), step_with(1, usual, {bucket, bucket}),
               step_with(2, other, {bucket, bucket, bucket, bucket})},
              report);
  EXPECT_EQ(mean.steps, 2U);
  EXPECT_EQ(mean.buckets, (std::vector<Bytes>{Bytes{100}, Bytes{100}}));
}

}  // namespace
}  // namespace stepcast
