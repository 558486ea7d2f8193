// Exchanges of data-parallel schedules under the passes of pipelines.
#include <algorithm>
#include <optional>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/schedule/list/registry.hpp"
#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "sim/engine/steps.hpp"
#include "sim/forecast/hybrid/hybrid_forecast.hpp"
#include "sim/forecast/scenario.hpp"
#include "sim/forecast/time_alone.hpp"
#include "tests/support/examples.hpp"
#include "tests/support/input_error.hpp"
#include "tests/support/owned_job.hpp"
#include "traces/catalog.hpp"

namespace stepcast {
namespace {

std::vector<std::string> exchanges() {
  std::vector<std::string> names;
  for (const ScheduleInfo& schedule : all_schedules())
    if (schedule.is_exchange())
      names.push_back(schedule.name);
  return names;
}

HybridRun run_of(const char* passes, const Workload& workload, const Cluster& cluster,
                 const ScheduleOptions& options) {
  return build_hybrid(schedule_of(passes, options), workload, cluster, options);
}

double step_s(const Plan& plan, const Cluster& cluster, Fidelity fidelity = Fidelity::Analytic) {
  EngineOptions engine;
  engine.fidelity = fidelity;
  return step_time_of(plan, cluster, engine).value;
}

class Draws {
 public:
  std::uint32_t below(std::uint32_t count) {
    return std::uniform_int_distribution<std::uint32_t>(0, count - 1)(engine_);
  }
  double factor() { return std::uniform_real_distribution<>(0.5, 2)(engine_); }

 private:
  std::mt19937 engine_{20};
};

// A profile cut to some of its layers, at another pace, or a whole transformer.
Workload drawn_workload(Draws& draws) {
  const std::uint32_t which = draws.below(4);
  if (which == 0)
    return *find_transformer_model("transformer:model=gpt-1.7b,device=a100");
  const char* const names[] = {"resnet50-rtx2080ti-bs64", "densenet201-rtx2080ti-bs32",
                               "bert-base-rtx2080ti-bs64"};
  Workload workload = load_workload(names[which - 1]);
  const std::uint32_t count = 2 + draws.below(40);
  const auto first = workload.layers.begin() +
                     draws.below(static_cast<std::uint32_t>(workload.layers.size()) - count);
  workload.layers = {first, first + count};
  workload.edges.clear();
  const double pace = draws.factor();
  for (Layer& layer : workload.layers) {
    layer.forward = layer.forward * pace;
    layer.backward = layer.backward * draws.factor();
  }
  return workload;
}

Cluster drawn_cluster(Draws& draws) {
  const char* const names[] = {"rtx2080ti-16x4-10gbe", "rtx2080ti-16x4-ib100", "dgx-a100"};
  Cluster cluster = load_cluster(names[draws.below(3)]);
  cluster.nodes = 1 + draws.below(4);
  cluster.gpus_per_node = 1 + draws.below(4);
  return cluster;
}

TEST(Exchange, OfOneStageIsTheDataParallelSchedule) {
  Draws draws;
  const std::vector<std::string> names = exchanges();
  for (int draw = 0; draw < 200; ++draw) {
    const Workload workload = drawn_workload(draws);
    const Cluster cluster = drawn_cluster(draws);
    std::string name = names[draws.below(static_cast<std::uint32_t>(names.size()))];
    if (workload.transformer && schedule_of(name).compressed)
      name = "dear";  // what compression costs is not known of an A100
    const std::uint32_t passes = 1 + draws.below(4);
    const Fidelity fidelity = draw % 2 == 0 ? Fidelity::Analytic : Fidelity::Flow;
    const std::string what = fmt::format("{}: {}, {} layers, {} x {} of {}, {} passes", draw, name,
                                         workload.layers.size(), cluster.nodes,
                                         cluster.gpus_per_node, cluster.name, passes);
    const Plan whole =
        build_plan(name, workload, cluster, {{"accumulation", std::to_string(passes)}});
    const HybridRun staged =
        run_of("1f1b", workload, cluster,
               {{"exchange", name},
                {"global_batch", std::to_string(cluster.ranks() * workload.batch * passes)}});
    const double expected = step_s(whole, cluster, fidelity);
    EXPECT_NEAR(step_s(staged.hybrid.plan, cluster, fidelity) / expected, 1, 1e-12) << what;
    const double alone = time_alone(workload, cluster, whole).value * cluster.ranks();
    EXPECT_NEAR(staged.hybrid.alone.value / alone, 1, 1e-12) << what;
  }
}

// Stage 0 does what the schedule does with its half of the layers, but between its two passes the
// micro-batch goes through the other stage, which has exchanged its gradients before. What selects
// or factorises gradients does so after the backward pass here: between layers it would delay the
// stage before, too.
TEST(Exchange, OfAPipelineTakesThePassesOfTheOtherStageLonger) {
  const Seconds forward{1e-3};
  const Seconds backward{2e-3};
  Workload whole = examples::uniform_workload(16, forward, backward, 2'500'000);
  whole.compression = load_workload("resnet50-rtx2080ti-bs64").compression;
  Workload half = whole;
  half.layers.resize(8);
  const Cluster replicas = examples::plain_cluster(1, 4);
  const Cluster both = examples::plain_cluster(2, 4);
  int compressed = 0;
  for (const std::string& name : exchanges()) {
    const ScheduleInfo& schedule = schedule_of(name);
    ScheduleOptions options;
    if (schedule.compressed) {
      if (std::ranges::count(schedule.options, "fusion", &OptionInfo::name) == 0)
        continue;
      options = {{"fusion", "model"}};
      ++compressed;
    }
    const Plan of_half = build_plan(name, half, replicas, options);
    options.insert({{"exchange", name}, {"pp", "2"}, {"global_batch", "4"}});
    const HybridRun staged = run_of("gpipe", whole, both, options);
    EXPECT_NEAR(step_s(staged.hybrid.plan, both),
                step_s(of_half, replicas) + 8 * (forward + backward).value, 1e-9)
        << name;
  }
  EXPECT_GE(compressed, 8);
}

// Two stages of four layers (1 and 2 ms), two micro-batches, two replicas; a gradient's all-reduce
// takes 1.5 ms on the port. 1F1B does F F B B on stage 0 and F B F B on stage 1: 4 + 4 + 8 + 4 + 8
// + 8 ms until stage 0 has its last gradient. Its four sums start with each layer and hide but for
// the last one.
TEST(Exchange, OfSeveralMicroBatchesWaitsForTheLastBackwardPass) {
  const Workload workload = examples::uniform_workload(8, Seconds{1e-3}, Seconds{2e-3}, 3'750'000);
  const Cluster cluster = examples::plain_cluster(2, 2);
  const auto step_ms = [&](const ScheduleOptions& exchange) {
    ScheduleOptions options{{"pp", "2"}, {"global_batch", "4"}};
    options.insert(exchange.begin(), exchange.end());
    return step_s(run_of("1f1b", workload, cluster, options).hybrid.plan, cluster) * 1e3;
  };
  constexpr double kPasses = 4 + 4 + 8 + 4 + 8 + 8;
  EXPECT_NEAR(step_ms({{"exchange", "wfbp"}}), kPasses + 1.5, 1e-6);
  EXPECT_NEAR(step_ms({{"exchange", "bsp"}}), kPasses + 4 * 1.5, 1e-6);
  // Halves of .75 ms: the last reduce-scatter, then the first layer's all-gather.
  EXPECT_NEAR(step_ms({{"exchange", "dear"}, {"fusion", "none"}}), kPasses + 2 * 0.75, 1e-6);
}

TEST(Exchange, OfAllSchedulesRunsUnderAllPasses) {
  const Workload workload = load_workload("resnet50-rtx2080ti-bs64");
  Cluster cluster = load_cluster("rtx2080ti-16x4-ib100");
  cluster.nodes = 2;
  const double alone = (forward_time(workload) + backward_time(workload)).value;
  for (const char* passes : {"gpipe", "1f1b", "interleaved", "zb-h1", "zb-v"})
    for (const std::string& name : exchanges()) {
      const HybridRun run =
          run_of(passes, workload, cluster,
                 {{"exchange", name}, {"pp", "2"}, {"global_batch", std::to_string(4 * 64 * 4)}});
      for (const Fidelity fidelity : {Fidelity::Analytic, Fidelity::Flow}) {
        const double step = step_s(run.hybrid.plan, cluster, fidelity);
        EXPECT_GT(step, 4 * alone / 2) << passes << " " << name;
        EXPECT_LT(step, 20 * alone) << passes << " " << name;
      }
    }
}

// What belongs to the job: an update that the user sets takes the place of the law's in a
// transformer's step, or of the profile's, whatever the schedule.
TEST(Exchange, UpdateTimesThatAreSetCountForEverySchedule) {
  for (const char* name : {"transformer:model=gpt-1.7b,device=a100", "resnet50-rtx2080ti-bs64"}) {
    Scenario scenario{.original_workload = load_workload(name),
                      .original_cluster = load_cluster("dgx-a100"),
                      .schedules = {"ddp", "1f1b"}};
    scenario.original_cluster.nodes = 1;
    scenario.engine.fidelity = Fidelity::Analytic;
    const std::string batch = std::to_string(8 * scenario.original_workload.batch);
    const auto step = [&](const char* schedule, ScheduleOptions options,
                          std::optional<Seconds> update) {
      Settings settings{.update_time = update};
      settings.schedule = std::move(options);
      return plain_forecast_of(changed(scenario, std::move(settings)), schedule).iteration_time;
    };
    const ScheduleOptions staged{{"exchange", "ddp"}, {"global_batch", batch}};
    const Seconds whole = step("ddp", {}, Seconds{50e-3});
    EXPECT_NEAR(step("1f1b", staged, Seconds{50e-3}) / whole, 1, 1e-12) << name;
    if (scenario.original_workload.transformer) {
      const Seconds by_law = scenario.original_workload.update;
      EXPECT_NEAR((whole - step("ddp", {}, std::nullopt)).value, 50e-3 - by_law.value, 1e-9);
      EXPECT_GT(step("1f1b", {{"pp", "2"}, {"tp", "2"}}, Seconds{1}) -
                    step("1f1b", {{"pp", "2"}, {"tp", "2"}}, by_law),
                Seconds{0.2});
    }
    EXPECT_EQ(input_error_of([&] {
                step("1f1b", {{"optimiser_bytes", "8"}}, Seconds{1});
              }),
              "`set` update_time: expected no optimiser_bytes beside it: both say what an update "
              "takes");
  }
}

TEST(Exchange, NamesOfShardingStandForStagesOfZero) {
  const Workload workload = load_workload("resnet50-rtx2080ti-bs64");
  Cluster cluster = load_cluster("rtx2080ti-16x4-ib100");
  cluster.nodes = 2;
  const auto step = [&](ScheduleOptions options) {
    options["pp"] = "2";
    return step_s(run_of("1f1b", workload, cluster, options).hybrid.plan, cluster);
  };
  EXPECT_EQ(step({{"exchange", "zero"}}), step({{"zero", "2"}}));
  EXPECT_EQ(step({{"exchange", "zero"}, {"zero", "1"}}), step({{"zero", "1"}}));
  EXPECT_EQ(step({{"exchange", "fsdp"}}), step({{"zero", "3"}}));
  EXPECT_EQ(input_error_of([&] {
              step({{"exchange", "fsdp"}, {"zero", "0"}});
            }),
            "1f1b: option exchange: expected megatron beside zero=0, found \"fsdp\"");
}

// Parameters and gradients of two stages are those of the model; Adam keeps two values of each.
TEST(Exchange, MemoryOfTheStagesAddsUp) {
  const Workload workload = load_workload("resnet50-rtx2080ti-bs64");
  const Cluster cluster = load_cluster("rtx2080ti-16x4-ib100");
  const Bytes parameters = parameter_size(workload);
  for (const char* name : {"ddp", "dear", "topka2a", "powersgd"}) {
    const HybridRun run =
        run_of("1f1b", workload, cluster, {{"exchange", name}, {"pp", "2"}, {"optimiser", "adam"}});
    MemoryUse sum;
    for (const PlannedStage& stage : run.hybrid.stages) {
      sum.parameters += stage.memory.parameters;
      sum.gradients += stage.memory.gradients;
      sum.optimiser += stage.memory.optimiser;
      sum.residuals += stage.memory.residuals;
    }
    const MemoryUse whole = build_plan(name, workload, cluster, {{"optimiser", "adam"}}).memory;
    EXPECT_DOUBLE_EQ(sum.parameters.value, parameters.value) << name;
    EXPECT_DOUBLE_EQ(sum.gradients.value, parameters.value) << name;
    EXPECT_DOUBLE_EQ(sum.optimiser.value, 2 * parameters.value) << name;
    EXPECT_DOUBLE_EQ(sum.residuals.value, whole.residuals.value) << name;
  }
}

TEST(Exchange, SaysWhereItCannotBeMeant) {
  const Workload workload = load_workload("resnet50-rtx2080ti-bs64");
  Cluster cluster = load_cluster("rtx2080ti-16x4-ib100");
  cluster.nodes = 2;
  const auto error = [&](const char* passes, const ScheduleOptions& options) {
    return input_error_of([&] { run_of(passes, workload, cluster, options); });
  };
  EXPECT_EQ(error("dualpipe", {{"exchange", "dear"}, {"pp", "2"}, {"global_batch", "1024"}}),
            "dualpipe: option exchange: expected megatron where two stages hold each part");
  EXPECT_TRUE(error("1f1b", {{"exchange", "daer"}})
                  .starts_with("1f1b: option exchange: expected one of megatron, zero, fsdp, bsp"))
      << error("1f1b", {{"exchange", "daer"}});
  for (const char* name : {"acp-sgd", "d-kfac", "dlrm"})
    EXPECT_TRUE(error("1f1b", {{"exchange", name}})
                    .starts_with(fmt::format("1f1b: option exchange: {} does more in a step than "
                                             "exchange the gradients of one backward pass: ",
                                             name)))
        << error("1f1b", {{"exchange", name}});
  EXPECT_TRUE(error("1f1b", {{"exchange", "dear"}, {"zero", "1"}})
                  .starts_with("1f1b: unknown option \"zero\""))
      << error("1f1b", {{"exchange", "dear"}, {"zero", "1"}});
}

}  // namespace
}  // namespace stepcast
