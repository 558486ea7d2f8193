// Merged, partitioned, sharded, served and delayed schedules where the result has a closed form.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "sim/engine/engine.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

using examples::plain_cluster;
using examples::uniform_workload;

double iteration(const std::string& schedule, const Workload& workload, const Cluster& cluster,
                 const ScheduleOptions& options = {}, Fidelity fidelity = Fidelity::Flow) {
  const Timeline timeline =
      simulate(build_plan(schedule, workload, cluster, options), cluster, {.fidelity = fidelity});
  EXPECT_TRUE(timeline.steady);
  return timeline.mean_iteration_time().value;
}

// 10 layers, FF 1 ms and BP 2 ms each, 4 MB each: 40 MB in all. On 4 nodes at 1 GB/s an all-reduce
// of a layer takes 6 ms, a reduce-scatter or all-gather 3 ms.
const Workload kHeavy = uniform_workload(10, {1e-3}, {2e-3}, 1'000'000);
const Workload kLight = uniform_workload(10, {1e-3}, {2e-3}, 10'000);

// Without start-up, merging gains nothing and costs nothing: WFBP's 10 + 2 + 60 ms.
TEST(MgWfbp, EqualsWfbpWithoutStartup) {
  EXPECT_NEAR(iteration("mg-wfbp", kHeavy, plain_cluster(4)), 0.072, 1e-9);
}

// Start-up 6 * 0.5 ms = 3 ms an all-reduce, above the 2 ms between two gradients: all that are held
// back join, and everything goes in one: 10 + 20 + 3 + 60 ms at the latest; WFBP pays ten
// start-ups.
TEST(MgWfbp, SavesStartups) {
  Cluster slow = plain_cluster(4);
  slow.nic.startup = Seconds{0.5e-3};
  const double merged = iteration("mg-wfbp", kLight, slow);
  EXPECT_NEAR(iteration("wfbp", kLight, slow), 0.010 + 0.002 + 10 * 0.00306, 1e-9);
  // Every gradient waits 2 ms < 3 ms for the next one: a single all-reduce after the backward pass.
  EXPECT_NEAR(merged, 0.030 + 0.003 + 0.0006, 1e-9);
}

// Two layers: the first gradient is ready at 2 ms, the second at 4 ms; 6 ms each alone. From 4 ms
// they share the network: the first ends at 4 + 2 * 4 = 12 ms, the second at 14 ms. FF is 2 ms.
TEST(AscWfbp, TwoAllReducesShareTheNetwork) {
  const Workload two = uniform_workload(2, {1e-3}, {2e-3}, 1'000'000);
  EXPECT_NEAR(iteration("asc-wfbp", two, plain_cluster(4)), 0.016, 1e-9);
  const Plan plan = build_plan("asc-wfbp", two, plain_cluster(4), {});
  const Timeline timeline = simulate(plan, plain_cluster(4), {});
  const auto last = static_cast<TaskId>(plan.graph.size() - 1);
  EXPECT_NEAR((timeline.at(1, last - 1, 0).end - timeline.begin).value, 0.014, 1e-9);
  EXPECT_NEAR((timeline.at(1, last, 0).end - timeline.begin).value, 0.016, 1e-9);
}

TEST(Ideal, IsTheLongerOfComputeAndCommunication) {
  Cluster cluster = plain_cluster(4);
  cluster.overlap = {.compute_slowdown = 0.5, .launch_wait = 0.5};
  cluster.software.collective_launch = Seconds{1e-3};
  EXPECT_NEAR(iteration("ideal", kHeavy, cluster), 0.060, 1e-9);
  EXPECT_NEAR(iteration("ideal", kLight, cluster), 0.030, 1e-9);
}

// Ten all-reduces take 60 ms without a gap from the one of layer 9, the first to be ready. By
// priority the one of layer 8 comes last, because 9 went when nothing else was ready. Then FF of 8
// and 9 and BP of 9 until the next can start: 60 + 1 + 1 + 2 ms.
TEST(ByteScheduler, StrictPriorityHasAClosedForm) {
  EXPECT_NEAR(iteration("bytescheduler", kHeavy, plain_cluster(4), {{"credit", "0B"}}), 0.064,
              1e-9);
}

TEST(ByteScheduler, HooksAddToComputeAndNegotiationToCommunication) {
  // Compute-bound: 10 hooks of 1 ms. The all-reduce of layer 0, 0.06 ms, cannot be hidden.
  EXPECT_NEAR(iteration("bytescheduler", kLight, plain_cluster(4), {{"hook", "1ms"}}), 0.04006,
              1e-9);
  // Communication-bound: 20 partitions of 2 MB, 1 ms each.
  const ScheduleOptions negotiated{{"negotiation", "1ms"}, {"partition", "2MB"}, {"credit", "0B"}};
  EXPECT_GE(iteration("bytescheduler", kHeavy, plain_cluster(4), negotiated), 0.080);
}

TEST(ByteScheduler, IsNeverBelowIdeal) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    const auto uniform = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    Workload workload = uniform_workload(1 + seed % 7, {}, {}, 1);
    for (Layer& layer : workload.layers) {
      layer.forward = Seconds{uniform(0, 2e-3)};
      layer.backward = Seconds{uniform(0, 4e-3)};
      layer.parameters[0].elements = static_cast<std::uint64_t>(uniform(1, 3e6));
    }
    Cluster cluster = plain_cluster(1 + seed % 5, 1 + seed % 3);
    cluster.nic.startup = Seconds{uniform(0, 3e-5)};
    cluster.overlap.compute_slowdown = uniform(0, 0.2);
    for (const char* credit : {"0B", "4MB", "64MB"})
      for (const char* partition : {"500kB", "16MB"})
        for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow}) {
          const ScheduleOptions options{{"credit", credit}, {"partition", partition}};
          EXPECT_GE(iteration("bytescheduler", workload, cluster, options, fidelity),
                    iteration("ideal", workload, cluster, {}, fidelity) * (1 - 1e-9))
              << "seed " << seed << " credit " << credit << " partition " << partition;
        }
  }
}

double bytes_sent(const Plan& plan, std::uint32_t ranks) {
  double sum = 0;
  for (const PlannedCollective& planned : plan.collectives)
    sum += sent_per_rank(planned.collective, ranks).value;
  return sum;
}

// In parts of (P-1)/P of the 40 MB: 2 for stages 1 and 2, 3 for stage 3. With 4 passes stage 2
// reduce-scatters 4 times and gathers once, stage 3 does everything 4 times.
TEST(Zero, SendsTheVolumesOfItsPaper) {
  const auto parts = [](const char* stage, const char* passes) {
    const Plan plan =
        build_plan("zero", kHeavy, plain_cluster(4), {{"stage", stage}, {"accumulation", passes}});
    return bytes_sent(plan, 4) / (0.75 * 40e6);
  };
  EXPECT_NEAR(parts("1", "1"), 2, 1e-9);
  EXPECT_NEAR(parts("2", "1"), 2, 1e-9);
  EXPECT_NEAR(parts("3", "1"), 3, 1e-9);
  EXPECT_NEAR(parts("1", "4"), 2, 1e-9);
  EXPECT_NEAR(parts("2", "4"), 5, 1e-9);
  EXPECT_NEAR(parts("3", "4"), 12, 1e-9);
}

// Each layer a unit. BP: the first reduce-scatter starts at 2 ms, ten of 3 ms: 32 ms. Then FF: ten
// times 3 + 1 ms without prefetch; with prefetch the gathers follow one another: 30 + 1 ms.
TEST(Zero, PrefetchHidesTheForwardPass) {
  EXPECT_NEAR(iteration("zero", kHeavy, plain_cluster(4), {{"unit", "4MB"}, {"prefetch", "0"}}),
              0.032 + 0.040, 1e-9);
  EXPECT_NEAR(iteration("zero", kHeavy, plain_cluster(4), {{"unit", "4MB"}, {"prefetch", "1"}}),
              0.032 + 0.031, 1e-9);
}

// Light gradients, 0.03 ms each, no prefetch: ten gathers in FF are exposed. In BP a gather and the
// reduce-scatter of the unit before start together and share the network: 0.06 ms, nine times; the
// first gather and the last reduce-scatter have it for themselves.
TEST(Zero, StageThreeGathersTwice) {
  EXPECT_NEAR(iteration("zero", kLight, plain_cluster(4),
                        {{"stage", "3"}, {"unit", "40kB"}, {"prefetch", "0"}}),
              0.030 + 10 * 0.03e-3 + 9 * 0.06e-3 + 2 * 0.03e-3, 1e-9);
}

// round = max(K c, (K - d) c + AR) with c = 30 ms and AR = 60 ms.
TEST(Delayed, FollowsItsFormula) {
  const auto round = [](const char* steps, const char* delay) {
    return iteration("delayed", kHeavy, plain_cluster(4),
                     {{"local_steps", steps}, {"delay", delay}});
  };
  EXPECT_NEAR(round("1", "1"), 0.060, 1e-9);
  EXPECT_NEAR(round("2", "2"), 0.060, 1e-9);
  EXPECT_NEAR(round("4", "1"), 0.150, 1e-9);
  EXPECT_NEAR(round("4", "4"), 0.120, 1e-9);
  const Plan plan = build_plan("delayed", kHeavy, plain_cluster(4), {{"local_steps", "4"}});
  EXPECT_EQ(steps_of(plan), 4U);
  EXPECT_EQ(plan.summary.passes, 1U);
}

TEST(Delayed, RefusesADelayBeyondTheRound) {
  EXPECT_EQ(input_error_of([] {
              build_plan("delayed", kHeavy, plain_cluster(4), {{"delay", "2"}});
            }),
            "delayed: option delay: expected at most local_steps (1), found 2");
}

// Backward first, so that communication adds to the 30 ms of compute; 4,000 partitions: the pulls
// of the last at each server, which nothing overlaps, stay below 1 %.
double ps_communication(std::uint32_t nodes, ScheduleOptions options,
                        Fidelity fidelity = Fidelity::Flow) {
  options.insert({{"partition", "10kB"}, {"start", "backward_end"}});
  return iteration("ps", kHeavy, plain_cluster(nodes), options, fidelity) - 0.030;
}

TEST(Ps, ColocatedFollowsTheFormulaOfBytePs) {
  for (const std::uint32_t n : {2U, 4U, 8U}) {
    const double expected = 2.0 * (n - 1) * 40e6 / (n * 1e9);
    EXPECT_NEAR(ps_communication(n, {}), expected, 0.01 * expected) << n;
  }
}

// A server takes the pushes of n - 1 other nodes and sends as many sums, of M/k bytes if k of n
// nodes serve, while it pushes to the k - 1 other servers: (n-1) M/k + (k-1) M/k each way.
TEST(Ps, FewerColocatedServersThanNodesAreBusyLonger) {
  for (const auto& [n, k] : {std::pair{4U, 1U}, {4U, 2U}, {8U, 2U}, {8U, 4U}}) {
    const double expected = (n + k - 2.0) * 40e6 / (k * 1e9);
    EXPECT_NEAR(ps_communication(n, {{"servers", std::to_string(k)}}), expected, 0.01 * expected)
        << n << " " << k;
  }
}

TEST(Ps, EveryMessageAgreesWithTheFormulas) {
  const ScheduleOptions colocated{{"partition", "100kB"}};
  EXPECT_NEAR(ps_communication(4, colocated, Fidelity::Step), 2 * 0.75 * 0.040, 0.02 * 0.060);
  const ScheduleOptions remote{{"partition", "100kB"}, {"placement", "remote"}, {"servers", "2"}};
  EXPECT_NEAR(ps_communication(6, remote, Fidelity::Step), 2 * 0.040, 0.02 * 0.080);
}

TEST(Ps, RemoteServersFollowTheFormulaOfBytePs) {
  for (const auto& [n, k] :
       {std::pair{4U, 4U}, {4U, 2U}, {4U, 1U}, {4U, 8U}, {2U, 3U}, {1U, 1U}, {1U, 3U}}) {
    const double expected = std::max(1.0, 1.0 * n / k) * 40e6 / 1e9;
    const ScheduleOptions remote{{"placement", "remote"}, {"servers", std::to_string(k)}};
    EXPECT_NEAR(ps_communication(n + k, remote), expected, 0.01 * expected) << n << " " << k;
  }
}

// Two nodes of 4 GPUs, ports of 10 GB/s: a node reduce-scatters inside first and gathers last.
TEST(Ps, NodesAddUpInsideFirst) {
  const double inside = 2 * 0.75 * 40e6 / 1e10;
  const ScheduleOptions options{{"start", "backward_end"}};
  const double one = iteration("ps", kHeavy, plain_cluster(1, 4), options) - 0.030;
  EXPECT_NEAR(one, inside, 1e-9);
  const double two = iteration("ps", kHeavy, plain_cluster(2, 4), options) - 0.030;
  EXPECT_GE(two, 0.040);  // 2 (n-1)/n M/B on the NIC
  EXPECT_LE(two, (0.040 + inside) *
                     (1 + 1e-9));  // what one lane does inside may hide behind the other's NIC time
}

/// Step of workers whose servers add up a tenth of what a NIC carries, which bounds it.
double step_with_slow_servers(std::uint32_t nodes, const ScheduleOptions& options,
                              Fidelity fidelity) {
  Cluster cluster = plain_cluster(nodes);
  cluster.software.ps_sum_bandwidth = BytesPerSecond{1e8};
  ScheduleOptions all{{"partition", "25kB"}};
  all.insert(options.begin(), options.end());
  return iteration("ps", kHeavy, cluster, all, fidelity);
}

// Two workers push 40 MB each: a server of k adds up 80/k MB at .1 GB/s, beside the others.
TEST(Ps, EachServerAddsUpByItself) {
  for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow, Fidelity::Step})
    for (const std::uint32_t k : {1U, 2U, 3U, 5U})
      EXPECT_NEAR(step_with_slow_servers(
                      2 + k, {{"placement", "remote"}, {"servers", std::to_string(k)}}, fidelity),
                  0.010 + 0.8 / k, 0.015 * 0.8 / k)
          << k;
}

// Pulls do not wait for pushes that wait for a server's thread.
TEST(Ps, MoreInFlightIsNoSlower) {
  const double two = step_with_slow_servers(4, {{"partition", "1MB"}}, Fidelity::Flow);
  for (const char* in_flight : {"3", "8", "100"})
    EXPECT_LE(
        step_with_slow_servers(4, {{"partition", "1MB"}, {"in_flight", in_flight}}, Fidelity::Flow),
        two * (1 + 1e-9))
        << in_flight;
}

// On one node nothing is served: ten pieces of 4 MB are summed and spread one after the other.
TEST(Ps, OneNodeTakesOneCollectiveAfterTheOther) {
  const double inside = 2 * 0.75 * 40e6 / 1e10;
  const double paid =
      iteration("ps", kHeavy, plain_cluster(1, 4),
                {{"start", "backward_end"}, {"partition", "4MB"}, {"per_partition", "1ms"}});
  EXPECT_NEAR(paid - 0.030, inside + 2 * 10 * 1e-3, 1e-9);
}

TEST(Ps, RemoteServersDoNotTrain) {
  const Plan plan =
      build_plan("ps", kHeavy, plain_cluster(6), {{"placement", "remote"}, {"servers", "2"}});
  EXPECT_EQ(plan.summary.workers, 4U);
}

/// Labels of the pushes in the order in which the server takes them.
std::vector<std::string> pushes_in_order(const ScheduleOptions& options) {
  // One server; the gradients of ten layers of 4 MB, a partition each, one under way at a time.
  ScheduleOptions all{{"servers", "1"}, {"in_flight", "1"}, {"partition", "4MB"}};
  all.insert(options.begin(), options.end());
  const Plan plan = build_plan("ps", kHeavy, plain_cluster(4), all);
  const Timeline timeline = simulate(plan, plain_cluster(4), {});
  std::vector<std::pair<Seconds, std::string>> pushes;
  for (TaskId id = 0; id < plan.graph.size(); ++id) {
    const Task& task = plan.graph.task(id);
    if (task.kind == TaskKind::Communication &&
        plan.collectives[task.collective].collective.kind == CollectiveKind::Reduce)
      pushes.emplace_back(timeline.at(1, id, 0).start, plan.labels[task.label]);
  }
  std::ranges::sort(pushes);
  std::vector<std::string> order;
  for (auto& push : pushes)
    order.push_back(std::move(push.second));
  return order;
}

// The server decides while it runs: by arrival it adds up layer 9 to layer 0, the order of the
// backward pass; by priority whatever is nearest to the input of what has arrived. A push takes 12
// ms, a layer's backward pass 2 ms: during the first push all others arrive but the last four.
TEST(Ps, AServerAddsUpWhatArrivedInTheOrderAsked) {
  const auto by_arrival = pushes_in_order({});
  const auto by_priority = pushes_in_order({{"order", "priority"}});
  ASSERT_EQ(by_arrival.size(), 10U);
  EXPECT_NE(by_arrival.front().find("layer9"), std::string::npos) << by_arrival.front();
  EXPECT_NE(by_arrival.back().find("layer0"), std::string::npos) << by_arrival.back();
  EXPECT_NE(by_priority.front().find("layer9"), std::string::npos) << by_priority.front();
  EXPECT_NE(by_priority.back().find("layer8"), std::string::npos) << by_priority.back();
}

TEST(Ps, RefusesMoreServersThanNodes) {
  EXPECT_EQ(input_error_of([] {
              build_plan("ps", kHeavy, plain_cluster(4), {{"servers", "5"}});
            }),
            "ps: option servers: expected 1 to 4 on 4 nodes with placement=colocated, found \"5\"");
}

TEST(Ps, RemoteServersNeedASecondNode) {
  EXPECT_EQ(input_error_of([] {
              build_plan("ps", kHeavy, plain_cluster(1), {{"placement", "remote"}});
            }),
            "ps: option placement: expected at least 2 nodes for remote servers, found 1");
}

// Three passes: 60 ms of compute more, wherever the schedule's own waits are (WFBP 72 ms, DeAR with
// two groups 75 ms, as in schedules_test).
TEST(Accumulation, AddsPassesBeforeCommunication) {
  EXPECT_NEAR(iteration("wfbp", kHeavy, plain_cluster(4), {{"accumulation", "3"}}), 0.132, 1e-9);
  const ScheduleOptions dear{{"fusion_buffer", "20MB"}, {"accumulation", "3"}};
  EXPECT_NEAR(iteration("dear", kHeavy, plain_cluster(4), dear), 0.135, 1e-9);
}

TEST(Accumulation, EveryFirstOrderScheduleHasIt) {
  for (const ScheduleInfo& schedule : first_order_schedules()) {
    const Plan plan = build_plan(schedule.name, kLight, plain_cluster(4), {{"accumulation", "3"}});
    EXPECT_EQ(plan.summary.passes, 3U) << schedule.name;
    EXPECT_GE(iteration(schedule.name, kLight, plain_cluster(4), {{"accumulation", "3"}}),
              0.090 * (1 - 1e-9))
        << schedule.name;
  }
}

TEST(Accumulation, RefusesZeroPasses) {
  EXPECT_NE(input_error_of([] {
              build_plan("wfbp", kLight, plain_cluster(4), {{"accumulation", "0"}});
            }).find("wfbp: option accumulation: "),
            std::string::npos);
}

}  // namespace
}  // namespace stepcast
