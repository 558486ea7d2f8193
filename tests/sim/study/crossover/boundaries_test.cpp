#include "sim/study/crossover/boundaries.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

SweepRequest small_map(std::vector<SweepAxis> more = {}) {
  ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1);
  SweepRequest request{.base = {.workload = "resnet50-rtx2080ti-bs64",
                                .cluster = "rtx2080ti-16x4-10gbe",
                                .schedules = {"ddp", "topk-allgather", "topka2a"},
                                .fidelity = "analytic",
                                .settings = {}},
                       .axes = {{"nodes", {"2", "4"}}, {"density", {"0.01", "0.1"}}}};
  request.axes.insert(request.axes.end(), more.begin(), more.end());
  return request;
}

// What is left when selection, start-ups, overlap and shared NICs are out is bytes alone. The
// bisection stops within 0.02 %; selections are rounded to whole entries.
TEST(Boundaries, WithoutAllItIgnoresTheAnalyticConditionHolds) {
  const auto jobs = find_boundaries(plan_sweep(small_map()), {});
  ASSERT_EQ(jobs.size(), 2U);
  for (const JobBoundaries& job : jobs) {
    ASSERT_EQ(job.boundaries.size(), 2U);
    EXPECT_NEAR(job.boundaries[0].analytic, 0.5 / (job.gpus - 1), 1e-15);
    for (const Boundary& boundary : job.boundaries) {
      ASSERT_EQ(boundary.simulated.size(), boundary_models().size());
      EXPECT_NEAR(boundary.simulated.back(), boundary.analytic, 1e-3 * boundary.analytic);
    }
  }
}

// The same with the 6 bytes of an fp16 entry, and with a bitmap; see BreakEven for the conditions.
TEST(Boundaries, TheAnalyticConditionCountsTheBytesOfTheEncoding) {
  for (const auto& [name, value] : {std::pair("value", "fp16"), std::pair("index", "bitmap")}) {
    const Sweep sweep = plan_sweep(small_map({{name, {value}}}));
    for (const JobBoundaries& job : find_boundaries(sweep, {}))
      for (const Boundary& boundary : job.boundaries)
        EXPECT_NEAR(boundary.simulated.back(), boundary.analytic, 1e-3 * boundary.analytic)
            << value << ", " << boundary.below << ", " << job.gpus << " GPUs";
  }
}

TEST(Boundaries, EveryJobOfTheSweepHasItsOwn) {
  std::vector<std::uint32_t> gpus;
  for (const JobBoundaries& job :
       find_boundaries(plan_sweep(small_map({{"gpus_per_node", {"2", "4"}}})), {})) {
    gpus.push_back(job.gpus);
    EXPECT_EQ(job.job.size(), 2U);
  }
  EXPECT_EQ(gpus, (std::vector<std::uint32_t>{4, 8, 8, 16}));
}

TEST(Boundaries, AreTheSameForAnyNumberOfWorkers) {
  const Sweep sweep = plan_sweep(small_map());
  const auto alone = find_boundaries(sweep, {});
  const auto shared = find_boundaries(sweep, {.workers = 3});
  ASSERT_EQ(alone.size(), shared.size());
  for (std::size_t i = 0; i < alone.size(); ++i)
    for (std::size_t pair = 0; pair < alone[i].boundaries.size(); ++pair)
      EXPECT_EQ(alone[i].boundaries[pair].simulated, shared[i].boundaries[pair].simulated);
}

TEST(Boundaries, AreNoneWithoutTheSchedulesTheyAreBetween) {
  SweepRequest request = small_map();
  request.base.schedules = {"dear", "gtopk"};
  for (const JobBoundaries& job : find_boundaries(plan_sweep(request), {}))
    EXPECT_TRUE(job.boundaries.empty());
}

}  // namespace
}  // namespace stepcast
