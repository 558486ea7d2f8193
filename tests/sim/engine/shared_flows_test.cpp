// Flows that are alike move as one: which are, and that all arrive as if each moved by itself.
#include "sim/engine/network/shared_flows.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "sim/engine/folding/folding_use.hpp"
#include "tests/support/flow_arrivals.hpp"

namespace stepcast {
namespace {

using namespace literals;
using examples::arrivals_of;
using examples::far;
using examples::on_simgrid;
using examples::PortChange;
using examples::StartedFlow;

/// How large the classes are of flows that start together, links being told apart by `colours`.
std::vector<std::size_t> classes_of(const Cluster& cluster, const std::vector<PortFlow>& flows,
                                    const std::vector<LinkId>& slow = {}) {
  const ClusterLinks links(cluster);
  std::vector<SharedFlow> shared;
  shared.reserve(flows.size());
  for (const PortFlow& flow : flows)
    shared.push_back({flow, links.path(flow.from, flow.to, flow.distance), flow.size, 0});
  std::vector<std::uint64_t> colours;
  for (LinkId link = 0; link < links.bandwidths().size(); ++link)
    colours.push_back(links.kind(link));
  for (const LinkId link : slow)
    colours[link] = 6;
  FlowClasses classes(colours.size());
  classes.find(shared, colours, true);
  std::vector<std::size_t> sizes;
  for (std::size_t id = 0; id < classes.count(); ++id)
    sizes.push_back(classes.at(id).size());
  return sizes;
}

/// From GPU 0 of every other node to that of `server`.
void push(std::vector<PortFlow>& flows, const Cluster& cluster, Rank server, double bytes) {
  for (Rank rank = 0; rank < cluster.ranks(); rank += cluster.gpus_per_node)
    if (rank != server)
      flows.push_back(far(rank, server, bytes));
}

/// From each to the next and to the one behind that.
std::vector<PortFlow> two_rings(std::uint32_t ranks) {
  std::vector<PortFlow> flows;
  for (Rank rank = 0; rank < ranks; ++rank)
    for (const Rank ahead : {1U, 2U})
      flows.push_back(far(rank, (rank + ahead) % ranks, 1e6));
  return flows;
}

TEST(FlowClasses, PushesToOneServerAreAlike) {
  const Cluster cluster = examples::plain_cluster(8, 2);
  std::vector<PortFlow> flows;
  push(flows, cluster, 6, 1e6);
  EXPECT_EQ(classes_of(cluster, flows), std::vector<std::size_t>{7});
}

// Two servers may change places, but each sends one push only where the six others send two. With
// sizes of their own the servers are two as well.
TEST(FlowClasses, ServersSendLessThanOtherNodes) {
  const Cluster cluster = examples::plain_cluster(8, 2);
  std::vector<PortFlow> flows;
  push(flows, cluster, 0, 1e6);
  push(flows, cluster, 2, 1e6);
  EXPECT_EQ(classes_of(cluster, flows), (std::vector<std::size_t>{2, 12}));
  flows.clear();
  push(flows, cluster, 0, 1e6);
  push(flows, cluster, 2, 2e6);
  EXPECT_EQ(classes_of(cluster, flows), (std::vector<std::size_t>{1, 6, 1, 6}));
}

// Ports that send and ports that receive take turns around a ring of sixteen. A slow one tells them
// apart by how far they are, ahead as behind. Of 100 ranks the far ones would hear of it after 50
// rounds.
TEST(FlowClasses, ASlowPortTellsRingsApart) {
  const Cluster eight = examples::plain_cluster(8, 1);
  EXPECT_EQ(classes_of(eight, two_rings(8)), std::vector<std::size_t>{16});
  EXPECT_EQ(classes_of(eight, two_rings(8), {3}), std::vector<std::size_t>(8, 2));
  const Cluster many = examples::plain_cluster(100, 1);
  EXPECT_EQ(classes_of(many, two_rings(100)), std::vector<std::size_t>{200});
  EXPECT_EQ(classes_of(many, two_rings(100), {3}), std::vector<std::size_t>(200, 1));
}

/// What SimGrid was given by the simulations of a test.
class Moved {
 public:
  std::uint64_t met() const { return folding_use().met - before_.met; }
  std::uint64_t moved() const { return folding_use().moved - before_.moved; }
  std::uint64_t parted() const { return folding_use().parted - before_.parted; }

 private:
  FoldingUse before_ = folding_use();
};

/// Nodes 1 to 3 send node 0, a NIC of 1 GB/s, 1 MB each: a third of it a ms.
std::vector<StartedFlow> three() {
  return {{far(2, 0, 1e6), {}}, {far(4, 0, 1e6), {}}, {far(6, 0, 1e6), {}}};
}

TEST(SharedFlows, ThreeAlikeMoveAsOne) {
  const Moved count;
  for (const double end : arrivals_of(examples::plain_cluster(4, 2), three()))
    EXPECT_NEAR(end, 3e-3, 1e-12);
  EXPECT_EQ(count.met(), 3U);
  EXPECT_EQ(count.moved(), 1U);
}

// After 1 ms three more leave node 1, whose NIC then has a quarter for each: 2/3 MB are left to
// all, nodes 2 and 3 have .375 GB/s each, until 2.778 ms, node 1 .25, until 3.667 ms.
TEST(SharedFlows, NewOnesThatTellLinksApartTakeAClassApart) {
  std::vector<StartedFlow> flows = three();
  for (const Rank to : {4U, 6U, 4U})
    flows.push_back({far(2, to, 9e6), 1.0_ms});
  const Moved count;
  const auto ends = arrivals_of(examples::plain_cluster(4, 2), flows);
  EXPECT_NEAR(ends[0], 1e-3 + 2e-3 / 3 / 0.25, 1e-12);
  EXPECT_NEAR(ends[1], 1e-3 + 2e-3 / 3 / 0.375, 1e-12);
  EXPECT_NEAR(ends[2], ends[1], 1e-15);
  EXPECT_EQ(count.parted(), 1U);
}

// A port of 10 GB/s that carries .02 of it: .2 GB/s, which leaves .4 to the others.
TEST(SharedFlows, APortThatGetsSlowerTakesItsClassApart) {
  const Moved count;
  const auto ends =
      arrivals_of(examples::plain_cluster(4, 2), three(), {{1.0_ms, 2, 0.02}, {90.0_ms, 2, 1}});
  EXPECT_NEAR(ends[1], 1e-3 + 2e-3 / 3 / 0.4, 1e-12);
  EXPECT_NEAR(ends[0], 1e-3 + 2e-3 / 3 / 0.2, 1e-12);
  EXPECT_EQ(count.parted(), 1U);
}

TEST(SharedFlows, PortsThatAllGetSlowerLeaveAClassWhole) {
  const Moved count;
  const auto ends = arrivals_of(examples::plain_cluster(4, 2), three(),
                                {{1.0_ms, 2, 0.02}, {1.0_ms, 4, 0.02}, {1.0_ms, 6, 0.02}});
  for (const double end : ends)
    EXPECT_NEAR(end, 1e-3 + 2e-3 / 3 / 0.2, 1e-12);
  EXPECT_EQ(count.parted(), 0U);
  EXPECT_EQ(count.moved(), 1U);
}

/// Collectives that overlap: pushes, pulls, rings and exchanges of all nodes or of some, between
/// all GPUs or the first of nodes, and ports that get slower, all or some.
class RandomTraffic {
 public:
  explicit RandomTraffic(std::uint32_t seed) : random_(seed), cluster_(random_cluster()) {
    const std::uint32_t gap = 200 + below(3000);  // us
    for (std::uint32_t i = 1 + below(4); i > 0; --i)
      add_collective(Seconds{1e-6 * gap * below(5)});
    if (below(3) != 0)
      return;
    for (std::uint32_t i = 1 + below(3); i > 0; --i)
      add_changes(Seconds{1e-6 * below(5 * gap)});
  }

  std::vector<StartedFlow> flows;
  std::vector<PortChange> shares;
  const Cluster& cluster() const { return cluster_; }

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  Cluster random_cluster() {
    Cluster cluster = examples::plain_cluster(3 + below(6), 1U << below(3));
    if (below(3) == 0)
      cluster.rack = RackLevel{.nodes = 2, .oversubscription = 3, .startup = 1.0_us};
    return cluster;
  }

  std::vector<Rank> members() {
    const bool first_only = below(3) == 0;
    const std::uint32_t nodes = below(5) == 0 ? 2 + below(cluster_.nodes - 1) : cluster_.nodes;
    std::vector<Rank> ranks;
    for (Rank rank = 0; rank < nodes * cluster_.gpus_per_node; ++rank)
      if (!first_only || rank % cluster_.gpus_per_node == 0)
        ranks.push_back(rank);
    if (below(6) == 0)
      std::ranges::shuffle(ranks, random_);
    return ranks;
  }

  void add_collective(Seconds at) {
    const std::vector<Rank> ranks = members();
    const auto count = static_cast<std::uint32_t>(ranks.size());
    const Bytes size{1e5 * (1 + below(10))};
    const std::uint32_t kind = below(4);
    const Rank root = ranks[below(count)];
    const bool unequal = below(8) == 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Bytes own = unequal ? size * (1 + below(3)) : size;
      if (kind == 0)
        add(ranks[i], root, own, at);
      if (kind == 1)
        add(root, ranks[i], own, at);
      if (kind == 2)
        add(ranks[i], ranks[(i + 1) % count], own, at);
      for (std::uint32_t k = 1; kind == 3 && k < std::min(count, 5U); ++k)
        add(ranks[i], ranks[(i + k) % count], own, at);
    }
  }

  void add(Rank from, Rank to, Bytes size, Seconds at) {
    if (from != to)
      flows.push_back({{from, to, distance_of(cluster_, from, to), size}, at});
  }

  void add_changes(Seconds at) {
    const double share = 0.01 * (1 + below(100));
    const bool all = below(2) == 0;
    for (Rank rank = 0; rank < cluster_.ranks(); ++rank)
      if (all || below(4) == 0)
        shares.push_back({at, rank, share});
  }

  std::mt19937 random_;
  Cluster cluster_;
};

// SimGrid keeps its links, and what they carry for others, from one simulation to the next.
TEST(SharedFlows, WhatMovedBeforeDoesNotShowInABit) {
  const Cluster cluster = examples::plain_cluster(7, 2);
  const auto ends_of = [&](std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t limit) { return static_cast<Rank>(random() % limit); };
    std::vector<StartedFlow> flows;
    for (int i = 0; i < 40; ++i) {
      std::vector<PortFlow> pushed;
      push(pushed, cluster, 2 * below(7), 1e5 * (1 + below(10)));
      const Seconds at{1e-4 * below(50)};
      for (const PortFlow& flow : pushed)
        flows.push_back({flow, at});
    }
    return arrivals_of(cluster, flows);
  };
  std::vector<std::vector<double>> ends;
  for (std::uint32_t seed = 0; seed < 30; ++seed)
    ends.push_back(ends_of(seed));
  for (std::uint32_t seed = 30; seed-- > 0;)
    EXPECT_EQ(ends_of(seed), ends[seed]) << seed;
}

TEST(SharedFlows, RandomTrafficArrivesAsIfEachFlowMovedByItself) {
  std::uint64_t met = 0, moved = 0, parted = 0;
  for (std::uint32_t seed = 0; seed < 500; ++seed) {
    const RandomTraffic random(seed);
    const auto expected = on_simgrid(random.cluster(), random.flows, random.shares);
    const Moved count;
    const auto ends = arrivals_of(random.cluster(), random.flows, random.shares);
    met += count.met();
    moved += count.moved();
    parted += count.parted();
    for (std::size_t i = 0; i < ends.size(); ++i)
      ASSERT_NEAR(ends[i], expected[i], 1e-9 * expected[i] + 1e-15) << seed << ": flow " << i;
  }
  EXPECT_LT(moved, met * 8 / 10);
  EXPECT_GT(parted, 100U);
}

}  // namespace
}  // namespace stepcast
