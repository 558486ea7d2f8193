#include "sim/study/sweep/inputs_key.hpp"

#include <gtest/gtest.h>

#include "traces/catalog.hpp"

namespace stepcast {
namespace {

// Their files lie beside the workload's, which does not name them.
TEST(InputsKey, KnowsWhatKernelsOfTheDeviceTake) {
  ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1);
  const Workload workload = load_workload("resnet50-rtx2080ti-bs64");
  const Cluster cluster = load_cluster("rtx2080ti-16x4-10gbe");
  const auto text_with = [&](const Workload& changed) {
    return inputs_text({.workload = changed,
                        .cluster = cluster,
                        .schedule = "kaisa",
                        .options = {},
                        .engine = {}});
  };
  ASSERT_TRUE(workload.kfac && workload.compression);
  Workload inverses = workload;
  inverses.kfac->inverses.back().time = 2 * workload.kfac->inverses.back().time;
  Workload selection = workload;
  selection.compression->search_rounds += 1;
  EXPECT_EQ(text_with(workload), text_with(workload));
  EXPECT_NE(text_with(inverses), text_with(workload));
  EXPECT_NE(text_with(selection), text_with(workload));
}

}  // namespace
}  // namespace stepcast
