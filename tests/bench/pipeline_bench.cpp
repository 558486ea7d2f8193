// GPT-3 175B cut into 8 tensor parts and stages, on 1,024 and 16,384 GPUs: build the plan, simulate
// it at `analytic`, read the report off it; and the most memory that the process ever held (run one
// benchmark at a time for that).
#include <cstdlib>

#include <benchmark/benchmark.h>

#include "sim/study/hybrid/hybrid_forecast.hpp"
#include "tests/bench/peak_memory.hpp"
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
  HybridScenario scenario{
      .model = *find_transformer_model("transformer:model=gpt3-175b,device=a100"),
      .cluster = load_cluster("dgx-a100"),
      .pipeline = find_pipeline(job.pipeline),
      .options = job.more};
  scenario.cluster.nodes = job.nodes;
  scenario.engine.fidelity = Fidelity::Analytic;
  scenario.options.insert({{"tp", "8"},
                           {"pp", std::to_string(job.stages)},
                           {"global_batch", std::to_string(512 * job.nodes / job.stages)}});
  Seconds step{};
  std::size_t tasks = 0;
  for (auto _ : state) {
    const HybridResult result = hybrid_result_of(scenario);
    step = result.hybrid.forecast.iteration_time;
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

}  // namespace
}  // namespace stepcast
