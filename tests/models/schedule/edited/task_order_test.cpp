// Which tasks the nodes of a pipeline's graph are, and in which order.
#include "models/schedule/edited/task_order.hpp"

#include <gtest/gtest.h>

#include "tests/support/edit_graph.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

/// A message of two stages at its two ends.
void add_message(WorkGraph& graph, const std::string& name, std::uint32_t meeting,
                 const std::vector<std::uint32_t>& stages) {
  for (const std::uint32_t stage : stages)
    graph.nodes[add_node(graph, name, "send", stage, 0, 0, "", 1)].meeting = meeting;
}

WorkGraph three_stages() {
  WorkGraph graph;
  graph.streams = {{"messages"}};
  graph.planned = true;
  graph.stages = {0, 1, 2};
  graph.members = {{0}, {1}, {2}};
  return graph;
}

TEST(TaskOrderTest, EndsOfAMessageAreOneTask) {
  WorkGraph graph = three_stages();
  add_message(graph, "a", 0, {0, 1});
  add_message(graph, "b", 1, {1, 2});
  const TaskOrder order = task_order(graph);
  EXPECT_EQ(order.task_of, (std::vector<TaskId>{0, 0, 1, 1}));
  EXPECT_EQ(order.node_of, (std::vector<std::uint32_t>{0, 2}));
}

// Stage 1 takes part in b first, though a stands first at stage 0.
TEST(TaskOrderTest, AStageKeepsTheOrderOfItsStream) {
  WorkGraph graph = three_stages();
  add_message(graph, "a", 0, {0});
  add_message(graph, "b", 1, {1, 2});
  add_message(graph, "a", 0, {1});
  const TaskOrder order = task_order(graph);
  EXPECT_EQ(order.task_of, (std::vector<TaskId>{1, 0, 0, 1}));
  EXPECT_EQ(order.node_of, (std::vector<std::uint32_t>{1, 0}));
}

// Stage 0 waits in a for stage 1, which waits in b for stage 0.
TEST(TaskOrderTest, StagesThatWaitForEachOtherAreRefused) {
  WorkGraph graph = three_stages();
  add_message(graph, "a", 0, {0});
  add_message(graph, "b", 1, {1, 0});
  add_message(graph, "a", 0, {1});
  EXPECT_EQ(input_error_of([&] { task_order(graph); }),
            "two stages would wait for each other: each for another communication");
}

}  // namespace
}  // namespace stepcast
