// What Chakra graphs without times tell of the order of work.

#include <algorithm>

#include <gtest/gtest.h>

#include "traces/job/job_formats.hpp"

namespace stepcast {
namespace {

/// Host operators launch a forward pass of 2 ms, a backward pass of 4 ms, a sum of 3 ms and an
/// update of 1 ms. `after_sum` are the dependencies of the update's kernel.
std::string graph(const std::string& after_sum) {
  return R"({"workload_graph": [
{"Id": 1, "Name": "linear", "NodeType": 4, "runtime": 10, "data_deps": [], "is_cpu_op": true},
{"Id": 2, "Name": "gemm_fwd", "NodeType": 4, "runtime": 2000, "data_deps": [1], "is_cpu_op": false},
{"Id": 3, "Name": "AddmmBackward0", "NodeType": 4, "runtime": 10, "data_deps": [1], "is_cpu_op": true},
{"Id": 4, "Name": "gemm_bwd", "NodeType": 4, "runtime": 4000, "data_deps": [3], "is_cpu_op": false},
{"Id": 5, "Name": "allreduce", "NodeType": 4, "runtime": 10, "data_deps": [3], "is_cpu_op": true},
{"Id": 6, "Name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "NodeType": 7, "runtime": 3000, "data_deps": [5], "is_cpu_op": false},
{"Id": 7, "Name": "launch", "NodeType": 4, "runtime": 10, "data_deps": [5], "is_cpu_op": true},
{"Id": 8, "Name": "FusedAdam", "NodeType": 4, "runtime": 1000, "data_deps": [)" +
         after_sum + R"(], "is_cpu_op": false}]})";
}

RankTimeline timeline_of_graph(const std::string& text) {
  ImportReport report;
  return read_chakra_timeline(text_stream(text, "g"), report);
}

// The sum begins behind the backward pass, 6 ms, and the update behind the sum, 9 ms.
TEST(ChakraOrder, KernelsWithoutSuccessorsFollowTheirStreamsAndTheUpdateTheSum) {
  const RankTimeline timeline = timeline_of_graph(graph("7"));
  EXPECT_FALSE(timeline.timed);
  ASSERT_EQ(timeline.steps.size(), 1U);
  const std::vector<TimelineWork>& works = timeline.steps[0].works;
  ASSERT_EQ(works.size(), 4U);
  EXPECT_EQ(works[2].work, JobWork::Transfer);
  EXPECT_NEAR(works[2].begin.value, 6e-3, 1e-12);
  EXPECT_TRUE(works[3].updates);
  EXPECT_NEAR(works[3].begin.value, 9e-3, 1e-12);
  EXPECT_NEAR(works[3].end.value, 10e-3, 1e-12);
}

// Work of any name that is computed after the last collective waits for it.
TEST(ChakraOrder, AnUpdateOfUnknownNameWaitsForTheSum) {
  std::string text = graph("7");
  text.replace(text.find("FusedAdam"), 9, "my_kernel");
  const RankTimeline timeline = timeline_of_graph(text);
  EXPECT_NEAR(timeline.steps[0].works.back().begin.value, 9e-3, 1e-12);
}

// Dependencies that are noted are all that work waits for, beside its stream.
TEST(ChakraOrder, NotedDependenciesOnTheDeviceStandForThemselves) {
  const RankTimeline timeline = timeline_of_graph(graph("4"));
  const auto update = std::ranges::find(timeline.steps[0].works, true, &TimelineWork::updates);
  ASSERT_NE(update, timeline.steps[0].works.end());
  EXPECT_NEAR(update->begin.value, 6e-3, 1e-12);
}

}  // namespace
}  // namespace stepcast
