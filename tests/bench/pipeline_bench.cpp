// GPT-3 175B cut into 8 tensor parts and stages, on 1,024 and 16,384 GPUs: build the plan, simulate
// it at `analytic`, read the report off it; and the most memory that the process ever held (run one
// benchmark at a time for that). And what it takes to look for a shorter step.
#include <cstdlib>

#include <benchmark/benchmark.h>

#include "models/schedule/list/registry.hpp"
#include "sim/jobs/edits/planned_step.hpp"
#include "sim/search/options/schedule_edits.hpp"
#include "tests/bench/peak_memory.hpp"
#include "tests/support/owned_job.hpp"
#include "traces/catalog.hpp"
#include "traces/transformers.hpp"

namespace stepcast {
namespace {

struct Job {
  const char* pipeline;
  std::uint32_t nodes, stages;
  ScheduleOptions more;
};

// 512 micro-batches of one sequence for each copy of the model.
void pipeline(benchmark::State& state, const Job& job) {
  ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1);
  OwnedJob scenario{.workload = *find_transformer_model("transformer:model=gpt3-175b,device=a100"),
                    .cluster = load_cluster("dgx-a100"),
                    .schedule = job.pipeline,
                    .options = job.more};
  scenario.cluster.nodes = job.nodes;
  scenario.engine.fidelity = Fidelity::Analytic;
  scenario.options.insert({{"tp", "8"},
                           {"pp", std::to_string(job.stages)},
                           {"global_batch", std::to_string(512 * job.nodes / job.stages)}});
  Seconds step{};
  std::size_t tasks = 0;
  for (auto _ : state) {
    const ScheduleRun result = simulated(scenario);
    step = result.forecast.iteration_time;
    tasks = result.plan.graph.size();
  }
  state.counters["tasks"] = static_cast<double>(tasks);
  state.counters["step_ms"] = step.value * 1e3;
  state.counters["peak_MiB"] = peak_mebibytes();
}
const Job kPasses{"1f1b", 128, 8, {}};
const Job kInterleaved{"interleaved", 128, 8, {{"virtual_stages", "12"}}};
const Job kBlocks{"1f1b", 128, 8, {{"zero", "3"}}};
const Job kLarge{"1f1b", 2048, 16, {}};
BENCHMARK_CAPTURE(pipeline, passes_1024_gpus, kPasses)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pipeline, interleaved_12_1024_gpus, kInterleaved)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pipeline, blocks_1024_gpus, kBlocks)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pipeline, passes_16384_gpus, kLarge)->Unit(benchmark::kMillisecond);

// GPT 22B on 64 GPUs, 8 tensor parts and 4 stages: options, then gradients stage by stage.
void optimise(benchmark::State& state) {
  ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1);
  OwnedJob scenario{.workload = *find_transformer_model("transformer:model=gpt-22b,device=a100"),
                    .cluster = load_cluster("dgx-a100"),
                    .schedule = "1f1b",
                    .options = {{"tp", "8"}, {"pp", "4"}, {"global_batch", "128"}}};
  scenario.cluster.nodes = 8;
  scenario.engine.fidelity = Fidelity::Analytic;
  EditedStep result;
  for (auto _ : state) {
    result = {};
    edit_schedule(scenario, {}, true, {}, result);
  }
  state.counters["simulated"] = static_cast<double>(result.simulated);
  state.counters["step_ms"] = result.step_after.value * 1e3;
  state.counters["peak_MiB"] = peak_mebibytes();
}
BENCHMARK(optimise)->Name("pipeline/optimise_64_gpus")->Unit(benchmark::kMillisecond);

// One stage of GPT-3's plan on 1,024 GPUs, edited and simulated: a candidate of the search.
void edit(benchmark::State& state) {
  ::setenv("STEPCAST_DATA", STEPCAST_SOURCE_DIR, 1);
  const Workload model = *find_transformer_model("transformer:model=gpt3-175b,device=a100");
  Cluster cluster = load_cluster("dgx-a100");
  cluster.nodes = 128;
  const HybridRun run = build_hybrid(schedule_of("1f1b"), model, cluster,
                                     {{"tp", "8"}, {"pp", "8"}, {"global_batch", "8192"}});
  const EngineOptions engine{.fidelity = Fidelity::Analytic};
  const EditableStep step = editable_step(run.hybrid.plan, run.job, model, cluster, engine);
  const EditRequest slower = parse_edit_request("scale stage=3 kind=backward by=1.1");
  for (auto _ : state)
    benchmark::DoNotOptimize(step.time(edited(step.graphs, slower, step)));
  state.counters["tasks"] = static_cast<double>(run.hybrid.plan.graph.size());
}
BENCHMARK(edit)->Name("pipeline/edit_1024_gpus")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace stepcast
