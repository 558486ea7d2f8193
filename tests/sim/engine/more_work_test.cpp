// Schedules that add work to the model: embedding tables, samplers. Step times by their formulas.
#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "sim/engine/engine.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/input_error.hpp"

namespace stepcast {
namespace {

using examples::plain_cluster;

// 10 layers of 1 ms forward and 2 ms backward, nothing to reduce: a pass takes 30 ms.
Workload bare_workload() {
  Workload workload = examples::uniform_workload(10, {1e-3}, {2e-3}, 1);
  for (Layer& layer : workload.layers)
    layer.parameters.clear();
  workload.batch = 64;
  return workload;
}

double step_of(const std::string& schedule, const Workload& workload, const Cluster& cluster,
               const ScheduleOptions& options) {
  const Plan plan = build_plan(schedule, workload, cluster, options);
  const Timeline timeline = simulate(plan, cluster, {});
  EXPECT_TRUE(timeline.steady);
  return timeline.mean_iteration_time().value / steps_of(plan);
}

// 100 tables, 10 rows a sample, vectors of 128 fp32 values. On 4 ranks at 1 GB/s three quarters of
// what a rank has are sent: indices of 64 x 100 x 10 x 8 B take 0.384 ms, vectors and their
// gradients of 64 x 100 x 512 B 2.4576 ms each.
const ScheduleOptions kTables{
    {"tables", "100"}, {"rows", "1e6"}, {"dimension", "128"}, {"pooling", "10"}};
constexpr double kIndices = 0.384e-3, kVectors = 2.4576e-3;

ScheduleOptions with(ScheduleOptions options, const ScheduleOptions& more) {
  for (const auto& [name, value] : more)
    options[name] = value;
  return options;
}

TEST(Dlrm, WaitsForThreeAllToAlls) {
  EXPECT_NEAR(step_of("dlrm", bare_workload(), plain_cluster(4), kTables),
              30e-3 + kIndices + 2 * kVectors, 1e-9);
}

TEST(Dlrm, LooksUpAndUpdatesRowsByTheirBytes) {
  Cluster cluster = plain_cluster(4);
  cluster.device.memory_bandwidth = BytesPerSecond{1e10};
  // 64 x 100 x 10 rows of 512 B: 3.2768 ms to read, twice that to update.
  const double rows = 3.2768e-3;
  EXPECT_NEAR(step_of("dlrm", bare_workload(), cluster, kTables),
              30e-3 + kIndices + 2 * kVectors + 3 * rows, 1e-9);
  // A scan of 51.2 GB on 4 ranks, read and written every 1000 steps: 2.56 s shared by them.
  EXPECT_NEAR(step_of("dlrm", bare_workload(), cluster, with(kTables, {{"scan_every", "1000"}})),
              30e-3 + kIndices + 2 * kVectors + 3 * rows + 2.56e-3, 1e-9);
}

TEST(Dlrm, HidesVectorsBehindTheBottomLayers) {
  // Four layers of 4 ms forward and 8 ms backward need no embeddings; the lookup waits for indices.
  EXPECT_NEAR(step_of("dlrm", bare_workload(), plain_cluster(4), with(kTables, {{"bottom", "4"}})),
              30e-3 + kIndices, 1e-9);
}

TEST(Dlrm, SendsIndicesAhead) {
  EXPECT_NEAR(
      step_of("dlrm", bare_workload(), plain_cluster(4), with(kTables, {{"indices", "ahead"}})),
      30e-3 + 2 * kVectors, 1e-9);
}

TEST(Dlrm, SendsAndHoldsWhatIsKeptOfTheTables) {
  const Plan plan = build_plan("dlrm", bare_workload(), plain_cluster(4),
                               with(kTables, {{"keep", "0.8:0.4"}, {"optimiser", "none"}}));
  EXPECT_EQ(steps_of(plan), 2U);
  // 100 x 1e6 rows of 512 B over 4 ranks; the most that is kept decides. 4 B of state for each row.
  EXPECT_NEAR(plan.memory.parameters.value, 0.8 * 12.8e9, 1);
  EXPECT_NEAR(plan.memory.optimiser.value, 100e6, 1);
  ASSERT_EQ(plan.notes.size(), 1U);
  EXPECT_EQ(
      plan.notes[0].text,
      "Tables: 11.92 GiB a GPU where all is kept; 7.153 GiB (40.0 % saved) in the mean of the "
      "steps, 4.768 GiB (60.0 % saved) at their end.");
  EXPECT_NEAR(
      step_of("dlrm", bare_workload(), plain_cluster(4), with(kTables, {{"keep", "0.8:0.4"}})),
      30e-3 + kIndices + 2 * 0.6 * kVectors, 1e-9);
}

TEST(Dlrm, RefusesASharePastTheWhole) {
  const auto refusal = [&](const char* keep) {
    return input_error_of([&] {
      build_plan("dlrm", bare_workload(), plain_cluster(4), {{"keep", keep}});
    });
  };
  for (const char* keep : {"1:1.2", "0", "1:", "", "a:1"})
    EXPECT_EQ(refusal(keep),
              "dlrm: option keep: expected numbers above 0 and at most 1, with "
              "colons between them, found \"" +
                  std::string(keep) + "\"");
}

struct Pipeline {
  ScheduleOptions options;
  double step;
};

// Training takes 30 ms.
TEST(Salient, TakesItsLongestCycle) {
  const ScheduleOptions usual{{"sample", "40ms"}, {"slice", "8ms"},      {"copy", "4ms"},
                              {"workers", "4"},   {"slicing", "thread"}, {"queue", "8"},
                              {"buffers", "2"}};
  const std::vector<Pipeline> cases{
      {usual, 30e-3},                                                       // training
      {with(usual, {{"sample", "200ms"}}), 50e-3},                          // sample / 4
      {with(usual, {{"slice", "35ms"}}), 35e-3},                            // slice
      {with(usual, {{"copy", "33ms"}}), 33e-3},                             // copy
      {with(usual, {{"slicing", "workers"}, {"sample", "160ms"}}), 42e-3},  // (160 + 8) / 4
      {with(usual, {{"queue", "1"}}), 52e-3},  // 40 + 8 + 4, one at a time
      {with(usual, {{"sample", "140ms"}, {"queue", "3"}, {"workers", "8"}}), 152e-3 / 3},
      {with(usual, {{"buffers", "1"}}), 34e-3},  // 4 + 30
      {with(usual, {{"queue", "9"}, {"workers", "2"}}), 30e-3},
      {with(usual, {{"sample", "500ms"}, {"queue", "8"}, {"workers", "16"}}), 512e-3 / 8}};
  for (const Pipeline& each : cases)
    EXPECT_NEAR(step_of("salient", bare_workload(), plain_cluster(2), each.options), each.step,
                1e-9)
        << each.step;
}

TEST(Salient, HoldsMiniBatchesOnHostAndGpu) {
  const Plan plan = build_plan("salient", bare_workload(), plain_cluster(1),
                               {{"queue", "6"}, {"batch_bytes", "50MiB"}});
  EXPECT_EQ(plan.memory.fusion_buffers, Bytes{100.0 * 1024 * 1024});
  EXPECT_EQ(plan.notes[0].text,
            "Mini-batches of 50 MiB: up to 300 MiB on the host of each GPU (queue), 100 MiB on the "
            "GPU.");
}

TEST(MoreWork, IsComparedOnlyWhereItIsNamed) {
  for (const ScheduleInfo& schedule : first_order_schedules())
    EXPECT_FALSE(schedule.more_work) << schedule.name;
  EXPECT_TRUE(schedule_of("dlrm").more_work && schedule_of("salient").more_work);
}

}  // namespace
}  // namespace stepcast
