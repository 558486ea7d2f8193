#include "sim/study/validate/collective_range.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "traces/catalog.hpp"

namespace stepcast {
namespace {

using namespace literals;

LikelyStep range_of(const Cluster& cluster, Algorithm algorithm, Bytes size, std::uint32_t gpus) {
  CollectiveRanges ranges(cluster);
  return ranges.of(
      run_collective({.kind = CollectiveKind::AllReduce, .algorithm = algorithm, .size = size},
                     first_ranks_of(cluster, gpus), Fidelity::Analytic));
}

double width_of(const LikelyStep& likely) {
  return likely.high / likely.low;
}

class CollectiveRange : public testing::Test {
 protected:
  void SetUp() override { ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1); }
};

TEST_F(CollectiveRange, OfMeasuredCurvesIsByRankCountsLeftOut) {
  const LikelyStep likely = range_of(load_cluster("v100-32x4-edr"), Algorithm::Ring, 32.0_MiB, 16);
  EXPECT_NE(likely.basis.find("(rank counts left out of v100-32x4-edr-nccl)"), std::string::npos)
      << likely.basis;
  EXPECT_LT(likely.low, likely.high);
}

// Closed forms were checked on V100s alone: they are less sure, and least so elsewhere.
TEST_F(CollectiveRange, OfClosedFormsIsWiderAndWidestOnAnotherMachine) {
  const Cluster measured = load_cluster("v100-32x4-edr");
  Cluster unmeasured = measured;
  unmeasured.measured.reset();
  const LikelyStep curve = range_of(measured, Algorithm::Ring, 32.0_MiB, 16);
  const LikelyStep form = range_of(unmeasured, Algorithm::Ring, 32.0_MiB, 16);
  const LikelyStep other = range_of(load_cluster("dgx-a100"), Algorithm::Ring, 32.0_MiB, 16);
  EXPECT_LT(width_of(curve), width_of(form));
  EXPECT_LT(width_of(form), width_of(other));
  EXPECT_EQ(form.basis.find("of this machine"), std::string::npos) << form.basis;
  EXPECT_NE(other.basis.find("none of them is of this machine"), std::string::npos) << other.basis;
}

// Curves end at 32 GPUs; each doubling beyond widens by a quarter.
TEST_F(CollectiveRange, WidensBeyondTheLargestMeasuredCount) {
  const Cluster cluster = load_cluster("v100-32x4-edr");
  const LikelyStep within = range_of(cluster, Algorithm::Ring, 32.0_MiB, 32);
  const LikelyStep beyond = range_of(cluster, Algorithm::Ring, 32.0_MiB, 64);
  EXPECT_GT(width_of(beyond), width_of(within));
  EXPECT_NE(beyond.basis.find("wider as 64 GPUs are more than 32"), std::string::npos);
}

}  // namespace
}  // namespace stepcast
