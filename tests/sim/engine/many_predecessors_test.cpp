#include <gtest/gtest.h>

#include "models/schedule/builder.hpp"
#include "sim/engine/engine.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

// 65,536 used to wrap around to none: the last task then ran at once, beside what it waits for.
TEST(ManyPredecessors, MoreThan65535AreAllWaitedFor) {
  constexpr int kPieces = 65536;
  const Workload workload = examples::uniform_workload(1, {1e-3}, {0}, 1);
  const Cluster cluster = examples::plain_cluster(1);
  Builder builder("many", workload, cluster);
  const StreamId other = builder.stream("other");
  std::vector<TaskId> pieces;
  for (int i = 0; i < kPieces; ++i)
    pieces.push_back(builder.compute("piece", Seconds{1e-6}, {.stream = other}));
  const TaskId last = builder.compute("update", Seconds{1e-3});
  builder.after(last, pieces);
  builder.next_after(pieces.front(), {last});
  const Timeline timeline = simulate(std::move(builder).build(), cluster, {.max_iterations = 4});
  // One after the other, then the update: 65,536 us + 1 ms.
  EXPECT_NEAR(timeline.iteration_time.value, kPieces * 1e-6 + 1e-3, 1e-9);
}

}  // namespace
}  // namespace stepcast
