// Folded equals unfolded, on random layouts: axes, teams, sends, priorities, negotiations, places,
// stragglers, with times that fall together.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "models/base/error.hpp"
#include "models/network/layout.hpp"
#include "models/schedule/builder.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/folding/folding_use.hpp"
#include "sim/engine/network/flow_links.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kRanks = 64;

class RandomCase {
 public:
  explicit RandomCase(std::uint32_t seed)
      : random_(seed), cluster_(random_cluster()), layout_(cluster_, random_axes()) {}

  const Cluster& cluster() const { return cluster_; }

  std::map<Rank, double> stragglers() {
    std::map<Rank, double> stragglers;
    for (std::uint32_t i = below(3); i > 0; --i)
      stragglers[below(kRanks)] = 1.25 + 0.25 * below(3);
    return stragglers;
  }

  // All edges lead forward, so that an order exists in which in-order streams can run.
  Plan plan() {
    const Workload workload = examples::uniform_workload(1, {1e-3}, {1e-3}, 1);
    Builder builder("random", workload, cluster_);
    for (int i = 0; i < 3; ++i)
      streams_.push_back(builder.stream("any"));
    const std::uint32_t policy = below(8);
    if (policy == 0)
      streams_.push_back(builder.stream("by priority", ByPriority{.credit = Bytes{2e5}}));
    if (policy == 1)
      streams_.push_back(builder.stream(
          "negotiated", Negotiated{.cycle = Seconds{1e-4}, .per_cycle = Seconds{1e-5}}));
    add(builder.compute("first", time()), all_ranks());
    for (std::uint32_t i = 8 + below(12); i > 0; --i)
      add_task(builder);
    for (std::uint32_t i = 1 + below(3); i > 0; --i)
      add_edge([&](TaskId from, TaskId to) { builder.next_after(from, {to}); });
    return std::move(builder).build();
  }

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
  Seconds time() { return Seconds{1e-4 * (1 + below(7))}; }
  Bytes size() { return Bytes{1e5 * (1 + below(5))}; }

  template <class Item>
  const Item& any(const std::vector<Item>& list) {
    return list[below(static_cast<std::uint32_t>(list.size()))];
  }

  Cluster random_cluster() {
    const std::uint32_t per_node = 1U << below(4);
    Cluster cluster = examples::plain_cluster(kRanks / per_node, per_node);
    cluster.intra_node.startup = Seconds{6e-6};
    cluster.nic.startup = Seconds{15e-6};
    cluster.software.collective_launch = Seconds{2e-5};
    if (below(2) == 0)
      cluster.overlap.compute_slowdown = 0.07;
    if (below(2) == 0)
      cluster.overlap.communication_slowdown = 1.5;
    if (below(4) == 0)
      cluster.overlap.launch_wait = 0.25;
    if (below(3) == 0)
      cluster.rack = RackLevel{.nodes = 4, .oversubscription = 2, .startup = Seconds{5e-6}};
    return cluster;
  }

  std::vector<Layout::Size> random_axes() {
    std::vector<Layout::Size> axes{{Axis::Tensor, 1}, {Axis::Data, 1}, {Axis::Pipeline, 1}};
    for (std::uint32_t left = kRanks; left > 1; left /= 2)
      axes[below(3)].size *= 2;
    std::ranges::shuffle(axes, random_);
    return axes;
  }

  Axis random_axis() {
    return any(std::vector{Axis::Tensor, Axis::Data, Axis::Pipeline, Axis::Node, Axis::Local});
  }

  Team random_team() {
    for (;;) {
      const Axis axis = random_axis();
      const Axis fixed = random_axis();
      try {
        const TeamChoice all = below(5) == 0 ? layout_.world() : layout_.along(axis);
        return below(2) == 0 ? Team(all) : Team(all.at(fixed, below(layout_.size(fixed))));
      } catch (const InputError&) {  // such ranks never meet; another one
      }
    }
  }

  Team random_pairs() {
    for (;;) {
      const Axis axis = random_axis();
      try {
        const TeamChoice ahead = layout_.shift(axis, below(2) == 0 ? 1 : -1);
        return below(3) == 0 ? Team(ahead) : Team(ahead.at(axis, below(layout_.size(axis))));
      } catch (const InputError&) {
      }
    }
  }

  void add_task(Builder& builder) {
    const std::uint32_t kind = below(8);
    const Team team = kind == 3 ? random_pairs() : random_team();
    const TeamId id = builder.team(team);
    if (kind < 3) {
      add(builder.compute("compute", time(),
                          {.team = id, .stream = below(3) == 0 ? streams_[0] : 0}),
          team);
    } else {
      const CommunicationOptions options{.stream = any(streams_),
                                         .team = id,
                                         .root = below(team.group_size()),
                                         .priority = static_cast<std::int32_t>(below(3))};
      add(communicate(builder, kind, options), team);
    }
    for (std::uint32_t i = below(4); i > 0; --i)
      add_edge([&](TaskId from, TaskId to) { builder.after(to, {from}); });
  }

  TaskId communicate(Builder& builder, std::uint32_t kind, const CommunicationOptions& options) {
    switch (kind) {
      case 3:
        return builder.send("send", size(), options);
      case 4:
        return builder.broadcast("broadcast", size(), options);
      case 5:
        return builder.all_to_all("all-to-all", size(), options);
      case 6:
        return builder.all_gather("all-gather", size(), options);
      default:
        return builder.all_reduce("all-reduce", size(), options);
    }
  }

  // Between two tasks of different ids that share a rank, if the draw finds such.
  template <class Add>
  void add_edge(Add add_it) {
    const std::uint32_t a = below(static_cast<std::uint32_t>(tasks_.size()));
    const std::uint32_t b = below(static_cast<std::uint32_t>(tasks_.size()));
    const auto& [from, to] = std::minmax(a, b);
    bool common = false;
    for (Rank rank = 0; rank < kRanks; ++rank)
      common |= members_[from][rank] && members_[to][rank];
    if (from != to && common)
      add_it(tasks_[from], tasks_[to]);
  }

  Team all_ranks() const { return world_team(cluster_); }

  void add(TaskId task, const Team& team) {
    tasks_.push_back(task);
    std::vector<bool>& members = members_.emplace_back(kRanks);
    for (const Group& group : team.groups)
      for (const Rank rank : group.ranks)
        members[rank] = true;
  }

  std::mt19937 random_;
  Cluster cluster_;
  Layout layout_;
  std::vector<StreamId> streams_;
  std::vector<TaskId> tasks_;
  std::vector<std::vector<bool>> members_;
};

/// Times are printed with six digits; SimGrid takes what is less than a nanosecond apart as equal.
void expect_same(const Plan& plan, const Timeline& folded, const Timeline& unfolded) {
  const double digit = folded.iteration_time.value * 1e-7 + 2e-9;
  ASSERT_NEAR(folded.iteration_time.value, unfolded.iteration_time.value, digit);
  ASSERT_EQ(folded.iterations, unfolded.iterations);
  for (TaskId task = 0; task < plan.graph.size(); ++task)
    for (Rank rank = 0; rank < kRanks; ++rank) {
      const Interval& one = folded.at(1, task, folded.class_of_rank[rank]);
      const Interval& all = unfolded.at(1, task, unfolded.class_of_rank[rank]);
      ASSERT_NEAR((one.start - folded.begin).value, (all.start - unfolded.begin).value, digit)
          << "start of task " << task << " on rank " << rank;
      ASSERT_NEAR((one.end - folded.begin).value, (all.end - unfolded.begin).value, digit)
          << "end of task " << task << " on rank " << rank;
    }
}

/// Classes over all layouts, of 64 each.
std::size_t compare_layouts(Fidelity fidelity, std::uint32_t layouts) {
  std::size_t classes = 0;
  for (std::uint32_t seed = 0; seed < layouts; ++seed) {
    RandomCase random(seed);
    const Plan plan = random.plan();
    EngineOptions options{.fidelity = fidelity,
                          .stragglers = random.stragglers(),
                          .max_iterations = fidelity == Fidelity::Step ? 3U : 6U};
    const Timeline folded = simulate(plan, random.cluster(), options);
    options.fold = false;
    if (fidelity == Fidelity::Flow)  // all flows on SimGrid: neither folded nor looked at alone
      options.engine = EventEngine::SimGrid;
    const Timeline unfolded = simulate(plan, random.cluster(), options);
    EXPECT_EQ(unfolded.classes.size(), kRanks);
    classes += folded.classes.size();
    SCOPED_TRACE(testing::Message() << "layout " << seed << ", streams " << plan.streams.size());
    expect_same(plan, folded, unfolded);
    if (testing::Test::HasFailure())
      return 0;
  }
  return classes;
}

TEST(FoldingProperty, FoldedEqualsUnfoldedAtAnalytic) {
  constexpr std::uint32_t kLayouts = 300;
  EXPECT_LT(compare_layouts(Fidelity::Analytic, kLayouts), kLayouts * kRanks * 6 / 10);
}

TEST(FoldingProperty, FoldedEqualsUnfoldedAtFlow) {
  constexpr std::uint32_t kLayouts = 200;
  const FoldingUse before = folding_use();
  EXPECT_LT(compare_layouts(Fidelity::Flow, kLayouts), kLayouts * kRanks * 9 / 10);
  // Some assumed foldings must be refuted, and most hold.
  const std::uint32_t refuted = folding_use().refuted - before.refuted;
  RecordProperty("refuted", std::to_string(refuted));
  EXPECT_GT(refuted, 0U);
  EXPECT_LT(refuted, kLayouts / 2);
}

TEST(FoldingProperty, FoldedEqualsUnfoldedAtStep) {
  constexpr std::uint32_t kLayouts = 10;
  EXPECT_LT(compare_layouts(Fidelity::Step, kLayouts), kLayouts * kRanks);
}

}  // namespace
}  // namespace stepcast
