// Flows that are alone on their links, and those that SimGrid moves because they meet.
#include "sim/engine/network/flow_links.hpp"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <malloc.h>

#include "tests/support/flow_arrivals.hpp"

namespace stepcast {
namespace {

using namespace literals;
using examples::arrivals_of;
using examples::far;
using examples::on_simgrid;
using examples::PortChange;
using examples::StartedFlow;

/// Ports of 10 GB/s, NICs of 1 GB/s.
Cluster four_nodes() {
  return examples::plain_cluster(4, 2);
}

// 1 MB over a NIC: 1 ms; inside a node: .1 ms. Both ways of a link are two links.
TEST(FlowLinks, AFlowAloneRunsAtItsNarrowestLink) {
  const PortFlow near{.from = 0, .to = 1, .distance = Distance::Near, .size = Bytes{1e6}};
  const auto ends = arrivals_of(
      four_nodes(), {{far(2, 4, 1e6), 0.5_ms}, {near, 0.5_ms}, {far(4, 2, 1e6), 0.5_ms}});
  EXPECT_DOUBLE_EQ(ends[0], 1.5e-3);
  EXPECT_DOUBLE_EQ(ends[1], 0.6e-3);
  EXPECT_DOUBLE_EQ(ends[2], 1.5e-3);
}

// The clock told no nanosecond apart there, and the end that was due never came.
TEST(FlowLinks, AFlowAHundredDaysOnArrives) {
  EXPECT_NEAR(arrivals_of(four_nodes(), {{far(0, 2, 1e6), Seconds{1e7}}}).front(), 1e7, 0.01);
}

// A NIC of 1 GB/s behind a port that carries 10, then .5 for 1 ms, then 10 again: 2 MB take 1 + 1 +
// .5 ms. The port of the other flow is slow before it begins: 1 MB in 2 ms.
TEST(FlowLinks, AFlowAloneIsHeldUpByPortsThatGetSlower) {
  const std::vector<StartedFlow> flows{{far(0, 2, 2e6), {}}, {far(4, 6, 1e6), 1.0_ms}};
  const std::vector<PortChange> shares{
      {1.0_ms, 0, 0.05}, {2.0_ms, 0, 1}, {0.5_ms, 6, 0.05}, {20.0_ms, 6, 1}};
  const auto ends = arrivals_of(four_nodes(), flows, shares);
  EXPECT_NEAR(ends[0], 2.5e-3, 1e-15);
  EXPECT_NEAR(ends[1], 3.0e-3, 1e-15);
}

// 2 MB at 1 GB/s; after 1 ms a second flow leaves by the same NIC: the first moves its second half
// at half the rate, to 3 ms, the other one half of its 2 MB beside it and half alone, to 4 ms. The
// third, from 10 ms on, is alone again.
TEST(FlowLinks, FlowsThatMeetShareFromThereOn) {
  const auto ends = arrivals_of(
      four_nodes(), {{far(0, 2, 2e6), {}}, {far(1, 4, 2e6), 1.0_ms}, {far(0, 2, 2e6), 10.0_ms}});
  EXPECT_NEAR(ends[0], 3e-3, 1e-12);
  EXPECT_NEAR(ends[1], 4e-3, 1e-12);
  EXPECT_DOUBLE_EQ(ends[2], 12e-3);
}

// The port was slow before SimGrid was asked: a tenth of 10 GB/s for two flows.
TEST(FlowLinks, SimGridIsToldOfPortsThatWereSlowBefore) {
  const auto near = [](Rank from, Rank to) {
    return PortFlow{.from = from, .to = to, .distance = Distance::Near, .size = Bytes{1e6}};
  };
  const Cluster node = examples::plain_cluster(1, 4);
  const auto ends = arrivals_of(node, {{near(0, 1), 1.0_ms}, {near(0, 2), 1.0_ms}},
                                {{0.5_ms, 0, 0.1}, {50.0_ms, 0, 1}});
  EXPECT_NEAR(ends[0], 3e-3, 1e-12);
  EXPECT_NEAR(ends[1], 3e-3, 1e-12);
}

// Each change was kept until SimGrid was asked, which need never be: 4 bytes and more of each.
TEST(FlowLinks, PortsThatChangeAMillionTimesTakeNoMemory) {
  struct Deaf final : FlowListener {
    void flow_arrived(std::uint32_t /*tag*/) override {}
  } deaf;
  EventQueue queue;
  const Cluster cluster = four_nodes();
  FlowLinks links(cluster, queue, deaf);
  const auto in_use = [] {
    const struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
  };
  links.set_port(0, 0.5);
  const std::size_t before = in_use();
  for (int time = 0; time < 1'000'000; ++time)
    links.set_port(0, time % 2 == 0 ? 1 : 0.5);
  EXPECT_LT(in_use(), before + 100'000);
}

// SimGrid lets what ends within a nanosecond end together: .5 bytes at 1 GB/s are half of one.
TEST(FlowLinks, EndsLessThanANanosecondApartAreOneInstant) {
  const std::vector<StartedFlow> flows{{far(0, 2, 1e6), {}}, {far(4, 6, 1e6 + 0.5), {}}};
  const auto ends = arrivals_of(four_nodes(), flows);
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_EQ(ends, on_simgrid(four_nodes(), flows));
}

class RandomFlows {
 public:
  explicit RandomFlows(std::uint32_t seed) : random_(seed), cluster_(four_nodes()) {
    if (below(2) == 0)
      cluster_.rack = RackLevel{.nodes = 2, .oversubscription = 3, .startup = 1.0_us};
    const std::uint32_t gap = 1 + below(2000);  // us; many that meet, or few
    for (int i = 0; i < 30; ++i)
      flows.push_back({flow(), Seconds{1e-6 * below(30 * gap)}});
    if (below(2) == 0)
      for (int i = 0; i < 10; ++i)
        shares.push_back({Seconds{1e-6 * below(30 * gap)}, below(8), 0.01 * (1 + below(100))});
  }

  std::vector<StartedFlow> flows;
  std::vector<PortChange> shares;
  const Cluster& cluster() const { return cluster_; }

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  PortFlow flow() {
    const Rank from = below(8);
    const Rank to = (from + 1 + below(7)) % 8;
    const double size = below(20) == 0 ? below(4) : 1e3 * below(1000);
    return {from, to, distance_of(cluster_, from, to), Bytes{size}};
  }

  std::mt19937 random_;
  Cluster cluster_;
};

TEST(FlowLinks, RandomFlowsArriveAsIfSimGridMovedAll) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const RandomFlows random(seed);
    const auto expected = on_simgrid(random.cluster(), random.flows, random.shares);
    const auto ends = arrivals_of(random.cluster(), random.flows, random.shares);
    for (std::size_t i = 0; i < ends.size(); ++i)
      ASSERT_NEAR(ends[i], expected[i], 1e-9 * expected[i] + 1e-15) << seed << ": flow " << i;
  }
}

}  // namespace
}  // namespace stepcast
