#include "models/schedule/issue_order.hpp"

#include <gtest/gtest.h>

#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

Plan plan_with(const std::vector<StreamId>& streams, const std::vector<TaskGraph::Edge>& edges) {
  std::vector<Task> tasks;
  for (const StreamId stream : streams)
    tasks.push_back({.stream = stream});
  return {.schedule = "test", .graph = TaskGraph(tasks, edges), .streams = {{"a"}, {"b"}}};
}

TEST(IssueOrder, IsThatOfThePlanWhereEdgesLeadForward) {
  EXPECT_EQ(issue_order(plan_with({0, 1, 0}, {{0, 1}})), (std::vector<TaskId>{0, 1, 2}));
}

TEST(IssueOrder, PutsATaskBehindALaterOneThatItWaitsFor) {
  // 0 waits for 2, and 1 stands behind 0 on its stream.
  EXPECT_EQ(issue_order(plan_with({0, 0, 1}, {{2, 0}})), (std::vector<TaskId>{2, 0, 1}));
}

TEST(IssueOrder, HandsACollectiveOverRightAfterTheTaskThatItWaitsFor) {
  // As backward tasks and their collectives are numbered: 3 and 4 wait for 0 and 1.
  const auto compute = TaskKind::Backward;
  const auto communication = TaskKind::Communication;
  const std::vector<Task> tasks = {{.kind = compute, .stream = 0},
                                   {.kind = compute, .stream = 0},
                                   {.kind = compute, .stream = 0},
                                   {.kind = communication, .stream = 1},
                                   {.kind = communication, .stream = 1}};
  const std::vector<TaskGraph::Edge> edges = {{0, 3}, {1, 4}};
  const Plan plan{.schedule = "test", .graph = TaskGraph(tasks, edges), .streams = {{"a"}, {"b"}}};
  EXPECT_EQ(issue_order(plan), (std::vector<TaskId>{0, 3, 1, 4, 2}));
}

TEST(IssueOrder, RefusesAWaitAgainstTheOrderOfAStream) {
  // 0 is before 1 on the stream but waits for it by way of 2.
  const Plan plan = plan_with({0, 0, 1}, {{1, 2}, {2, 0}});
  EXPECT_EQ(input_error_of([&] { issue_order(plan); }),
            "3 of 3 tasks wait for each other across the streams' orders");
}

}  // namespace
}  // namespace stepcast
