#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "tests/models/schedule/kfac/kfac_workload.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

// 6 layers with a = 100, 110 .. 150, g = 50 .. 55 and 32 rows, on 8 ranks.
const Workload kWorkload = examples::kfac_workload(6);

MemoryUse use_of(const std::string& schedule, const ScheduleOptions& options = {}) {
  const Cluster cluster = examples::plain_cluster(8);
  return build_plan(schedule, kWorkload, cluster, options).memory;
}

/// 4 bytes for each element of all matrices.
Bytes all_matrices() {
  Bytes sum{};
  for (const Layer& layer : kWorkload.layers)
    if (layer.kronecker)
      for (const double side : {layer.kronecker->a, layer.kronecker->g})
        sum += Bytes{4 * side * side};
  return sum;
}

TEST(KfacMemory, EveryRankHoldsAllWhereAllIsComputedOrSent) {
  for (const char* schedule : {"d-kfac", "mpd-kfac", "spd-kfac", "pad-kfac"}) {
    EXPECT_EQ(use_of(schedule).factors, all_matrices()) << schedule;
    EXPECT_EQ(use_of(schedule).inverses, all_matrices()) << schedule;
  }
}

// The owner of the last layer, a = 150 and g = 55, holds most.
TEST(KfacMemory, OwnersHoldTheirLayersOnly) {
  const Bytes largest{4.0 * (150 * 150 + 55 * 55)};
  EXPECT_EQ(use_of("dp-kfac").factors, largest);
  EXPECT_EQ(use_of("dp-kfac").inverses, largest);
  const MemoryUse grid = use_of("kaisa", {{"grad_worker_fraction", "mem-opt"}});
  EXPECT_EQ(grid.factors, all_matrices());
  EXPECT_LT(grid.inverses, all_matrices());
  EXPECT_EQ(use_of("kaisa", {{"grad_worker_fraction", "comm-opt"}}).inverses, all_matrices());
}

// 4 bytes x 32 rows x (50 + .. + 55) after the backward pass; the largest layer alone within it.
TEST(KfacMemory, HooksKeepOutputGradientsUntilTheirFactorIsMade) {
  EXPECT_EQ(use_of("d-kfac").kept_by_hooks, Bytes{4.0 * 32 * 315});
  EXPECT_EQ(use_of("spd-kfac").kept_by_hooks, Bytes{4.0 * 32 * 55});
}

TEST(KfacMemory, CountsInTheTotalAndOnlyForSecondOrder) {
  const MemoryUse use = use_of("d-kfac");
  EXPECT_GT(use.preconditioned, Bytes{});
  EXPECT_EQ(use.second_order(),
            use.factors + use.inverses + use.kept_by_hooks + use.preconditioned);
  EXPECT_EQ(use_of("horovod").second_order(), Bytes{});
}

}  // namespace
}  // namespace stepcast
