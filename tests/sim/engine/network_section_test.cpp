// Flows of a section of the cluster stand for all: as all flows do, to the last digits.
#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "models/schedule/communicate.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/folding/folding.hpp"
#include "sim/engine/folding/folding_use.hpp"
#include "sim/engine/network/flow_links.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

using namespace literals;

TaskId add(Builder& builder, const Collective& it, CommunicationOptions options = {}) {
  options.algorithm = it.algorithm;
  options.root = it.root;
  options.shares = it.shares;
  return communicate(builder, it.kind, "it", it.size, options);
}

Plan plan_of(const Workload& workload, const Cluster& cluster, const Collective& collective) {
  Builder builder("one", workload, cluster);
  builder.stream("network");
  builder.compute("first", Seconds{1e-3});
  add(builder, collective);
  return std::move(builder).build();
}

Workload no_layers() {
  return examples::uniform_workload(1, Seconds{1e-3}, Seconds{1e-3}, 1);
}

std::optional<NetworkSection> section_of(const Cluster& cluster, const Collective& collective) {
  return fold_ranks(plan_of(no_layers(), cluster, collective), cluster, {}).section;
}

void expect_section(const Cluster& cluster, const Collective& collective, std::uint32_t nodes,
                    std::uint32_t gpus) {
  const auto section = section_of(cluster, collective);
  ASSERT_TRUE(section.has_value()) << name_of(collective.algorithm);
  EXPECT_EQ(section->nodes, nodes) << name_of(collective.algorithm);
  EXPECT_EQ(section->gpus, gpus) << name_of(collective.algorithm);
}

Cluster racks() {
  Cluster cluster = examples::plain_cluster(8, 2);
  cluster.rack = RackLevel{.nodes = 4, .oversubscription = 3, .startup = 1.0_us};
  return cluster;
}

// A ring leaves every node by its last GPU; a hierarchy by all of them, alike.
TEST(NetworkSection, OneNodeStandsForARingAndOneGpuForAHierarchy) {
  const Cluster cluster = examples::plain_cluster(8, 4);
  expect_section(cluster, {.algorithm = Algorithm::Ring, .size = Bytes{1e6}}, 1, 4);
  expect_section(cluster, {.algorithm = Algorithm::HierarchicalRing, .size = Bytes{1e6}}, 1, 1);
  expect_section(cluster, {.algorithm = Algorithm::HalvingDoubling, .size = Bytes{1e6}}, 1, 1);
}

// NCCL takes a ring for the large one, and for the small one a tree, whose root sends other than
// its leaves: only the largest was looked at.
TEST(NetworkSection, ATreeThatNcclTakesForASmallAllReduceLeavesNone) {
  const Cluster cluster = examples::plain_cluster(8, 4);
  const Collective large{.algorithm = Algorithm::Nccl, .size = Bytes{1e9}};
  const Collective small{.algorithm = Algorithm::Nccl, .size = Bytes{64}};
  ASSERT_TRUE(section_of(cluster, large));
  ASSERT_FALSE(section_of(cluster, small));
  const Workload workload = no_layers();
  Builder builder("two", workload, cluster);
  builder.stream("network");
  add(builder, small);
  add(builder, large);
  EXPECT_FALSE(fold_ranks(std::move(builder).build(), cluster, {}).section);
}

TEST(NetworkSection, OneRackStandsForAllRacksIfTheyAreEquallyLarge) {
  expect_section(racks(), {.algorithm = Algorithm::Ring, .size = Bytes{1e6}}, 4, 2);
  Cluster cut = racks();
  cut.nodes = 7;
  EXPECT_FALSE(section_of(cut, {.algorithm = Algorithm::Ring, .size = Bytes{1e6}}));
}

// A push to node 3: nodes differ, but GPU i of each sends to GPU i of node 3.
TEST(NetworkSection, OneGpuOfEachNodeStandsForAParameterServer) {
  expect_section(examples::plain_cluster(8, 4),
                 {.kind = CollectiveKind::Reduce,
                  .algorithm = Algorithm::Star,
                  .size = Bytes{1e6},
                  .root = 12},
                 8, 1);
}

TEST(NetworkSection, RootsAndUnequalSharesTellNodesAndGpusApart) {
  const Cluster cluster = examples::plain_cluster(4, 2);
  EXPECT_FALSE(section_of(
      cluster,
      {.kind = CollectiveKind::Broadcast, .algorithm = Algorithm::Chain, .size = Bytes{1e6}}));
  EXPECT_FALSE(section_of(cluster, {.kind = CollectiveKind::AllToAll,
                                    .algorithm = Algorithm::Pairwise,
                                    .size = Bytes{1e6},
                                    .shares = {1, 2, 3, 4, 5, 6, 7, 8}}));
}

// The folded cluster has one NIC for each node, as fast as all its adapters.
TEST(NetworkSection, AllAdaptersOfANodeCount) {
  Cluster cluster = examples::plain_cluster(4, 4);
  cluster.nics = 3;
  const Plan plan =
      plan_of(no_layers(), cluster, {.algorithm = Algorithm::HierarchicalRing, .size = Bytes{3e6}});
  EngineOptions options;
  const Timeline folded = simulate(plan, cluster, options);
  options.fold = false;
  const Timeline all = simulate(plan, cluster, options);
  EXPECT_NEAR(folded.iteration_time / all.iteration_time, 1, 1e-9);
}

/// Plans of collectives of all ranks, sometimes of some of them.
class RandomJob {
 public:
  explicit RandomJob(std::uint32_t seed) : random_(seed), cluster_(random_cluster()) {}

  const Cluster& cluster() const { return cluster_; }

  Plan plan() {
    const Workload workload = no_layers();
    Builder builder("random", workload, cluster_);
    std::vector<StreamId> streams;
    for (int i = 0; i < 3; ++i)
      streams.push_back(builder.stream("any"));
    mode_ = below(3);
    const TeamId some = builder.group(some_ranks());
    TaskId last = builder.compute("first", Seconds{1e-4});
    for (std::uint32_t i = 3 + below(6); i > 0; --i) {
      CommunicationOptions options{.stream = streams[below(3)], .after = {last}};
      if (mode_ == 0 && below(4) == 0)
        options.team = some;
      add(builder, collective(options.team == some), options);
      if (below(2) == 0)
        last = builder.compute("more", Seconds{1e-5 * below(20)});
    }
    return std::move(builder).build();
  }

  std::map<Rank, double> stragglers() {
    if (below(4) != 0)
      return {};
    return {{below(cluster_.ranks()), 1.5}};
  }

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  Cluster random_cluster() {
    Cluster cluster = examples::plain_cluster(2U << below(4), 1U << below(3));
    if (below(4) == 0)
      cluster.nodes = 3 + below(5);
    if (below(2) == 0)
      cluster.overlap.communication_slowdown = 0.5 + below(15);
    if (below(3) == 0)
      cluster.rack = RackLevel{.nodes = 2, .oversubscription = 2, .startup = 5.0_us};
    if (below(3) == 0)
      cluster.nics = 2;
    return cluster;
  }

  std::vector<Rank> some_ranks() {
    std::vector<Rank> ranks;
    for (Rank rank = 0; rank < cluster_.ranks() / 2; ++rank)
      ranks.push_back(rank);
    return ranks;
  }

  // Mode 0: any, 1: as from every node, 2: as from every GPU of a node.
  Collective collective(bool half) {
    static const std::vector<Collective> kinds{
        {.kind = CollectiveKind::AllReduce, .algorithm = Algorithm::Ring},
        {.kind = CollectiveKind::AllGather, .algorithm = Algorithm::HierarchicalRing},
        {.kind = CollectiveKind::ReduceScatter, .algorithm = Algorithm::HalvingDoubling},
        {.kind = CollectiveKind::Reduce, .algorithm = Algorithm::Star},
        {.kind = CollectiveKind::AllToAll, .algorithm = Algorithm::Pairwise},
        {.kind = CollectiveKind::AllReduce, .algorithm = Algorithm::DoubleBinaryTree},
        {.kind = CollectiveKind::Broadcast, .algorithm = Algorithm::Chain}};
    Collective made = kinds[mode_ == 0 ? below(7) : mode_ == 1 ? below(3) : 1 + below(3)];
    made.size = Bytes{1e5 * (1 + below(40))};
    if (half)  // of the nodes may be half a node, which is not for all algorithms
      made = {.algorithm = Algorithm::Ring, .size = made.size};
    if (made.kind == CollectiveKind::Reduce || made.kind == CollectiveKind::Broadcast)
      made.root = below(cluster_.ranks());
    if (mode_ == 0 && made.kind == CollectiveKind::AllToAll && below(2) == 0)
      for (Rank rank = 0; rank < cluster_.ranks(); ++rank)
        made.shares.push_back(1 + below(3));
    return made;
  }

  std::uint32_t mode_ = 0;
  std::mt19937 random_;
  Cluster cluster_;
};

TEST(NetworkSection, RandomPlansTakeAsLongAsWithAllFlows) {
  std::set<std::pair<bool, bool>> seen;  // fewer nodes, fewer GPUs
  int whole = 0;
  for (std::uint32_t seed = 0; seed < 250; ++seed) {
    RandomJob job(seed);
    const Plan plan = job.plan();
    EngineOptions options{.stragglers = job.stragglers(), .max_iterations = 6};
    const auto section = fold_ranks(plan, job.cluster(), options).section;
    if (section)
      seen.emplace(section->nodes < job.cluster().nodes,
                   section->gpus < job.cluster().gpus_per_node);
    else
      ++whole;
    const Timeline folded = simulate(plan, job.cluster(), options);
    options.fold = false;  // all flows on SimGrid: neither folded nor looked at alone
    options.engine = EventEngine::SimGrid;
    const Timeline all = simulate(plan, job.cluster(), options);
    ASSERT_NEAR(folded.iteration_time / all.iteration_time, 1, 1e-9) << seed;
    for (TaskId task = 0; task < plan.graph.size(); ++task)
      for (Rank rank = 0; rank < job.cluster().ranks(); ++rank)
        ASSERT_NEAR((folded.at(1, task, folded.class_of_rank[rank]).end - folded.begin).value,
                    (all.at(1, task, all.class_of_rank[rank]).end - all.begin).value,
                    1e-9 * all.iteration_time.value + 2e-9)  // SimGrid's own precision
            << seed << ": task " << task << ", rank " << rank;
  }
  EXPECT_EQ(seen.size(), 3U);
  EXPECT_GT(whole, 50);
  EXPECT_LT(whole, 200);
}

// A ring of all ranks folds, a broadcast from one of them does not; analytic has no flows.
TEST(NetworkSection, HowOftenAllFlowsMoveIsCounted) {
  const Cluster cluster = examples::plain_cluster(4, 2);
  const Collective ring{.algorithm = Algorithm::Ring, .size = Bytes{1e6}};
  Collective chain{.kind = CollectiveKind::Broadcast, .algorithm = Algorithm::Chain};
  chain.size = ring.size;
  const FoldingUse before = folding_use();
  for (const Collective& collective : {ring, chain, ring})
    simulate(plan_of(no_layers(), cluster, collective), cluster, {});
  simulate(plan_of(no_layers(), cluster, ring), cluster, {.fidelity = Fidelity::Analytic});
  simulate(plan_of(no_layers(), cluster, ring), cluster, {.fold = false});
  EXPECT_EQ(folding_use().simulations - before.simulations, 3U);
  EXPECT_EQ(folding_use().folded - before.folded, 2U);
  EXPECT_EQ(in_words({.simulations = 3, .folded = 2}), "flows were folded in 2 of 3 simulations");
  EXPECT_EQ(in_words({.simulations = 3, .folded = 2, .met = 9, .moved = 4, .parted = 1}),
            "flows were folded in 2 of 3 simulations; SimGrid moved 9 flows as 4, of which 1 were "
            "taken apart");
}

}  // namespace
}  // namespace stepcast
