// Schedules of compressed gradients against their closed forms.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "models/schedule/builder.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/engine/steps.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

using examples::plain_cluster;
using examples::uniform_workload;

constexpr double kStartup = 20e-6;    // a
constexpr double kElement = 4 / 1e9;  // b: 4 bytes at 1 GB/s

/// One GPU a node, NICs of 1 GB/s and 20 us, nothing else costs time.
Cluster network(std::uint32_t ranks) {
  Cluster cluster = plain_cluster(ranks);
  cluster.nic.startup = {kStartup};
  return cluster;
}

/// All communication of one tensor of `elements`, nothing to overlap it with, selection for free.
double communication_time(const std::string& schedule, double elements, std::uint32_t ranks,
                          ScheduleOptions options, Fidelity fidelity = Fidelity::Step) {
  if (schedule_of(schedule).compressed) {
    options.try_emplace("fusion", "model");
    options.try_emplace(options.contains("rank") ? "compression" : "selection", "free");
  }
  if (schedule == "omgs")
    options.erase("fusion");
  const Workload workload = uniform_workload(1, {0}, {0}, static_cast<std::uint64_t>(elements));
  const Cluster cluster = network(ranks);
  return step_time_of(build_plan(schedule, workload, cluster, options), cluster,
                      {.fidelity = fidelity})
      .value;
}

void expect_time(const std::string& schedule, double elements, std::uint32_t ranks,
                 const ScheduleOptions& options, double expected) {
  for (const Fidelity fidelity : {Fidelity::Step, Fidelity::Flow, Fidelity::Analytic})
    EXPECT_NEAR(communication_time(schedule, elements, ranks, options, fidelity), expected,
                1e-9 * expected)
        << schedule << " on " << ranks << " at " << name_of(fidelity);
}

constexpr std::uint32_t kRanks[] = {2, 3, 5, 8, 16};
constexpr double kParameters = 1e6;  // d
constexpr double kSelected = 1e4;    // k

const ScheduleOptions kHundredth{{"density", "0.01"}};

TEST(SparseFormulas, TheDenseRing) {
  for (const double n : {2.0, 3.0, 8.0})
    expect_time("bsp", kParameters, static_cast<std::uint32_t>(n), {},
                2 * (n - 1) * (kStartup + kParameters / n * kElement));
}

TEST(SparseFormulas, TopkWithAllGathersOfValuesAndIndices) {
  for (const double n : kRanks)
    for (const char* schedule : {"topk-allgather", "dgc", "sidco", "dct", "omgs"})
      expect_time(schedule, kParameters, static_cast<std::uint32_t>(n), kHundredth,
                  2 * (n - 1) * (kStartup + kSelected * kElement));
}

// An odd k is what it is; half a selected entry is rounded, and at least one is selected.
TEST(SparseFormulas, TopkSelectsAWholeNumberOfEntries) {
  expect_time("topk-allgather", 1e6, 4, {{"density", "0.000333"}}, 6 * (kStartup + 333 * kElement));
  expect_time("topk-allgather", 1e6, 4, {{"density", "0.0000003"}}, 6 * (kStartup + kElement));
}

// d and k in n equal parts, rounded up: 3(n-1) a + (2k + d)(n-1)/n b where n divides both.
TEST(SparseFormulas, TopkA2A) {
  for (const double n : kRanks)
    expect_time("topka2a", kParameters, static_cast<std::uint32_t>(n), kHundredth,
                (n - 1) * (3 * kStartup +
                           (2 * std::ceil(kSelected / n) + std::ceil(kParameters / n)) * kElement));
}

// 5 elements and 1 entry over 8 ranks: shards of one element, one entry each.
TEST(SparseFormulas, TopkA2AWithMoreShardsThanElements) {
  expect_time("topka2a", 5, 8, {{"density", "0.2"}}, 7 * (3 * kStartup + 3 * kElement));
}

// Sums of n selections of k: 4k(n-1)/n if they are the same entries, (2k + d)(n-1)/n at most.
TEST(SparseFormulas, TopkDsaLiesBetweenItsBounds) {
  const double n = 8;
  const double startups = 4 * (n - 1) * kStartup;
  expect_time("topk-dsa", kParameters, 8, {{"density", "0.01"}, {"clustering", "1"}},
              startups + 4 * kSelected * (n - 1) / n * kElement);
  expect_time("topk-dsa", kParameters, 8, {{"density", "0.4"}},
              3 * (n - 1) * kStartup + (2 * 4e5 + kParameters) * (n - 1) / n * kElement);
  const double between = communication_time("topk-dsa", kParameters, 8, kHundredth);
  EXPECT_GT(between, startups + 4 * kSelected * (n - 1) / n * kElement);
  EXPECT_LT(between, startups + (2 * kSelected + kParameters) * (n - 1) / n * kElement);
}

// ceil(log2 n) rounds up the tree and as many down, 2k numbers each.
TEST(SparseFormulas, GTopkForAnyNumberOfRanks) {
  for (const std::uint32_t ranks : {2U, 3U, 4U, 5U, 7U, 8U, 13U, 16U}) {
    const double rounds = std::ceil(std::log2(ranks));
    expect_time("gtopk", kParameters, ranks, kHundredth,
                2 * rounds * (kStartup + 2 * kSelected * kElement));
  }
}

// Between the least volume and the published bound: steps that find thresholds or move borders are
// left out here, so the time is that of the two phases.
TEST(SparseFormulas, OkTopkKeepsItsBound) {
  for (const double n : kRanks) {
    const Workload workload = uniform_workload(1, {0}, {0}, 1'000'000);
    const Cluster cluster = network(static_cast<std::uint32_t>(n));
    const Plan plan =
        build_plan("ok-topk", workload, cluster,
                   {{"density", "0.01"}, {"selection", "free"}, {"threshold_every", "64"}});
    const Timeline timeline = simulate(plan, cluster, {.fidelity = Fidelity::Step});
    const std::vector<Seconds> steps = step_times(plan, timeline, 0);
    ASSERT_EQ(steps.size(), 64U);
    const double phases = 2 * (n - 1) * (kStartup + 2 * std::ceil(kSelected / n) * kElement);
    EXPECT_NEAR(steps[5].value, phases, 1e-9 * phases) << n;
    EXPECT_GE(steps[5].value, 2 * kSelected * (n - 1) / n * kElement);
    EXPECT_LE(steps[5].value, 6 * std::ceil(kSelected / n) * (n - 1) * kElement +
                                  (2 * n + 2 * std::log2(n)) * kStartup);
    EXPECT_GT(steps[0], steps[5]);
  }
}

// Loads of 0.5 to 1.5 of the mean: both phases wait for the largest region.
TEST(SparseFormulas, OkTopkWaitsForItsLargestRegion) {
  const ScheduleOptions options{
      {"density", "0.01"}, {"threshold_every", "1"}, {"balance_every", "1"}};
  ScheduleOptions uneven = options;
  uneven["imbalance"] = "0.5";
  const auto phase = [](double largest) { return 3 * (kStartup + largest * kElement); };
  const double sums = 1e6 * (1 - std::pow(0.99, 4));
  const double borders = 6 * (kStartup + 4 * kElement / 4);
  expect_time("ok-topk", 1e6, 4, options, 2 * phase(2 * 2500) + phase(sums / 4) + borders);
  expect_time("ok-topk", 1e6, 4, uneven, 2 * phase(2 * 3750) + phase(sums / 4 * 1.5) + borders);
}

// Square matrices: P and Q have Nc = 1000 * 4 elements each.
TEST(SparseFormulas, LowRankFactors) {
  for (const double n : kRanks) {
    const double all_reduce = 2 * (n - 1) * (kStartup + 4000 / n * kElement);
    const auto ranks = static_cast<std::uint32_t>(n);
    expect_time("powersgd", 1e6, ranks, {{"rank", "4"}}, 2 * all_reduce);
    expect_time("acp-sgd", 1e6, ranks, {{"rank", "4"}}, all_reduce);
  }
}

// Values of 2 bytes; one bit for each of 1e6 elements instead of 4 bytes for each of 1e4 entries.
TEST(SparseFormulas, SmallerValuesAndBitmaps) {
  expect_time("topk-allgather", 1e6, 4,
              {{"density", "0.01"}, {"value", "fp16"}, {"index", "bitmap"}},
              3 * (2 * kStartup + (2e4 + 1.25e5) / 1e9));
}

// 2(n-1)/n d b over (2k + d)(n-1)/n b: at most 2d / (2k + d), and start-ups only take from that
// where 3 are more than 2 of them cost.
TEST(SparseFormulas, TopkA2ANeverExceedsItsSpeedUpBound) {
  for (const char* density : {"0.001", "0.02", "0.1", "0.5", "1"})
    for (const std::uint32_t ranks : {4U, 8U, 16U})
      for (const double elements : {1e3, 1e5, 1e7}) {
        const double k = std::max(1.0, std::round(std::stod(density) * elements));
        const double speed_up =
            communication_time("bsp", elements, ranks, {}) /
            communication_time("topka2a", elements, ranks, {{"density", density}});
        EXPECT_LE(speed_up, 2 * elements / (2 * k + elements) * (1 + 1e-9)) << density;
      }
}

// rho > 1/(2(n-1)) makes TopKA2A faster than gathering, rho < 0.5 faster than dense (no start-ups).
TEST(SparseFormulas, TopkA2AWinsOnItsSideOfBothConditions) {
  const auto time = [](const char* schedule, const char* density) {
    const Workload workload = uniform_workload(1, {0}, {0}, 16'000'000);
    const Cluster cluster = plain_cluster(16);
    ScheduleOptions options;
    if (schedule_of(schedule).compressed)
      options = {{"density", density}, {"selection", "free"}, {"fusion", "model"}};
    return step_time_of(build_plan(schedule, workload, cluster, options), cluster,
                        {.fidelity = Fidelity::Step});
  };
  // 2k(n-1) = (2k + d)(n-1)/n gives rho = 1/(2(n-1)) = 1/30.
  EXPECT_LT(time("topka2a", "0.034"), time("topk-allgather", "0.034"));
  EXPECT_GT(time("topka2a", "0.033"), time("topk-allgather", "0.033"));
  EXPECT_LT(time("topka2a", "0.49"), time("bsp", ""));
  EXPECT_GT(time("topka2a", "0.51"), time("bsp", ""));
}

CompressionCosts costs() {
  return {.exact = {1e-9},
          .search_rounds = 30,
          .sample = 0.01,
          .fit_passes = 4,
          .pick_passes = 2,
          .feedback_passes = 3,
          .scatter_traffic = {72},
          .low_rank_passes = 9,
          .memory_bandwidth = {4e9}};
}

// 2 layers of 2^20 elements: an exact selection of each takes 20.97152 ms, on the compute stream;
// forward 2 x 1 ms and backward 2 x 2 ms beside it, on one rank without communication.
TEST(SparseCosts, SelectionDelaysTheBackwardPassOrRunsBesideIt) {
  Workload workload = uniform_workload(2, {1e-3}, {2e-3}, 1 << 20);
  workload.compression = costs();
  const Cluster cluster = plain_cluster(1);
  ScheduleOptions options{
      {"selection", "exact"}, {"fusion", "layer"}, {"error_feedback", "no"}, {"density", "0.001"}};
  const double unpack = scatter_add_time(costs(), 1049, 1 << 20).value;
  const double selection = 1e-9 * (1 << 20) * 20;
  const auto time = [&] {
    return step_time_of(build_plan("topk-allgather", workload, cluster, options), cluster, {})
        .value;
  };
  EXPECT_NEAR(time(), 6e-3 + 2 * selection + unpack, 1e-12);
  options["selection_stream"] = "own";  // begins when the first layer's gradient is ready
  EXPECT_NEAR(time(), 4e-3 + 2 * selection + unpack, 1e-12);
}

TEST(SparseCosts, HostWorkIsPaidForEveryParameter) {
  Workload workload = uniform_workload(2, {1e-3}, {2e-3}, 1'000'000);
  const ScheduleOptions options{{"selection", "free"}, {"host_per_parameter", "60ns"}};
  const Cluster cluster = plain_cluster(1);
  EXPECT_NEAR(step_time_of(build_plan("gtopk", workload, cluster, options), cluster, {}).value,
              6e-3 + 2e6 * 60e-9, 1e-12);
}

// The threshold costs a sort every 4th step, 2 passes of 1 ms in the others; feedback 3 ms.
TEST(SparseCosts, AReusedThresholdIsAPatternOfSteps) {
  Workload workload = uniform_workload(1, {1e-3}, {2e-3}, 1 << 20);
  workload.compression = costs();
  const Cluster cluster = plain_cluster(1);
  const Plan plan =
      build_plan("dct", workload, cluster, {{"selection", "exact"}, {"threshold_every", "4"}});
  const std::vector<Seconds> steps = step_times(plan, simulate(plan, cluster, {}), 0);
  ASSERT_EQ(steps.size(), 4U);
  const double difference = 1e-9 * (1 << 20) * 20 - 2 * (1 << 20) / 1e9;
  EXPECT_NEAR((steps[0] - steps[1]).value, difference, 1e-12);
  EXPECT_NEAR(steps[1].value, steps[3].value, 1e-12);
}

TEST(SparseSchedules, BuildAndRunOnAnyNumberOfRanks) {
  Workload workload = uniform_workload(4, {1e-3}, {2e-3}, 100'000);
  workload.compression = costs();
  for (const ScheduleInfo& schedule : compressed_schedules())
    for (const auto& [nodes, gpus] : {std::pair{1U, 1U}, {1U, 4U}, {3U, 2U}, {4U, 1U}, {7U, 1U}})
      for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow, Fidelity::Step}) {
        const Cluster cluster = plain_cluster(nodes, gpus);
        const Plan plan = build_plan(schedule.name, workload, cluster, {});
        EXPECT_GE(step_time_of(plan, cluster, {.fidelity = fidelity}).value, 12e-3)
            << schedule.name;
        EXPECT_EQ(plan.notes.front().text.substr(0, 38), "Only time is forecast, not convergence");
      }
}

TEST(SparseSchedules, AWarmUpSaysWhichDensityItUses) {
  Workload workload = uniform_workload(2, {1e-3}, {2e-3}, 100'000);
  workload.compression = costs();
  const Plan plan = build_plan("dgc", workload, plain_cluster(2), {{"warm_up", "2"}});
  EXPECT_EQ(plan.notes.back().subject, "density");
  EXPECT_EQ(plan.notes.back().text,
            "Warm-up stage 2: the density is 0.0625, whatever `density` says.");
}

TEST(SparseSchedules, BadOptionsAreOneLine) {
  Workload workload = uniform_workload(1, {1e-3}, {2e-3}, 1000);
  const Cluster cluster = plain_cluster(2);
  const auto error = [&](const std::string& schedule, const ScheduleOptions& options) {
    return input_error_of([&] { build_plan(schedule, workload, cluster, options); });
  };
  EXPECT_EQ(error("topka2a", {{"density", "0"}}),
            "topka2a: option density: expected a number above 0 and at most 1, found \"0\"");
  EXPECT_EQ(error("gtopk", {{"density", "1.5"}}),
            "gtopk: option density: expected a number above 0 and at most 1, found \"1.5\"");
  EXPECT_EQ(error("ok-topk", {{"imbalance", "1"}, {"selection", "free"}}),
            "ok-topk: option imbalance: expected a number of at least 0 and below 1, found \"1\"");
  EXPECT_EQ(error("ok-topk",
                  {{"threshold_every", "1000"}, {"balance_every", "999"}, {"selection", "free"}}),
            "ok-topk: option balance_every: expected a pattern of at most 1024 steps with "
            "threshold_every=1000");
  EXPECT_EQ(error("topk-allgather", {{"clustering", "2"}}),
            "topk-allgather: option clustering: expected a number from 0 to 1, found \"2\"");
  EXPECT_EQ(error("topka2a", {}),
            "topka2a: what compression costs on test is not known: expected a file "
            "traces/hardware/test-compression.json, or selection=free to leave the cost out");
  EXPECT_TRUE(error("powersgd", {}).ends_with(", or compression=free to leave the cost out"));
  EXPECT_EQ(error("powersgd", {{"compression", "free"}}), "no error");
}

}  // namespace
}  // namespace stepcast
