// Plans whose ranks do different things: what they cost to build and to simulate, and the most
// memory that the process ever held (run one benchmark at a time for that).
#include <benchmark/benchmark.h>

#include "sim/engine/engine.hpp"
#include "tests/bench/peak_memory.hpp"
#include "tests/support/hybrid_plan.hpp"

namespace stepcast {
namespace {

// 8 tensor x 16 pipeline x 8 data ranks on 1,024 GPUs, 96 layers, 64 micro-batches.
void hybrid(benchmark::State& state, const EngineOptions& options) {
  const examples::HybridShape shape;
  const Cluster cluster = examples::hybrid_cluster(shape);
  Timeline timeline;
  std::size_t tasks = 0;
  for (auto _ : state) {
    const Plan plan = examples::hybrid_plan(cluster, shape);
    timeline = simulate(plan, cluster, options);
    tasks = plan.graph.size();
  }
  state.counters["tasks"] = static_cast<double>(tasks);
  state.counters["classes"] = static_cast<double>(timeline.classes.size());
  state.counters["iterations"] = timeline.iterations;
  state.counters["step_ms"] = timeline.iteration_time.value * 1e3;
  state.counters["peak_MiB"] = peak_mebibytes();
}
const EngineOptions kAnalytic{.fidelity = Fidelity::Analytic};
const EngineOptions kFlow{.fidelity = Fidelity::Flow};
const EngineOptions kStraggler{.fidelity = Fidelity::Analytic, .stragglers = {{491, 1.2}}};
BENCHMARK_CAPTURE(hybrid, tp8_pp16_dp8_1024_gpus_analytic, kAnalytic)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(hybrid, tp8_pp16_dp8_1024_gpus_flow, kFlow)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(hybrid, tp8_pp16_dp8_1024_gpus_straggler_analytic, kStraggler)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

// 64 ranks with 10,000 tasks of their own each.
void recorded(benchmark::State& state) {
  const Cluster cluster = examples::plain_cluster(8, 8);
  Timeline timeline;
  for (auto _ : state) {
    const Plan plan = examples::recorded_plan(cluster, 10'000, 20);
    timeline = simulate(plan, cluster, {.fidelity = Fidelity::Analytic});
  }
  state.counters["classes"] = static_cast<double>(timeline.classes.size());
  state.counters["iterations"] = timeline.iterations;
  state.counters["peak_MiB"] = peak_mebibytes();
}
BENCHMARK(recorded)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace stepcast
