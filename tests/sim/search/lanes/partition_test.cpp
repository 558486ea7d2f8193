// A push and its pull, whose start-up takes 1 s and whose bytes take 1 s each.
#include "sim/search/lanes/partition.hpp"

#include <gtest/gtest.h>

#include "sim/jobs/edits/graph_replay.hpp"
#include "sim/search/step_search.hpp"
#include "tests/support/edit_graph.hpp"

namespace stepcast {
namespace {

double with_startup(const std::string& /*kind*/, const WorkNode& node, Bytes to, std::uint32_t,
                    std::uint32_t) {
  return (1 + to.value) / (1 + node.size.value);
}

double proportional(const std::string& /*kind*/, const WorkNode& node, Bytes to, std::uint32_t,
                    std::uint32_t) {
  return to / node.size;
}

std::vector<TensorHop> hops(const WorkNode& node, const std::string& kind, std::size_t count) {
  return std::vector<TensorHop>(count, {&node, &kind, Seconds{1 + node.size.value}});
}

// k* = sqrt(100 / 1); of three hops sqrt(2 * 100 / 1).
TEST(PartitionTest, AsManyPiecesAsTheirStartUpsAreWorth) {
  const std::string kind = "push";
  const WorkNode node{.size = Bytes{100}};
  EXPECT_EQ(best_parts(hops(node, kind, 2), with_startup), 10U);
  EXPECT_EQ(best_parts(hops(node, kind, 3), with_startup), 14U);
  EXPECT_EQ(best_parts(hops({.size = Bytes{2}}, kind, 2), with_startup), 2U);
  EXPECT_EQ(best_parts(hops(node, kind, 2), proportional), 16U);
}

// Ten pieces of 11 s, each pulled while the next is pushed.
TEST(PartitionTest, PiecesArePulledWhileOthersArePushed) {
  const std::string kind = "push";
  const WorkNode node{.size = Bytes{100}};
  EXPECT_NEAR(time_in_pieces(hops(node, kind, 2), 1, with_startup).value, 202, 1e-9);
  EXPECT_NEAR(time_in_pieces(hops(node, kind, 2), 10, with_startup).value, 121, 1e-9);
}

EditedStep searched(double size, const TransferRatio& ratio) {
  WorkGraph graph = push_and_pull();
  for (WorkNode& node : graph.nodes)
    if (node.communicates) {
      node.size = Bytes{size};
      node.duration = Seconds{1 + size};
    }
  EditableStep step;
  step.graphs = {graph};
  step.time = replay_graphs;
  step.ratio = ratio;
  EditedStep found;
  edit_step(step, {}, true, found);
  return found;
}

// 30 s, and 121 in ten pieces; 8 would take 121.5, and 16 123.25. It used to try two and four.
TEST(PartitionTest, TheSearchTriesTheNumberThatTheoryGives) {
  const EditedStep found = searched(100, with_startup);
  ASSERT_FALSE(found.accepted.empty());
  EXPECT_EQ(found.accepted.front().text, "cut push 0 of push (push) in 10");
  EXPECT_NEAR(found.accepted.front().step.value, 30 + 121, 1e-9);
}

// 1,000,000 bytes: k* = 1,000, of powers of two up to there 512.
TEST(PartitionTest, LargeTensorsAreCutInMany) {
  const EditedStep found = searched(1e6, with_startup);
  ASSERT_FALSE(found.accepted.empty());
  EXPECT_EQ(found.accepted.front().text, "cut push 0 of push (push) in 1000");
}

TEST(PartitionTest, WithoutStartUpItGoesOnAsFarAsItPays) {
  const EditedStep found = searched(100, proportional);
  ASSERT_FALSE(found.accepted.empty());
  EXPECT_EQ(found.accepted.front().text, "cut push 0 of push (push) in 16");
}

TEST(PartitionTest, AnEditTakesAnyNumber) {
  const WorkGraph graph = push_and_pull();
  const auto cut = [&](const char* edit) {
    return last_end(apply(graph_edit_of_text(edit), graph, {}).graph);
  };
  EXPECT_DOUBLE_EQ(cut("split work=communication parts=5"), 30 + 10 + 2);
  EXPECT_NEAR(cut("split work=communication parts=7"), 30 + 10 + 10.0 / 7, 1e-9);
}

}  // namespace
}  // namespace stepcast
