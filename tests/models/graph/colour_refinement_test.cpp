#include "models/graph/colour_refinement.hpp"

#include <gtest/gtest.h>

namespace stepcast {
namespace {

ColouredGraph ring_of(std::uint32_t size, std::uint64_t label = 0) {
  ColouredGraph graph;
  for (std::uint32_t i = 0; i < size; ++i)
    graph.add(0);
  for (std::uint32_t i = 0; i < size; ++i)
    graph.connect(i, (i + 1) % size, label);
  return graph;
}

TEST(EquitablePartition, VerticesOfARingAreAlike) {
  EXPECT_EQ(equitable_partition(ring_of(4)), (std::vector<std::uint32_t>{0, 0, 0, 0}));
}

TEST(EquitablePartition, ADifferenceTravelsAgainstTheArcs) {
  // 0 -> 1 -> 2 -> 3 -> 0: each is another way off the marked one.
  ColouredGraph graph = ring_of(4);
  graph.colours[1] = 7;
  EXPECT_EQ(equitable_partition(graph), (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(EquitablePartition, VerticesThatMeetDifferentNumbersAreTold) {
  // A hub with two spokes and one with one; the spokes are told by their hubs.
  ColouredGraph graph;
  for (int i = 0; i < 5; ++i)
    graph.add(0);
  for (const auto& [hub, spoke] : {std::pair{0U, 1U}, {0U, 2U}, {3U, 4U}}) {
    graph.connect(hub, spoke, 1);
    graph.connect(spoke, hub, 1);
  }
  EXPECT_EQ(equitable_partition(graph), (std::vector<std::uint32_t>{0, 1, 1, 2, 2}));
}

TEST(EquitablePartition, LabelsTellArcsApart) {
  ColouredGraph graph = ring_of(2, 1);
  graph.arcs[1].label = 2;
  EXPECT_EQ(equitable_partition(graph), (std::vector<std::uint32_t>{0, 1}));
}

}  // namespace
}  // namespace stepcast
