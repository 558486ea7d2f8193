#include "models/graph/predecessors.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

TEST(PredecessorsTest, EdgesAndNextEdgesAreTurnedRound) {
  const TaskGraph graph(std::vector<Task>(3), {{0, 2}, {1, 2}});
  const Predecessors predecessors =
      predecessors_of(graph, std::vector<std::pair<Predecessor, TaskId>>{{{2, 1}, 0}});
  ASSERT_EQ(predecessors.of(0).size(), 1U);
  EXPECT_EQ(predecessors.of(0)[0].task, 2U);
  EXPECT_EQ(predecessors.of(0)[0].iterations_back, 1U);
  EXPECT_TRUE(predecessors.of(1).empty());
  ASSERT_EQ(predecessors.of(2).size(), 2U);
  EXPECT_EQ(predecessors.of(2)[0].task, 0U);
  EXPECT_EQ(predecessors.of(2)[1].task, 1U);
  EXPECT_EQ(predecessors.of(2)[1].iterations_back, 0U);
}

}  // namespace
}  // namespace stepcast
