#include "traces/formats/stepcast/experiments/exported_plan.hpp"

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"
#include "tests/support/leaves.hpp"
#include "tests/support/replaced.hpp"
#include "traces/json/strict_json.hpp"

namespace stepcast {
namespace {

/// Forward and backward of one layer, an all-reduce, and the next forward waits for it.
const std::string kPlan = R"({
  "format": "stepcast-plan", "version": 1, "schedule": "wfbp", "workload": "w", "cluster": "c",
  "fidelity": "flow", "gpus": 2, "rank": 0, "iteration_time_s": 0.006,
  "provenance": {"kind": "assumed", "source": "made up"},
  "streams": ["compute", "all-reduce"], "groups": [[0, 1]],
  "tasks": [
    {"label": "fc", "kind": "forward", "stream": 0, "group": 0, "duration_s": 0.001},
    {"label": "fc", "kind": "backward", "stream": 0, "group": 0, "duration_s": 0.002},
    {"label": "gradients", "kind": "communication", "stream": 1, "group": 0,
     "collective": "all-reduce", "algorithm": "ring", "size_bytes": 1000000, "wait_s": 0.0001,
     "time_s": 0.0029}
  ],
  "edges": [[1, 2]], "next_edges": [[2, 0]]
})";

std::string error_with(const std::string& old_text, const std::string& new_text) {
  return input_error_of(
      [&] { parse_exported_plan(replaced(kPlan, old_text, new_text), "p.json"); });
}

TEST(ExportedPlan, HoldsEverythingThatAReplayNeeds) {
  const ExportedPlan exported = parse_exported_plan(kPlan, "p.json");
  EXPECT_EQ(exported.plan.schedule, "wfbp");
  EXPECT_EQ(exported.gpus, 2U);
  EXPECT_DOUBLE_EQ(exported.iteration_time.value, 0.006);
  ASSERT_EQ(exported.plan.graph.size(), 3U);
  EXPECT_DOUBLE_EQ(exported.plan.graph.task(1).duration.value, 0.002);
  EXPECT_EQ(exported.plan.graph.task(2).stream, 1U);
  EXPECT_EQ(exported.plan.collectives.at(0).collective.kind, CollectiveKind::AllReduce);
  EXPECT_DOUBLE_EQ(exported.forecasts.at(0).time.value, 0.0029);
  EXPECT_EQ(exported.plan.next, (std::vector<TaskGraph::Edge>{{2, 0}}));
}

TEST(ExportedPlan, IsReadBackAsItWasWritten) {
  const std::string written = to_json_text(parse_exported_plan(kPlan, "p.json"));
  EXPECT_EQ(to_json_text(parse_exported_plan(written, "written")), written);
}

TEST(ExportedPlan, EveryFieldOfACollectiveIsWritten) {
  ExportedPlan exported = parse_exported_plan(kPlan, "p.json");
  Collective& collective = exported.plan.collectives[0].collective;
  collective = {.kind = CollectiveKind::Broadcast,
                .algorithm = Algorithm::Chain,
                .size = {8},
                .root = 1,
                .shares = {1, 2}};
  const std::string written = to_json_text(exported);
  EXPECT_TRUE(
      same(parse_exported_plan(written, "written").plan.collectives, exported.plan.collectives));
  for (const Collective& other : with_one_change(collective)) {
    ExportedPlan changed = exported;
    changed.plan.collectives[0].collective = other;
    EXPECT_NE(to_json_text(changed), written);
  }
}

TEST(ExportedPlan, RefusesSharesThatAreNotOneForEachMember) {
  const std::string expected =
      "p.json: /tasks/2/shares: expected 2 numbers, one for each member of the group, not all 0";
  EXPECT_EQ(error_with("\"size_bytes\": 1000000", "\"size_bytes\": 1, \"shares\": [1]"), expected);
  EXPECT_EQ(error_with("\"size_bytes\": 1000000", "\"size_bytes\": 1, \"shares\": [0, 0]"),
            expected);
  EXPECT_EQ(error_with("\"size_bytes\": 1000000", "\"size_bytes\": 1, \"shares\": [1, -1]"),
            "p.json: /tasks/2/shares: expected numbers from 0 on");
}

TEST(ExportedPlan, ItsSchemaNamesEveryCollectiveAndAlgorithm) {
  const std::string schema = read_text_file(std::string(STEPCAST_SOURCE_DIR) +
                                            "/configs/schema/exported_plan.schema.json");
  for (const CollectiveKind kind : all_collective_kinds())
    EXPECT_NE(schema.find(std::string("\"") + name_of(kind) + "\""), std::string::npos)
        << name_of(kind);
  for (const Algorithm algorithm : all_algorithms())
    EXPECT_NE(schema.find(std::string("\"") + name_of(algorithm) + "\""), std::string::npos)
        << name_of(algorithm);
}

TEST(ExportedPlan, KnowsWhetherItsForecastSlowsComputeDown) {
  EXPECT_FALSE(parse_exported_plan(kPlan, "p.json").communication_slows_compute);
  const ExportedPlan slowed = parse_exported_plan(
      replaced(kPlan, "\"rank\": 0", "\"rank\": 0, \"communication_slows_compute\": true"),
      "p.json");
  EXPECT_TRUE(parse_exported_plan(to_json_text(slowed), "written").communication_slows_compute);
  EXPECT_EQ(error_with("\"rank\": 0", "\"rank\": 0, \"communication_slows_compute\": 1"),
            "p.json: /communication_slows_compute: expected true or false, found 1");
}

TEST(ExportedPlan, RefusesTimesThatNoReplayWouldEnd) {
  EXPECT_EQ(error_with("\"duration_s\": 0.002", "\"duration_s\": 20000"),
            "p.json: /tasks/1/duration_s: expected at most 10000 s, found 20000");
  EXPECT_EQ(error_with("\"time_s\": 0.0029", "\"time_s\": 1e8").substr(0, 46),
            "p.json: /tasks/2/time_s: expected at most 1000");
}

TEST(ExportedPlan, RefusesAFirstStreamWithoutATaskOfItsRank) {
  // Both compute tasks run on rank 1 only.
  const std::string elsewhere = replaced(kPlan, "[[0, 1]]", "[[1], [0, 1]]");
  EXPECT_EQ(input_error_of([&] { parse_exported_plan(elsewhere, "p.json"); }),
            "p.json: /tasks: expected a task of rank 0 on the first stream");
}

TEST(ExportedPlan, RefusesAnotherVersion) {
  EXPECT_EQ(error_with("\"version\": 1", "\"version\": 2"),
            "p.json: /version: expected 1, found 2");
}

TEST(ExportedPlan, RefusesIndicesBeyondTheirLists) {
  EXPECT_EQ(error_with("\"stream\": 1", "\"stream\": 2"),
            "p.json: /tasks/2/stream: expected a stream from 0 to 1, found 2");
  EXPECT_EQ(error_with("[[1, 2]]", "[[1, 3]]"),
            "p.json: /edges/0: expected two tasks from 0 to 2 such as [0, 1]");
  EXPECT_EQ(error_with("[[0, 1]]", "[[0, 2]]"),
            "p.json: /groups/0: expected different ranks from 0 to 1");
}

TEST(ExportedPlan, RefusesTasksThatWaitForEachOther) {
  EXPECT_EQ(error_with("[[1, 2]]", "[[2, 0], [1, 2]]").substr(0, 15), "p.json: /edges:");
}

TEST(ExportedPlan, RefusesAnAlgorithmThatCannotDoTheCollective) {
  EXPECT_EQ(error_with("\"ring\"", "\"pairwise\""),
            "p.json: /tasks/2/algorithm: expected an algorithm for all-reduce, found \"pairwise\"");
}

TEST(ExportedPlan, RefusesAnUnknownKind) {
  EXPECT_EQ(error_with("\"backward\"", "\"backwards\""),
            "p.json: /tasks/1/kind: expected forward, backward, update, other-compute or "
            "communication, found \"backwards\"; did you mean \"backward\"?");
}

}  // namespace
}  // namespace stepcast
