// Recorded steps whose communications go by priority.
#include <gtest/gtest.h>

#include "sim/jobs/edits/graph_replay.hpp"
#include "sim/search/step_search.hpp"
#include "tests/support/edit_graph.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

/// A pass of 10, a sum of 20 bytes behind it; a second pass, behind which parameters of 5 bytes are
/// gathered for a third one; an update behind that and the sum. 0-10, 10-20; 10-30; 30-35; 35-45;
/// 45-50.
WorkGraph sharded(const std::vector<double>& second_passes) {
  WorkGraph graph;
  graph.streams = {{"compute"}, {"communication"}};
  graph.stages.assign(second_passes.size(), 0);
  for (std::uint32_t rank = 0; rank < second_passes.size(); ++rank) {
    const auto one = add_node(graph, "one", "backward", rank, 0, 10);
    const auto two = add_node(graph, "two", "backward", rank, 0, second_passes[rank]);
    const auto sum = add_node(graph, "sum", "reduce-scatter", rank, 1, 20, "", 20);
    const auto gather = add_node(graph, "gather", "all-gather", rank, 1, 5, "", 5);
    const auto three = add_node(graph, "three", "backward", rank, 0, 10);
    const auto update = add_node(graph, "update", "update", rank, 0, 5);
    graph.nodes[sum].meeting = 0;
    graph.nodes[gather].meeting = 1;
    for (const auto& [before, after] :
         {std::pair(one, sum), {two, gather}, {gather, three}, {sum, update}})
      graph.edges.push_back({before, after});
  }
  return graph;
}

EditedStep edited_by(const WorkGraph& graph, const std::string& edit, bool search = false) {
  EditableStep step;
  step.graphs = {graph};
  step.time = replay_graphs;
  step.ratio = [](const std::string& /*kind*/, const WorkNode& node, Bytes to, std::uint32_t,
                  std::uint32_t) { return to / node.size; };
  EditedStep result;
  edit_step(step, {parse_edit_request(edit)}, search, result);
  return result;
}

// Slices of 5 from 10, 15 on; at 20 the parameters go first: 20-25; 25-35; the other slices 25-35;
// 35-40.
TEST(PriorityReplayTest, WhatIsNeededFirstOvertakes) {
  const EditedStep step = edited_by(sharded({10}), "priority-slices size=5B");
  ASSERT_EQ(step.notes.size(), 1U);
  EXPECT_EQ(step.notes.front(),
            "\"priority-slices size=5B\" orders what is waited for within the step: the recording "
            "does not say which layer of the next forward pass an update frees");
  EXPECT_DOUBLE_EQ(step.step_before.value, 50);
  EXPECT_DOUBLE_EQ(step.step_after.value, 40);
}

// Nothing that runs is interrupted: the sum is under way when the parameters are ready.
TEST(PriorityReplayTest, WhatRunsIsNotInterrupted) {
  EXPECT_DOUBLE_EQ(edited_by(sharded({10}), "reorder by=need work=communication").step_after.value,
                   50);
}

// The other rank is ready at 24, in the midst of the third slice: 25-30; 30-40; 40-45.
TEST(PriorityReplayTest, RanksMeetWhenAllAreReadyAndFree) {
  EXPECT_DOUBLE_EQ(edited_by(sharded({10, 14}), "priority-slices size=5B").step_after.value, 45);
}

TEST(PriorityReplayTest, TheSearchGoesOnWithIt) {
  EXPECT_LE(edited_by(sharded({10}), "priority-slices size=5B", true).step_after.value, 40);
}

// Without such streams it is another way to the same times.
TEST(PriorityReplayTest, WithoutPrioritiesItIsTheReplay) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const WorkGraph graph = random_graph(seed);
    const auto expected = replay_graph(graph);
    const auto found = replay_by_priority(graph);
    for (std::size_t id = 0; id < expected.size(); ++id) {
      ASSERT_EQ(found[id].ready, expected[id].ready) << seed;
      ASSERT_EQ(found[id].start, expected[id].start) << seed;
      ASSERT_EQ(found[id].end, expected[id].end) << seed;
    }
  }
}

TEST(PriorityReplayTest, WhereItMeansNothingItIsRefused) {
  EXPECT_EQ(input_error_of([] { edited_by(made_graph(), "priority-slices size=4B"); }),
            "priority-slices size=4B: a recorded step ends before the next forward pass, which "
            "priorities serve, and nothing in it waits for a communication that could overtake "
            "another: expected a planned step, of `workload`");
  EXPECT_EQ(input_error_of([] { edited_by(made_graph(), "reorder by=need"); }),
            "reorder by=need: no communication is needed in the step before one that is ahead of "
            "it on its stream");
  WorkGraph unknown = sharded({10});
  unknown.edges.erase(unknown.edges.begin());
  EXPECT_EQ(
      input_error_of([&] { edited_by(unknown, "reorder by=need"); }),
      "reorder by=need: what \"sum\" waits for was not recorded, so that it is not known when "
      "it could go first");
  WorkGraph mixed = sharded({10});
  add_node(mixed, "copy", "other", 0, 1, 1);
  EXPECT_EQ(input_error_of([&] { edited_by(mixed, "reorder by=need work=communication"); }),
            "reorder by=need work=communication: stream \"communication\" computes, too: expected "
            "communications on streams of their own");
}

}  // namespace
}  // namespace stepcast
