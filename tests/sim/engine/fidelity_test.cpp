// The cheaper fidelities against the dearer ones and against closed forms.
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "models/schedule/communicate.hpp"
#include "sim/engine/engine.hpp"
#include "tests/support/examples.hpp"

namespace stepcast {
namespace {

using examples::plain_cluster;
using examples::uniform_workload;
using namespace literals;

/// A collective that starts `delay` after the beginning of the iteration, on a stream of its own.
struct Launch {
  Collective collective;
  Seconds delay{};
  std::vector<Rank> ranks;  // empty: all
};

/// End of every launch, counted from the beginning of the iteration.
std::vector<double> ends(const Cluster& cluster, const std::vector<Launch>& launches,
                         Fidelity fidelity) {
  const Workload workload = uniform_workload(1, {0}, {0}, 1);
  Builder builder("launches", workload, cluster);
  std::vector<TaskId> tasks;
  for (const Launch& launch : launches) {
    const StreamId timer = builder.stream("timer");
    const TaskId delay = builder.compute("delay", launch.delay, {.stream = timer});
    CommunicationOptions options{.stream = builder.stream("network"),
                                 .algorithm = launch.collective.algorithm,
                                 .root = launch.collective.root};
    if (!launch.ranks.empty())
      options.team = builder.group(launch.ranks);
    tasks.push_back(
        communicate(builder, launch.collective.kind, "x", launch.collective.size, options));
    builder.after(tasks.back(), {delay});
  }
  // The next iteration begins when all have ended.
  const TaskId last = builder.update("last");
  builder.after(last, tasks);
  for (TaskId task = 0; task + 1 < last; ++task)
    builder.next_after(task, {last});
  const Plan plan = std::move(builder).build();
  const Timeline timeline = simulate(plan, cluster, {.fidelity = fidelity});
  std::vector<double> result;
  for (const TaskId task : tasks) {
    const ClassId rank_class =
        timeline.class_of_rank[plan.teams[plan.graph.task(task).team].groups[0].ranks[0]];
    result.push_back((timeline.at(1, task, rank_class).end - timeline.at(1, 0, 0).start).value);
  }
  return result;
}

Collective ring_all_reduce(double bytes) {
  return {.kind = CollectiveKind::AllReduce, .algorithm = Algorithm::Ring, .size = Bytes{bytes}};
}

struct Shape {
  std::uint32_t nodes;
  std::uint32_t gpus_per_node;
};

struct Case {
  CollectiveKind kind;
  Algorithm algorithm;
  Shape shape;
};

std::vector<Case> supported_cases() {
  std::vector<Case> cases;
  for (const CollectiveKind kind : all_collective_kinds())
    for (const Algorithm algorithm : all_algorithms())
      if (supports(algorithm, kind))
        for (const Shape shape : {Shape{2, 1}, Shape{4, 1}, Shape{8, 1}, Shape{16, 1}, Shape{4, 4}})
          cases.push_back({kind, algorithm, shape});
  return cases;
}

TEST(Adapters, EightOf50AreOneOf400WhereTheWholeNodeSends) {
  Cluster one = plain_cluster(4, 8);
  one.intra_node.bandwidth = BytesPerSecond{450e9};
  one.nic = {400.0_Gbps, 3.0_us};
  Cluster eight = one;
  eight.nics = 8;
  eight.nic.bandwidth = 50.0_Gbps;
  for (const CollectiveKind kind : all_collective_kinds()) {
    if (kind == CollectiveKind::Send)
      continue;
    const Collective collective{
        .kind = kind, .algorithm = default_algorithm(kind), .size = 64.0_MiB};
    for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow, Fidelity::Step}) {
      const double expected = ends(one, {{.collective = collective}}, fidelity).front();
      EXPECT_DOUBLE_EQ(ends(eight, {{.collective = collective}}, fidelity).front(), expected)
          << name_of(kind);
      eight.nics = 4;  // And half of them are slower, in every fidelity.
      EXPECT_GT(ends(eight, {{.collective = collective}}, fidelity).front(), expected * 1.2)
          << name_of(kind);
      eight.nics = 8;
    }
  }
}

class StepEqualsFormula : public ::testing::TestWithParam<Case> {};

TEST_P(StepEqualsFormula, WithoutContention) {
  const auto& [kind, algorithm, shape] = GetParam();
  Cluster cluster = plain_cluster(shape.nodes, shape.gpus_per_node);
  cluster.intra_node.startup = Seconds{3e-6};
  cluster.nic.startup = Seconds{1e-5};
  const Collective collective{.kind = kind, .algorithm = algorithm, .size = Bytes{1e7 + 3}};
  const double expected = cost_of(collective, world_of(cluster), cluster).value;
  EXPECT_GT(expected, 0);
  const double found = ends(cluster, {{.collective = collective}}, Fidelity::Step).front();
  EXPECT_NEAR(found, expected, 1e-9 * expected);
}

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  const auto& [kind, algorithm, shape] = info.param;
  std::string name = std::string(name_of(kind)) + "_" + name_of(algorithm) + "_" +
                     std::to_string(shape.nodes) + "x" + std::to_string(shape.gpus_per_node);
  for (char& c : name)
    if (c == '-')
      c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(AllCollectives, StepEqualsFormula, ::testing::ValuesIn(supported_cases()),
                         name_of_case);

TEST(Fidelity, AnalyticIsTheClosedForm) {
  Cluster cluster = plain_cluster(16, 4);
  cluster.nic.startup = Seconds{1e-5};
  const Collective collective = ring_all_reduce(25e6);
  EXPECT_NEAR(ends(cluster, {{.collective = collective}}, Fidelity::Analytic).front(),
              cost_of(collective, world_of(cluster), cluster).value, 1e-12);
}

// The contention cases: 16 nodes of 4 GPUs, 10 Gb/s NICs, 12 us a step, ring all-reduces of 25 MB;
// A starts at 0, B half-way through A unless said otherwise.
Cluster contended_cluster() {
  Cluster cluster = plain_cluster(16, 4);
  cluster.intra_node = {.bandwidth = BytesPerSecond{12e9}, .startup = Seconds{2e-6}};
  cluster.nic = {.bandwidth = BytesPerSecond{1.25e9}, .startup = Seconds{12e-6}};
  return cluster;
}
constexpr Seconds kHalf{20.4e-3};

void expect_flow_close_to_step(const std::vector<Launch>& launches) {
  const auto step = ends(contended_cluster(), launches, Fidelity::Step);
  const auto flow = ends(contended_cluster(), launches, Fidelity::Flow);
  const Cluster cluster = contended_cluster();
  const Seconds alone = cost_of(launches[0].collective, world_of(cluster), cluster);
  for (std::size_t i = 0; i < step.size(); ++i)
    EXPECT_NEAR(flow[i], step[i], 0.02 * step[i]) << "launch " << i;
  // The cases do contend: without sharing the first one would end earlier.
  EXPECT_LT(alone.value, 0.99 * step[0]);
}

// Two collectives want 2 t of every NIC, t = 2 x 63/64 x 25 MB / 1.25 GB/s, and get it in no less.
TEST(Fidelity, AnalyticCollectivesAtOnceTakeNoMoreOfALinkThanThereIs) {
  const std::vector<Launch> two{{ring_all_reduce(25e6)}, {ring_all_reduce(25e6)}};
  const auto analytic = ends(contended_cluster(), two, Fidelity::Analytic);
  const auto flow = ends(contended_cluster(), two, Fidelity::Flow);
  const double transfers = 2 * 2 * 63.0 / 64 * 25e6 / 1.25e9;
  for (std::size_t i = 0; i < two.size(); ++i) {
    EXPECT_GE(analytic[i], transfers * (1 - 1e-9));
    EXPECT_NEAR(analytic[i], flow[i], 0.03 * flow[i]);
  }
}

TEST(Fidelity, AnalyticCollectivesOnDifferentLinksDoNotSlowEachOther) {
  const std::vector<Rank> left{0, 4, 8, 12};
  const std::vector<Rank> right{16, 20, 24, 28};
  const Collective ring = ring_all_reduce(25e6);
  const auto both =
      ends(contended_cluster(), {{ring, {}, left}, {ring, {}, right}}, Fidelity::Analytic);
  const double alone = cost_of(ring, Group{left}, contended_cluster()).value;
  EXPECT_NEAR(both[0], alone, 1e-12);
  EXPECT_NEAR(both[1], alone, 1e-12);
}

TEST(Fidelity, FlowIsWithinTwoPercentOfStepForTwoRingsAtOnce) {
  expect_flow_close_to_step({{ring_all_reduce(25e6)}, {ring_all_reduce(25e6)}});
}

TEST(Fidelity, FlowIsWithinTwoPercentOfStepForASecondRingHalfWay) {
  expect_flow_close_to_step({{ring_all_reduce(25e6)}, {ring_all_reduce(25e6), kHalf}});
}

TEST(Fidelity, FlowIsWithinTwoPercentOfStepForARingOfOneGpuANode) {
  std::vector<Rank> one_a_node;
  for (Rank node = 0; node < 16; ++node)
    one_a_node.push_back(4 * node);
  expect_flow_close_to_step({{ring_all_reduce(25e6)}, {ring_all_reduce(25e6), kHalf, one_a_node}});
}

TEST(Fidelity, FlowIsWithinTwoPercentOfStepForASmallSecondRing) {
  expect_flow_close_to_step({{ring_all_reduce(25e6)}, {ring_all_reduce(1e6), kHalf}});
}

TEST(Fidelity, FlowIsWithinTwoPercentOfStepForAPointToPointMessage) {
  // 20 MB from rank 1 to rank 22 as a broadcast in a group of two.
  const Collective message{
      .kind = CollectiveKind::Broadcast, .algorithm = Algorithm::Chain, .size = Bytes{20e6}};
  expect_flow_close_to_step({{ring_all_reduce(25e6)}, {message, Seconds{10e-3}, {1, 22}}});
}

TEST(Fidelity, FlowIsWithinTwoPercentOfStepForAnIncast) {
  const Collective message{
      .kind = CollectiveKind::Broadcast, .algorithm = Algorithm::Chain, .size = Bytes{20e6}};
  expect_flow_close_to_step({{ring_all_reduce(25e6)},
                             {message, Seconds{10e-3}, {1, 22}},
                             {message, Seconds{10e-3}, {33, 21}}});
}

TEST(Fidelity, FlowIsWithinTwoPercentOfStepForTheMeanEndOfTwentyOverlappingRings) {
  std::vector<Launch> launches{{ring_all_reduce(25e6)}};
  for (int k = 1; k < 20; ++k)
    launches.push_back({ring_all_reduce(5e6 * (1 + k % 5)), Seconds{k * 40.8e-3 / 3}});
  const auto mean_end = [&](Fidelity fidelity) {
    const auto each = ends(contended_cluster(), launches, fidelity);
    return std::accumulate(each.begin(), each.end(), 0.0) / static_cast<double>(each.size());
  };
  EXPECT_NEAR(mean_end(Fidelity::Flow), mean_end(Fidelity::Step), 0.02 * mean_end(Fidelity::Step));
  EXPECT_NEAR(mean_end(Fidelity::Analytic), mean_end(Fidelity::Step),
              0.02 * mean_end(Fidelity::Step));
}

}  // namespace
}  // namespace stepcast
