// Schedules that add work to the model: embedding tables, samplers. Step times by their formulas.
#include <array>
#include <cmath>

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

Bytes bytes_of(const Plan& plan, const std::string& label) {
  for (TaskId task = 0; task < plan.graph.size(); ++task)
    if (plan.labels[plan.graph.task(task).label] == label)
      return plan.collectives[plan.graph.task(task).collective].collective.size;
  ADD_FAILURE() << label;
  return {};
}

// What a collective of all 16 ranks sends of each rank's bytes.
constexpr double kSent = 15. / 16;

TEST(Dlrm, SendsAPublishedExamplesBytes) {
  // 65,536 samples on 16 ranks, 26 tables of 64 fp32 values: 25,559,040 bytes a rank and direction.
  Workload workload = bare_workload();
  workload.batch = 4096;
  const Plan plan = build_plan("dlrm", workload, plain_cluster(16), {});
  EXPECT_NEAR(bytes_of(plan, "vectors").value * kSent, 25'559'040, 1e-6);
  EXPECT_NEAR(bytes_of(plan, "gradients").value * kSent, 25'559'040, 1e-6);
}

const ScheduleOptions kFree{{"selection_cost", "free"}};

TEST(Dlrm, SendsPooledVectorsAboveThresholds) {
  const auto times_fewer = [](const ScheduleOptions& options) {
    const Plan plan =
        build_plan("dlrm", bare_workload(), plain_cluster(16), with(with(kTables, kFree), options));
    const Plan whole = build_plan("dlrm", bare_workload(), plain_cluster(16), kTables);
    const double of_one = bytes_of(whole, "vectors").value;
    return std::array{of_one / bytes_of(plan, "vectors").value,
                      of_one / bytes_of(plan, "gradients").value};
  };
  const auto own =
      times_fewer({{"mp_density", "0.025"}, {"mp_backward", "own"}, {"index", "int32"}});
  EXPECT_NEAR(own[0], 20, 1e-9);
  EXPECT_NEAR(own[1], 20, 1e-9);
  EXPECT_NEAR(times_fewer({{"mp_density", "0.01875"}, {"index", "bitmap"}})[0], 20, 1e-9);
  // The mask of the vectors serves their gradients: 1 / (1.5 density) of both directions.
  const auto both = times_fewer({{"mp_density", "0.0333333333333333"}, {"index", "int32"}});
  EXPECT_NEAR(2 / (1 / both[0] + 1 / both[1]), 20, 1e-9);
  // A mask is shorter from 1/32 on, and what is no shorter than the vectors is sent whole.
  EXPECT_NEAR(times_fewer({{"mp_density", "0.1"}})[0], 1 / (0.1 + 1. / 32), 1e-9);
  EXPECT_NEAR(times_fewer({{"mp_density", "0.99"}})[0], 1, 1e-9);
  // bf16: the index is two thirds of an entry.
  EXPECT_NEAR(times_fewer({{"mp_density", "0.01"}, {"value_bytes", "2"}, {"index", "int32"}})[0],
              2 / 0.03, 1e-9);
}

TEST(Dlrm, WaitsForTheRankWhoseTablesSendMost) {
  // Two ranks, tables in turn: densities .1 and .2 against .3 and .4.
  const ScheduleOptions options = with(kFree, {{"tables", "4"},
                                               {"dimension", "128"},
                                               {"mp_density", "0.1:0.3:0.2:0.4"},
                                               {"index", "int32"}});
  const Plan plan = build_plan("dlrm", bare_workload(), plain_cluster(2), options);
  // 64 samples, 4 tables, 512 B; .35 of the entries, 8 bytes for 4.
  EXPECT_NEAR(bytes_of(plan, "vectors").value, 64 * 4 * 512 * .7, 1e-6);
  EXPECT_NEAR(bytes_of(plan, "gradients").value, 64 * 4 * 512 * .35, 1e-6);
}

TEST(Dlrm, PushesGradientsAboveThresholdsToServers) {
  // 10 layers of 1,000 fp32 values: .005 of them, 8 bytes for 4, are 100 times fewer bytes.
  const Workload workload = examples::uniform_workload(10, {1e-3}, {2e-3}, 1000);
  const auto plan_with = [&](const ScheduleOptions& options) {
    return build_plan(
        "dlrm", workload, plain_cluster(4),
        with(with(with(kTables, kFree), {{"bucket", "1B"}, {"first_bucket", "1B"}}), options));
  };
  const auto sum = [](const Plan& plan, const std::string& of) {
    double bytes = 0;
    for (TaskId task = 0; task < plan.graph.size(); ++task)
      if (plan.labels[plan.graph.task(task).label].starts_with(of))
        bytes += plan.collectives[plan.graph.task(task).collective].collective.size.value;
    return bytes;
  };
  const double whole = parameter_size(workload).value;
  const Plan plan = plan_with({{"dp_density", "0.005"}});
  EXPECT_NEAR(whole / sum(plan, "push of "), 100, 1e-9);
  EXPECT_NEAR(sum(plan, "pull of "), whole, 1e-9);
  EXPECT_EQ(plan.memory.residuals.value, whole);
  EXPECT_EQ(plan_with({{"dp_density", "0.005"}, {"error_feedback", "no"}}).memory.residuals,
            Bytes{});
  // A mask alone is 1/32.
  EXPECT_LT(whole / sum(plan_with({{"dp_density", "0.0001"}, {"index", "bitmap"}}), "push of "),
            32);
  // Servers return what any of four ranks pushed.
  const double any = 1 - std::pow(0.995, 4);
  EXPECT_NEAR(sum(plan_with({{"dp_density", "0.005"}, {"pull", "sparse"}}), "pull of "),
              whole * 2 * any, 1e-6);
  // One density for each layer, the first of them whole.
  EXPECT_NEAR(sum(plan_with({{"dp_density", "1:.01:.01:.01:.01:.01:.01:.01:.01:.01"}}), "push of "),
              whole * (.1 + .9 * .02), 1e-6);
}

TEST(Dlrm, SelectsOnTheComputeStreamAndSharesTheSearchOfThresholds) {
  Workload workload = bare_workload();
  workload.compression = CompressionCosts{.exact = Seconds{1e-9},
                                          .pick_passes = 2,
                                          .scatter_traffic = Bytes{72},
                                          .memory_bandwidth = BytesPerSecond{1e10}};
  const auto step = [&](const char* refresh) {
    return step_of(
        "dlrm", workload, plain_cluster(4),
        with(kTables, {{"mp_density", "0.02"}, {"index", "int32"}, {"refresh", refresh}}));
  };
  // 64 x 100 x 128 entries. Picking reads them twice at 10 GB/s, twice; adding to zeros writes all
  // and touches 72 bytes of each fiftieth, twice. Counts are 16 bytes on 4 ranks, twice.
  const double elements = 64. * 100 * 128;
  const double picking = 2 * 4 * elements / 1e10;
  const double adding = (4 * elements + 72 * .02 * elements) / 1e10;
  const double search = 1e-9 * elements * std::log2(elements);
  const double sent = kVectors * (.04 + .02) + 2 * 12e-9;
  const double without = 30e-3 + kIndices + sent + 2 * picking + 2 * adding;
  EXPECT_NEAR(step("1000"), without + search / 1000, 1e-9);
  EXPECT_NEAR(step("10"), without + search / 10, 1e-9);
}

TEST(Dlrm, RefusesWhatThresholdsDoNotKnow) {
  const auto refusal = [](const ScheduleOptions& options) {
    return input_error_of(
        [&] { build_plan("dlrm", bare_workload(), plain_cluster(4), with(kTables, options)); });
  };
  EXPECT_EQ(refusal({{"mp_density", "0.1:0.2"}}),
            "dlrm: option mp_density: expected one number or 100, one for each table, found 2");
  EXPECT_EQ(input_error_of([] {
              build_plan("dlrm", examples::uniform_workload(10, {1e-3}, {2e-3}, 1000),
                         plain_cluster(4), {{"dp_density", "0.1:0.2"}});
            }),
            "dlrm: option dp_density: expected one number or 10, one for each layer with "
            "parameters, found 2");
  EXPECT_NE(refusal({{"mp_density", "0.1"}}).find("or selection_cost=free to leave the cost out"),
            std::string::npos);
  EXPECT_EQ(refusal({{"skew", "steep"}}),
            "dlrm: option skew: expected Zipf's exponent from 0 to 10, or counts of lookups "
            "(@FILE), found \"steep\"");
}

TEST(Dlrm, KeepsRowsByTheirUse) {
  const ScheduleOptions options{{"tables", "1"},      {"rows", "1e6"},  {"dimension", "64"},
                                {"pooling", "1"},     {"keep", "0.35"}, {"skew", "1.05"},
                                {"optimiser", "none"}};
  const auto part = [&](const ScheduleOptions& more, double vector) {
    return build_plan("dlrm", bare_workload(), plain_cluster(1), with(options, more))
               .memory.parameters.value /
           (1e6 * vector);
  };
  // 64 fp32 values in 4 chunks: 89.6 + 16 + 16 of 256 bytes a row.
  EXPECT_NEAR(part({{"chunks", "4"}}, 256), .475, 1e-12);
  EXPECT_NEAR(part({{"chunks", "4"}, {"dimension", "256"}}, 1024), .38125, 1e-12);
  // Pooled vectors stay whole, but for chunks that are zero and known to be so.
  const auto vectors = [&](const ScheduleOptions& more) {
    return bytes_of(build_plan("dlrm", bare_workload(), plain_cluster(2), with(options, more)),
                    "vectors")
               .value /
           (64 * 256);
  };
  EXPECT_NEAR(vectors({{"chunks", "4"}}), 1, 1e-12);
  EXPECT_NEAR(vectors({{"chunks", "4"}, {"chunk_masks", "yes"}}), .948830 + .5 / 256, 5e-7);
  EXPECT_NEAR(vectors({{"chunks", "1"}, {"chunk_masks", "yes"}, {"pooling", "2"}}),
              1 - std::pow(1 - .948830, 2) + .125 / 256, 5e-7);
}

TEST(Dlrm, LooksUpWhatIsKeptOfUsedRows) {
  Cluster cluster = plain_cluster(4);
  cluster.device.memory_bandwidth = BytesPerSecond{1e10};
  const double rows = 3.2768e-3;  // as above
  const auto step = [&](const ScheduleOptions& options) {
    return step_of("dlrm", bare_workload(), cluster, with(kTables, options));
  };
  EXPECT_NEAR(step({{"keep", "0.35"}, {"skew", "1.05"}}),
              30e-3 + kIndices + 2 * kVectors + 3 * rows * .948830, 1e-8);
  // Utilities are read and indices written: 8 bytes for each of 1e8 rows over 4 ranks, in 1,000.
  EXPECT_NEAR(step({{"keep", "0.35"}, {"skew", "1.05"}, {"scan_every", "1000"}}),
              30e-3 + kIndices + 2 * kVectors + 3 * rows * .948830 + 2e8 / 1e10 / 1000, 1e-8);
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
