#include <gtest/gtest.h>

#include "models/workload/workload.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

// Two layers that take `forward` each, at `batch`.
Workload profiled(std::uint32_t batch, double forward, double backward) {
  Workload workload = examples::uniform_workload(2, {forward}, {backward}, 1000);
  workload.name = "uniform-bs" + std::to_string(batch);
  workload.batch = batch;
  for (Layer& layer : workload.layers)
    layer.activation = Bytes{1e3 * batch};
  return workload;
}

// A tenth of 10 ms stays; of the other 9 ms a quarter: 1 + 2.25 ms.
TEST(Batch, AFixedPartStaysAndTheRestIsProportional) {
  const auto [workload, how] = with_batch_in_part(profiled(64, 10e-3, 20e-3), 16, 0.1);
  EXPECT_NEAR(workload.layers[0].forward.value, 3.25e-3, 1e-12);
  EXPECT_NEAR(workload.layers[1].backward.value, 6.5e-3, 1e-12);
  EXPECT_EQ(workload.layers[0].activation, Bytes{16e3});
  EXPECT_EQ(workload.batch, 16U);
  EXPECT_EQ(how,
            "batch 16 from batch 64: 10 % of each layer's time stays, the rest is proportional");
}

// 4 ms at 16 and 10 ms at 64: 2 ms + 0.125 ms a sample, so 6 ms at 32.
TEST(Batch, TwoProfilesAreInterpolated) {
  const auto [workload, how] =
      with_batch_between(profiled(16, 4e-3, 8e-3), profiled(64, 10e-3, 20e-3), 32);
  EXPECT_NEAR(workload.layers[0].forward.value, 6e-3, 1e-12);
  EXPECT_NEAR(workload.layers[0].backward.value, 12e-3, 1e-12);
  EXPECT_EQ(workload.layers[0].activation, Bytes{32e3});
  EXPECT_EQ(how,
            "batch 32: each layer interpolated between batch 16 (uniform-bs16) and batch 64 "
            "(uniform-bs64)");
}

TEST(Batch, BeyondTheTwoProfilesItExtrapolatesAndSaysSo) {
  const auto [workload, how] =
      with_batch_between(profiled(16, 4e-3, 8e-3), profiled(64, 10e-3, 20e-3), 128);
  EXPECT_NEAR(workload.layers[0].forward.value, 18e-3, 1e-12);
  EXPECT_NE(how.find("extrapolated"), std::string::npos);
}

TEST(Batch, RefusesProfilesThatCannotBeCompared) {
  Workload other = profiled(16, 1e-3, 1e-3);
  other.layers.pop_back();
  EXPECT_EQ(input_error_of([&] { with_batch_between(profiled(64, 1, 1), other, 32); }),
            "expected a workload with the layers of uniform-bs64, found those of uniform-bs16");
  EXPECT_EQ(input_error_of([&] { with_batch_between(profiled(64, 1, 1), profiled(64, 2, 2), 32); }),
            "expected another batch than 64, which uniform-bs64 has too");
}

}  // namespace
}  // namespace stepcast
