#include <gtest/gtest.h>

#include "sim/study/crossover/crossover.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

CrossoverGrid small_grid() {
  ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1);
  CrossoverGrid grid{.scenario = {},
                     .densities = {0.01, 0.1},
                     .nodes = {2, 4},
                     .gpus_per_node = {4},
                     .bandwidths = {{1.25e9}}};
  grid.scenario.workload = load_workload("resnet50-rtx2080ti-bs64");
  grid.scenario.cluster = load_cluster("rtx2080ti-16x4-10gbe");
  grid.scenario.schedules = {"ddp", "topk-allgather", "topka2a"};
  grid.scenario.engine.fidelity = Fidelity::Analytic;
  return grid;
}

// What is left when selection, start-ups, overlap and shared NICs are out is bytes alone. The
// bisection stops within 0.02 %; selections are rounded to whole entries.
TEST(FindCrossover, WithoutAllItIgnoresTheAnalyticConditionHolds) {
  const Crossover crossover = find_crossover(small_grid());
  ASSERT_EQ(crossover.rows.size(), 2U);
  for (const CrossoverRow& row : crossover.rows) {
    ASSERT_EQ(row.boundaries.size(), 2U);
    EXPECT_NEAR(row.boundaries[0].analytic, 0.5 / (row.gpus - 1), 1e-15);
    for (const Boundary& boundary : row.boundaries) {
      ASSERT_EQ(boundary.simulated.size(), 5U);
      EXPECT_NEAR(boundary.simulated.back(), boundary.analytic, 1e-3 * boundary.analytic);
    }
  }
}

// The same with the 6 bytes of an fp16 entry, and with a bitmap; see BreakEven for the conditions.
TEST(FindCrossover, TheAnalyticConditionCountsTheBytesOfTheEncoding) {
  for (const auto& [name, value] : {std::pair("value", "fp16"), std::pair("index", "bitmap")}) {
    CrossoverGrid grid = small_grid();
    grid.scenario.settings.schedule[name] = value;
    for (const CrossoverRow& row : find_crossover(grid).rows)
      for (const Boundary& boundary : row.boundaries)
        EXPECT_NEAR(boundary.simulated.back(), boundary.analytic, 1e-3 * boundary.analytic)
            << value << ", " << boundary.below << ", " << row.gpus << " GPUs";
  }
}

TEST(FindCrossover, NodesAndTheirGpusMakeTheRows) {
  CrossoverGrid grid = small_grid();
  grid.gpus_per_node = {2, 4};
  std::vector<std::uint32_t> gpus;
  for (const CrossoverRow& row : find_crossover(grid).rows)
    gpus.push_back(row.gpus);
  EXPECT_EQ(gpus, (std::vector<std::uint32_t>{4, 8, 8, 16}));
}

TEST(FindCrossover, IsTheSameForAnyNumberOfWorkers) {
  const Crossover alone = find_crossover(small_grid());
  const Crossover shared = find_crossover(small_grid(), {.workers = 3});
  ASSERT_EQ(alone.rows.size(), shared.rows.size());
  for (std::size_t i = 0; i < alone.rows.size(); ++i) {
    EXPECT_EQ(alone.rows[i].times, shared.rows[i].times);
    for (std::size_t pair = 0; pair < alone.rows[i].boundaries.size(); ++pair)
      EXPECT_EQ(alone.rows[i].boundaries[pair].simulated,
                shared.rows[i].boundaries[pair].simulated);
  }
}

TEST(FindCrossover, HasNoBoundariesWithoutTheSchedulesTheyAreBetween) {
  CrossoverGrid grid = small_grid();
  grid.scenario.schedules = {"dear", "gtopk"};
  for (const CrossoverRow& row : find_crossover(grid).rows)
    EXPECT_TRUE(row.boundaries.empty());
}

}  // namespace
}  // namespace stepcast
